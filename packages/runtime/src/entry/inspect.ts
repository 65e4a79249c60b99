/** Checks the arguments of a call that has options, or more arguments than its signature. */

import { showArgument } from "@fuseau/ir";
import { isRecord } from "../messages/given.ts";
import { didYouMean, nearest } from "../messages/nearest.ts";
import { checkOptionNames } from "../messages/options.ts";
import { isFloatScalar } from "../ops/operand.ts";
import { Generator } from "../random/generator.ts";
import { Tensor } from "../tensor/handle.ts";
import { checkKind } from "./kinds.ts";
import { checkOption, optionFor } from "./option-kinds.ts";
import { type Signature, showCall, type Way } from "./signature.ts";

/**
 * The arguments without options that are null.
 * @throws TypeError for an unknown option, an option of the wrong kind, and arguments that the signature does not have.
 */
export function inspect(call: Signature, given: readonly unknown[]): readonly unknown[] {
  const { op, ways, isChecked } = call;
  const own = withoutSurplus(call, given);
  if (isChecked) checkArguments(op, ways[0] as Way, own);
  return own;
}

function withoutSurplus({ op, ways, first }: Signature, given: readonly unknown[]): readonly unknown[] {
  let last = given.length - 1;
  while (last >= 0 && given[last] === undefined) last--;
  if (last < first && ways.length === 1) return given;
  const value = given[last];
  const ending = ways.find(({ names, options }) => names.length === last && options.length > 0);
  if (ending !== undefined && (value === null || isOptions(value))) {
    if (value === null) return given.slice(0, last);
    checkOptions(op, ending, ways, value);
    return given;
  }
  const longest = ways.reduce((a, b) => (b.names.length > a.names.length ? b : a));
  if (last < longest.names.length) return given;
  throw new TypeError(`${op}: ${refusal(op, ending ?? longest, given.slice(0, last + 1))}`);
}

/** True for an object that holds options, and is nothing else that an argument may be. */
export const isOptions = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isRecord(value) && !(value instanceof Generator || isFloatScalar(value));

/**
 * The arguments in the order of `names`, if they were given as one object: `clamp({ min: 0 })`. It is for operations whose first argument
 * may be left out while a later one is given.
 */
export function byName(op: string, names: readonly string[], given: readonly unknown[]): readonly unknown[] {
  const [first, ...rest] = given;
  if (typeof first !== "object" || !isOptions(first) || rest.some((value) => value !== undefined))
    return given;
  checkOptionNames(op, first, names);
  return names.map((name) => first[name]);
}

/**
 * The last argument, where another way of calling has an argument instead of options.
 * @throws TypeError if it holds no options.
 */
export function optionsLast<O extends object>(op: string, value: unknown): O | undefined {
  if (value === undefined || isOptions(value)) return value as O | undefined;
  throw new TypeError(`${op}: takes options as an object last, but got ${shown(value)}`);
}

function checkArguments(op: string, { names, kinds }: Way, given: readonly unknown[]): void {
  for (let k = 0; k < kinds.length; k++) {
    const wanted = kinds[k];
    if (wanted !== undefined && !(wanted.isOptional && given[k] === undefined))
      checkKind(op, names[k] as string, given[k], wanted.kind);
  }
}

function checkOptions(
  op: string,
  way: Way,
  ways: readonly Way[],
  given: Readonly<Record<string, unknown>>,
): void {
  for (const name of Object.keys(given)) {
    if (!way.options.includes(name)) throw new TypeError(`${op}: ${unknownOption(op, name, way, ways)}`);
    checkOption(op, name, given[name]);
  }
}

function unknownOption(op: string, name: string, way: Way, ways: readonly Way[]): string {
  const known = `the options are ${way.options.join(", ")}`;
  const meant = didYouMean(name, way.options);
  const having = (each: Way): boolean => nearest(name, each.names) !== null;
  const itsWay = meant === "" ? [way, ...ways].find(having) : undefined;
  if (itsWay === undefined) return `unknown option "${name}"${meant}; ${known}`;
  const argument = nearest(name, itsWay.names);
  return `unknown option "${name}"; ${argument} is an argument of its own: ${showCall(op, itsWay)}; ${known}`;
}

/** What to say of more arguments than a call takes. */
export function refusal(op: string, way: Pick<Way, "names" | "options">, given: readonly unknown[]): string {
  const { names, options } = way;
  if (isMapped(given)) return `map and forEach give three arguments; write (x) => ${op}(x)`;
  const extra = given[names.length];
  if (takesList(way) && given.every(Number.isInteger)) {
    const list = showArgument(given.slice(names.length - 1));
    const before = given.slice(0, names.length - 1);
    return `${names.at(-1)} is one argument; several numbers are an array: ${op}(${[...before, list].join(", ")})`;
  }
  if (names[0] === "tensors" && given.every((each) => each instanceof Tensor))
    return `tensors is one argument; several are an array: ${op}([${given.map((_, k) => "abc"[k] ?? "…").join(", ")}])`;
  if (options.length > 0 && given.length === names.length + 1) {
    const meant = optionFor(extra, options);
    const example =
      meant === undefined
        ? showCall(op, way)
        : `{ ${meant}: ${extra instanceof Tensor ? "tensor" : shown(extra)} }`;
    return `takes options as an object last: ${example}, but got ${shown(extra)}`;
  }
  if (options.length === 0 && isOptions(extra))
    return `takes no options, but got { ${Object.keys(extra).join(", ")} } (it is called as ${showCall(op, way)})`;
  const most = names.length + (options.length > 0 ? 1 : 0);
  const count = `${most} ${most === 1 ? "argument" : "arguments"}`;
  return `takes ${most === 0 ? "no arguments" : `at most ${count}`}, but ${given.length} ${given.length === 1 ? "was" : "were"} given: ${showCall(op, way)}`;
}

/** True for the arguments of `array.map(relu)`: element, index, array. */
const isMapped = ([element, place, list]: readonly unknown[]): boolean =>
  Array.isArray(list) && Number.isInteger(place) && list[place as number] === element;

const lists = ["shape", "sizes", "dims", "repeats"];

/** True if the operation's last argument may be an array of numbers. */
const takesList = ({ names, options }: Pick<Way, "names" | "options">): boolean =>
  lists.includes(names.at(-1) ?? "") || (names.at(-1) === "dim" && options.includes("keepdim"));

const shown = (value: unknown): string => (value instanceof Tensor ? "a tensor" : showArgument(value));
