/**
 * Names the operation that recorded a failed value, and its line, in the error of a kernel. Kernels know neither, since programs that
 * differ only in these are one program. So the failing op is found afterwards, by computing op by op.
 */
import { elementCount, isFloat, pointwiseOps, type TypedArray } from "@fuseau/ir";
import { blameEarlier, type Origin, recordedAt } from "../../origin.ts";
import { Value } from "../../value.ts";

/** Computes a value and returns its elements. */
type Read = (value: Value) => TypedArray;

/** True for errors that kernels throw because of elements. */
export const isOfElements = (error: unknown): error is RangeError =>
  error instanceof RangeError &&
  (error.message.startsWith("index ") || error.message.includes(": ZeroDivision"));

/**
 * The error with the name and the line of the op that failed. Computing `wanted` has failed; the values beneath are computed here, as far
 * as needed. The value that failed is marked.
 */
export const blamed = (error: RangeError, wanted: readonly Value[], read: Read): RangeError =>
  blameEarlier(withOrigin(error, wanted, read));

function withOrigin(error: RangeError, wanted: readonly Value[], read: Read): RangeError {
  try {
    for (const value of uncomputed(wanted)) {
      const found = faultOf(value, read);
      if (found === null) continue;
      value.hasFailed = true;
      Value.failures++;
      return new RangeError(sentence(value.origin, found), { cause: error });
    }
  } catch {
    // If memory has run out by now, the kernel's own message stays.
  }
  if (!error.message.startsWith("index ")) return error;
  return new RangeError(`gather or scatter: ${error.message}`, { cause: error });
}

interface Fault {
  /** The name of the op, for values without the name of the user's call. */
  readonly op: string;
  readonly what: string;
}

const sentence = (origin: Origin | null, { op, what }: Fault): string =>
  origin === null ? `${op}: ${what}` : `${origin.op}: ${what}${recordedAt(origin)}`;

/** The values beneath `wanted` that are not computed yet, inputs first. Iterative, since chains may be 100,000 long. */
function uncomputed(wanted: readonly Value[]): Value[] {
  const order: Value[] = [];
  const seen = new Set<Value>();
  const stack = wanted.map((value) => ({ value, next: 0 }));
  while (stack.length > 0) {
    const top = stack[stack.length - 1] as { value: Value; next: number };
    const { value } = top;
    if (top.next === 0 && (seen.has(value) || value.storage !== null)) {
      stack.pop();
      continue;
    }
    seen.add(value);
    const input = value.inputs[top.next++];
    if (input !== undefined) {
      stack.push({ value: input, next: 0 });
      continue;
    }
    order.push(value);
    stack.pop();
  }
  return order;
}

function faultOf({ node, inputs, origin }: Value, read: Read): Fault | null {
  if (node.op === "gather" || node.op === "scatter") {
    const { axis } = node.attributes;
    const size = (inputs[0] as Value).node.shape[axis] as number;
    const index = movedFrom(inputs[1] as Value);
    const places = read(index);
    const place = firstPlace(places, (element) => element < 0 || element >= size);
    if (place === -1) return null;
    const range = size === 0 ? "there are no places" : `places are 0 to ${size - 1}`;
    return {
      op: node.op,
      what: `index ${places[place]} is out of bounds for dimension ${axis - (origin?.batchAxes ?? 0)} with size ${size} (${showPlace(givenIndex(index), place)} of the index; ${range})`,
    };
  }
  if (node.op !== "pointwise" || !pointwiseOps[node.attributes.fn].mayFail || isFloat(node.dtype))
    return null;
  const divisor = movedFrom(inputs[1] as Value);
  const place = firstPlace(read(divisor), (element) => Number(element) === 0);
  if (place === -1) return null;
  return {
    op: node.attributes.fn,
    what: `ZeroDivisionError (an integer was divided by 0; replace the zeros of the divisor, or make one operand floating): ${showPlace(divisor, place)} of the divisor`,
  };
}

/** The value beneath reshapes and expands: it has the same elements, and is smaller. */
function movedFrom(value: Value): Value {
  let moved = value;
  while (moved.storage === null && (moved.node.op === "reshape" || moved.node.op === "expand"))
    moved = moved.inputs[0] as Value;
  return moved;
}

/**
 * The index as the user gave it, element for element: before it was cast, and before negative ones were counted from the front
 * (`fromFront`). Only its shape is used.
 */
function givenIndex(index: Value): Value {
  const count = elementCount(index.node.shape);
  let given = index;
  for (;;) {
    const { node, inputs } = given;
    const fn = node.op === "pointwise" ? node.attributes.fn : node.op;
    const from = fn === "cast" || fn === "reshape" ? inputs[0] : fn === "where" ? inputs[2] : undefined;
    if (from === undefined || elementCount(from.node.shape) !== count) return given;
    given = from;
  }
}

function firstPlace(elements: TypedArray, fails: (element: number | bigint) => boolean): number {
  for (let place = 0; place < elements.length; place++)
    if (fails(elements[place] as number | bigint)) return place;
  return -1;
}

/** `element 3`, or `element [1, 0]` of a tensor with several axes. */
function showPlace({ node: { shape } }: Value, place: number): string {
  if (shape.length < 2) return `element ${place}`;
  const places: number[] = [];
  let rest = place;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis] as number;
    places.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return `element [${places.join(", ")}]`;
}
