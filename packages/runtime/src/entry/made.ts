/** Checks the arguments of constructors before anything is made. Errors have the stack of the line that makes the object. */
import { showArgument } from "@fuseau/ir";
import { checkOptionNames } from "../messages/options.ts";
import { trimmed } from "../messages/stack.ts";
import { isOptions, refusal } from "./inspect.ts";
import { checkKind, isOfKind, type Kind, type KindName } from "./kinds.ts";

/** The class whose constructor is running. */
export type Made = abstract new (...args: never[]) => object;

/** `arguments` of a constructor: more than it names are refused. */
export type Given = ArrayLike<unknown>;

/** The arguments of a constructor by kind, in their order. */
export type ByKind = Readonly<Partial<Record<KindName | `${KindName}?`, Readonly<Record<string, unknown>>>>>;

/**
 * Checks the arguments of a constructor, which `byKind` has by kind, and its options; undefined ones count as left out. `given` is
 * everything that it was called with.
 * @throws TypeError for an argument or option of the wrong kind, an unknown option, and too many arguments, RangeError for a number out of
 * range; with the stack of the code that makes a `made`.
 */
export function checkMade(
  made: Made,
  given: Given,
  byKind: ByKind,
  options?: unknown,
  kinds: Readonly<Record<string, Kind>> = {},
): void {
  try {
    const { name } = made;
    const names: string[] = [];
    for (const [kind, values] of Object.entries(byKind))
      for (const [argument, value] of Object.entries(values)) {
        names.push(argument);
        checkKind(name, argument, value, kind as Kind, " (arguments stand in their order, and options last)");
      }
    const known = Object.keys(kinds);
    if (known.length > 0 && options !== undefined) checkOptions(name, options, kinds);
    const all = Array.from(given);
    while (all.length > 0 && all.at(-1) === undefined) all.pop();
    if (all.length > names.length + (known.length > 0 ? 1 : 0))
      throw new TypeError(`${name}: ${refusal(`new ${name}`, { names, options: known }, all)}`);
  } catch (error) {
    throw trimmed(error, made);
  }
}

/** @throws TypeError unless it is an object of options, for an unknown option, and for one of the wrong kind. */
export function checkOptions(name: string, options: unknown, kinds: Readonly<Record<string, Kind>>): void {
  const known = Object.keys(kinds);
  if (!isOptions(options)) {
    const meant = known.find((option) => isOfKind(options, kinds[option]!));
    const example =
      meant === undefined ? `{ ${known.join(", ")} }` : `{ ${meant}: ${showArgument(options)} }`;
    throw new TypeError(
      `${name}: takes options as an object last: ${example}, but got ${showArgument(options)}`,
    );
  }
  checkOptionNames(name, options, known);
  for (const [option, value] of Object.entries(options))
    if (value !== undefined) checkKind(name, option, value, kinds[option]!);
}

/**
 * @throws RangeError unless one number divides the other; each is given under its name. It has the stack of the code that makes a `made`.
 */
export function checkDivides(
  made: Made,
  part: Readonly<Record<string, number>>,
  whole: Readonly<Record<string, number>>,
): void {
  const [[partName, divisor], [wholeName, size]] = [Object.entries(part)[0]!, Object.entries(whole)[0]!];
  if (size % divisor !== 0)
    throw trimmed(
      new RangeError(`${made.name}: ${wholeName} must be divisible by ${partName} (${size} by ${divisor})`),
      made,
    );
}
