/**
 * Random words as recorded values. A word is a number from 0 to 2^32 − 1 in float64. Everything made of words is float64 too, until it is
 * rounded to the result's dtype.
 */
import { elementCount, type Shape } from "@fuseau/ir";
import { type Generator, takeWords } from "../random/generator.ts";
import { activeMappings, type Mapping } from "../random/mapping.ts";
import { iota, randomNormal, randomWord, reshape } from "../record.ts";
import { GradientError } from "../tape/errors.ts";
import type { Value } from "../value.ts";
import { numbersPerCall } from "./per-call.ts";
import { add, map, mul } from "./pointwise.ts";

interface Counters {
  /** The counter of the first word of each element. */
  readonly first: Value;
  readonly low: Value;
  readonly high: Value;
}

/**
 * Element i in row-major order has the words count·i … count·i + count − 1 of a range that begins with a whole block. Within `vmap` with
 * different random numbers, the number of the example is an axis in front of the shape.
 * @throws GradientError within `vmap` if drawing is refused.
 */
function drawCounters(generator: Generator, shape: Shape, count: 1 | 2 | 4): Counters {
  const elements = elementCount(shape);
  const drawing = drawingMappings();
  const examples = drawing.reduce((product, { size }) => product * size, 1);
  const take = (): number[] => {
    const { keyLow, keyHigh, offset } = takeWords(generator, examples * elements * count);
    return [keyLow, keyHigh, offset];
  };
  const [low, high, start] = numbersPerCall("float64", take) as [Value, Value, Value];
  let place = reshape(iota("float64", elements), shape);
  let stride = elements;
  for (const { example, size } of [...drawing].reverse()) {
    place = add(place, mul(example, stride));
    stride *= size;
  }
  // Multiplied by 2 repeatedly: a factor of 2 stays a constant in the kernel, which shows that words are consecutive.
  for (let words = 1; words < count; words *= 2) place = mul(place, 2);
  return { first: isZero(start) ? place : add(place, start), low, high };
}

/**
 * `count` words for each element of a shape.
 * @throws GradientError within `vmap` if drawing is refused.
 */
export function drawWords(generator: Generator, shape: Shape, count: 1 | 2 | 4): Value[] {
  const { first, low, high } = drawCounters(generator, shape, count);
  return Array.from({ length: count }, (_, k) => randomWord(k === 0 ? first : add(first, k), low, high));
}

/**
 * Standard normal numbers in float32, two words each.
 * @throws GradientError within `vmap` if drawing is refused.
 */
export function drawNormal(generator: Generator, shape: Shape): Value {
  const { first, low, high } = drawCounters(generator, shape, 2);
  return randomNormal(first, low, high);
}

/** The mapped functions around this one whose examples draw different numbers, the outermost first. */
function drawingMappings(): Mapping[] {
  const mappings = activeMappings();
  if (mappings.some(({ randomness }) => randomness === "error"))
    throw new GradientError(
      `draw: vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness flags on vmap or perform the randomness operation out of vmap (write func.vmap(fn, inDims, outDims, { randomness: "different" }))`,
    );
  return mappings.filter(({ randomness }) => randomness === "different");
}

const isZero = ({ node }: Value): boolean => node.op === "constant" && node.attributes.value === 0;

/** The upper `bits` of a word, as an integer. */
const upper = (word: Value, bits: number): Value => map("floor", mul(word, 2 ** (bits - 32)));

/** Two words as an integer below 2^53. */
const wide = (a: Value, b: Value): Value => add(mul(upper(a, 27), 2 ** 26), upper(b, 26));

/** Numbers in [0, 1) in steps of 2^−bits: one word each for at most 32 bits, otherwise two, for 53. */
export function drawUniform(generator: Generator, shape: Shape, bits: number): Value {
  if (bits > 32) return mul(drawWide(generator, shape), 2 ** -53);
  const [word] = drawWords(generator, shape, 1) as [Value];
  return mul(bits === 32 ? word : upper(word, bits), 2 ** -bits);
}

/** Integers below 2^53, two words each. */
export function drawWide(generator: Generator, shape: Shape): Value {
  const [a, b] = drawWords(generator, shape, 2) as [Value, Value];
  return wide(a, b);
}

/** How many words a number in an open interval takes; `fine` asks for all of float64's digits. */
const openWords = (fine: boolean): 1 | 2 => (fine ? 2 : 1);

/** Numbers in (0, 1), of {@link openWords} words: the midpoints of 2^32 or 2^52 equal steps. */
export function openInterval(words: readonly Value[]): Value {
  const [a, b] = words as [Value, Value | undefined];
  if (b === undefined) return mul(add(a, 0.5), 2 ** -32);
  return mul(add(add(mul(upper(a, 27), 2 ** 25), upper(b, 25)), 0.5), 2 ** -52);
}

/** {@link openInterval} for each element of a shape. */
export const drawOpen = (generator: Generator, shape: Shape, fine: boolean): Value =>
  openInterval(drawWords(generator, shape, openWords(fine)));
