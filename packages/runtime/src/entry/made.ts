/** What objects are made of: checked before anything is made, and refused at the line that makes it. */
import { showArgument } from "@fuseau/ir";
import { checkOptionNames } from "../messages/options.ts";
import { trimmed } from "../messages/stack.ts";
import { isOptions, refusal } from "./inspect.ts";
import { checkKind, isOfKind, type Kind, type KindName } from "./kinds.ts";

/** A class whose constructor is running. */
export type Made = abstract new (...args: never[]) => object;

/** `arguments` of a constructor: more than it names are refused. */
export type Given = ArrayLike<unknown>;

/** Arguments of a constructor, in their order, under what they must be. */
export type ByKind = Readonly<Partial<Record<KindName | `${KindName}?`, Readonly<Record<string, unknown>>>>>;

/**
 * Checks the arguments of a constructor and its options; those that are undefined are left out. `given` is all that it was given.
 * @throws TypeError for an argument or option of the wrong kind, for an unknown option and for what is too much, RangeError for a number
 * out of range; with the stack of who makes a `made`.
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

/** @throws TypeError for what holds no options, for an unknown option, and one of the wrong kind. */
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

/** @throws RangeError unless the one, which stands under its name, divides the other; with the stack of who makes a `made`. */
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
