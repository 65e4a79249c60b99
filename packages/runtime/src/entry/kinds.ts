/** The kinds of arguments and options: one table, for functions, methods and constructors. */
import { showArgument } from "@fuseau/ir";
import { isRecord, showGiven } from "../messages/given.ts";
import { isFloatScalar } from "../ops/operand.ts";
import { Generator } from "../random/generator.ts";
import { Tensor } from "../tensor/handle.ts";

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isNumber = (value: unknown): boolean => typeof value === "number";
const isTensor = (value: unknown): boolean => value instanceof Tensor;

/** True if the value is one of these, or an array of them. */
const oneOrMore =
  (is: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) ? value.every(is) : is(value);

const nouns = {
  /** The operation itself checks it. */
  any: ["anything", () => true],
  flag: ["true or false", (value) => typeof value === "boolean"],
  text: ["a string", (value) => typeof value === "string"],
  number: ["a number", isNumber],
  numbers: ["a number or an array of numbers", oneOrMore(isNumber)],
  pair: [
    "two numbers in an array",
    (value) => Array.isArray(value) && value.length === 2 && value.every(isNumber),
  ],
  share: [
    "between 0 and 1, as probabilities are",
    (value) => isNumber(value) && (value as number) >= 0 && (value as number) <= 1,
  ],
  integer: ["an integer", Number.isInteger],
  integers: ["an integer or an array of integers", oneOrMore(Number.isInteger)],
  places: ["an array of integers", (value) => Array.isArray(value) && value.every(Number.isInteger)],
  count: ["a whole number of at least 0", isCount],
  positive: ["a whole number of at least 1", (value) => isCount(value) && value !== 0],
  counts: ["a whole number of at least 0, or an array of them", oneOrMore(isCount)],
  countsOrNulls: [
    "a whole number of at least 0, or an array of such and null",
    (value) => value !== null && oneOrMore((size) => size === null || isCount(size))(value),
  ],
  padding: [
    'a whole number of at least 0, an array of them, "same" or "valid"',
    (value) => value === "same" || value === "valid" || oneOrMore(isCount)(value),
  ],
  scalar: [
    "a number, a bigint, a boolean or float(2)",
    (value) => ["number", "bigint", "boolean"].includes(typeof value) || isFloatScalar(value),
  ],
  tensor: ["a tensor", isTensor],
  tensors: ["a tensor or an array of tensors", oneOrMore(isTensor)],
  tensorsOrNulls: [
    "a tensor or an array of tensors",
    (value) => value !== null && oneOrMore((each) => each === null || isTensor(each))(value),
  ],
  tensorPair: [
    "two tensors in an array",
    (value) => Array.isArray(value) && value.length === 2 && value.every(isTensor),
  ],
  tensorOrPlaces: [
    "a tensor or an array of integers",
    (value) => isTensor(value) || (Array.isArray(value) && value.every(Number.isInteger)),
  ],
  function: ["a function", (value) => typeof value === "function"],
  functions: ["a function or an array of functions", oneOrMore((value) => typeof value === "function")],
  list: ["an array", Array.isArray],
  record: ["an object", (value) => isRecord(value)],
  iterable: [
    "a list, or what can be iterated",
    (value) => typeof (value as Iterable<unknown> | null | undefined)?.[Symbol.iterator] === "function",
  ],
  dtype: ["a dtype", (value) => typeof value === "string"],
  floating: [
    'a floating dtype ("float16", "float32" or "float64")',
    (value) => value === "float16" || value === "float32" || value === "float64",
  ],
  generator: ["a Generator, e.g. new Generator(7)", (value) => value instanceof Generator],
} as const satisfies Record<string, readonly [noun: string, holds: (value: unknown) => boolean]>;

export type KindName = keyof typeof nouns;

/** The kind of a value. With a question mark null is allowed; a list has the allowed strings. */
export type Kind = KindName | `${KindName}?` | readonly string[];

/** The kind of every option of O. */
export type Kinds<O> = { readonly [K in keyof Required<O>]: Kind };

/** A number of one of these kinds is out of range if it is a number of another size. */
const sizes: readonly Kind[] = ["count", "positive", "share"];

export const isOfKind = (value: unknown, kind: Kind): boolean => meaningOf(kind)[1](value);

/**
 * Checks one argument or option. `way` says what to do if an object of options was given in its place.
 * @throws TypeError for an argument or option of the wrong kind, RangeError for a number out of range.
 */
export function checkKind(op: string, name: string, value: unknown, kind: Kind, way = ""): void {
  const [noun, holds] = meaningOf(kind);
  if (holds(value)) return;
  const isOutside = isNumber(value) && sizes.includes(kind);
  const shown = kind === "tensor" || kind === "tensor?" ? showGiven(value) : showArgument(value);
  throw new (isOutside ? RangeError : TypeError)(
    `${op}: ${name} must be ${noun}, but got ${shown}${isRecord(value) ? way : ""}`,
  );
}

function meaningOf(kind: Kind): readonly [noun: string, holds: (value: unknown) => boolean] {
  if (typeof kind !== "string")
    return [
      `one of ${kind.map((text) => `"${text}"`).join(", ")}`,
      (value) => kind.includes(value as string),
    ];
  if (!kind.endsWith("?")) return nouns[kind as KindName];
  const [noun, holds] = nouns[kind.slice(0, -1) as KindName];
  return [`${noun}, or null`, (value) => value === null || holds(value)];
}
