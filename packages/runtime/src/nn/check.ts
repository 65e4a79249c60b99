/** What modules are made of: checked before anything is made, and refused at the line that makes it. */
import { showArgument } from "@fuseau/ir";
import { Generator, Tensor } from "../js.ts";
import { isRecord } from "../messages/given.ts";
import { checkOptionNames } from "../messages/options.ts";
import { trimmed } from "../messages/stack.ts";

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const areCounts = (value: unknown): boolean => (Array.isArray(value) ? value.every(isCount) : isCount(value));
const isNumber = (value: unknown): boolean => typeof value === "number";
const isTensor = (value: unknown): boolean => value instanceof Tensor;

const wanted = {
  count: ["a whole number of at least 0", isCount],
  positive: ["a whole number of at least 1", (value) => isCount(value) && value !== 0],
  counts: ["a whole number of at least 0, or an array of them", areCounts],
  integers: [
    "an integer, or an array of integers",
    (value) => (Array.isArray(value) ? value : [value]).every(Number.isInteger),
  ],
  padding: [
    'a whole number of at least 0, an array of them, "same" or "valid"',
    (value) => value === "same" || value === "valid" || areCounts(value),
  ],
  sizesOrNulls: [
    "a whole number of at least 0, or an array of such and null",
    (value) =>
      Array.isArray(value) ? value.every((size) => size === null || isCount(size)) : isCount(value),
  ],
  factors: [
    "a number, or an array of numbers",
    (value) => (Array.isArray(value) ? value : [value]).every(isNumber),
  ],
  integer: ["an integer", Number.isInteger],
  number: ["a number", isNumber],
  share: [
    "between 0 and 1, as probabilities are",
    (value) => isNumber(value) && (value as number) >= 0 && (value as number) <= 1,
  ],
  scalar: [
    "a number, a bigint or a boolean",
    (value) => ["number", "bigint", "boolean"].includes(typeof value),
  ],
  flag: ["true or false", (value) => typeof value === "boolean"],
  tensor: ["a Tensor", isTensor],
  function: ["a function", (value) => typeof value === "function"],
  dtype: [
    'a floating dtype ("float16", "float32" or "float64")',
    (value) => value === "float16" || value === "float32" || value === "float64",
  ],
  generator: ["a Generator, e.g. new Generator(7)", (value) => value instanceof Generator],
} as const satisfies Record<string, readonly [noun: string, holds: (value: unknown) => boolean]>;

type Name = keyof typeof wanted;

/** Where a number of another size is out of range, and not of the wrong kind. */
const sizes: readonly Kind[] = ["count", "positive", "share"];

/** A class whose constructor is running. */
export type Made = abstract new (...args: never[]) => object;

/** What a value must be; with a question mark null may stand there, and a list has the strings that are allowed. */
export type Kind = Name | `${Name}?` | readonly string[];

/** Every option of O, and what it must be. */
export type Kinds<O> = { readonly [K in keyof Required<O>]: Kind };

/**
 * Checks the arguments of a constructor, which stand under what they must be, and its options; those that are undefined are left out.
 * @throws TypeError for an argument or option of the wrong kind and for an unknown option, RangeError for a number out of range; with the
 * stack of who makes a `made`.
 */
export function checkMade(
  made: Made,
  given: Readonly<Partial<Record<Name, Readonly<Record<string, unknown>>>>>,
  options?: unknown,
  kinds: Readonly<Record<string, Kind>> = {},
): void {
  try {
    const { name } = made;
    for (const [kind, values] of Object.entries(given))
      for (const [argument, value] of Object.entries(values)) check(name, argument, value, kind as Name);
    if (options === undefined) return;
    checkOptionNames(name, options, Object.keys(kinds));
    for (const [option, value] of Object.entries(options as object))
      if (value !== undefined) check(name, option, value, kinds[option]!);
  } catch (error) {
    throw trimmed(error, made);
  }
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

function check(made: string, argument: string, value: unknown, kind: Kind): void {
  const [noun, holds] = meaningOf(kind);
  if (holds(value)) return;
  const isOutside = typeof value === "number" && sizes.includes(kind);
  const place =
    isRecord(value) && !isTensor(value) ? " (arguments stand in their order, and options last)" : "";
  throw new (isOutside ? RangeError : TypeError)(
    `${made}: ${argument} must be ${noun}, but got ${showArgument(value)}${place}`,
  );
}

function meaningOf(kind: Kind): readonly [noun: string, holds: (value: unknown) => boolean] {
  if (typeof kind !== "string")
    return [
      `one of ${kind.map((text) => `"${text}"`).join(", ")}`,
      (value) => kind.includes(value as string),
    ];
  if (!kind.endsWith("?")) return wanted[kind as Name];
  const [noun, holds] = wanted[kind.slice(0, -1) as Name];
  return [`${noun}, or null`, (value) => value === null || holds(value)];
}
