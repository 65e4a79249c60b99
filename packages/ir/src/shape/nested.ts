/** The shape of nested arrays. */
import { ShapeError } from "../errors.ts";
import { showArgument } from "./arguments.ts";
import type { Shape } from "./shape.ts";

/** Numbers, bigints or booleans in arrays of equal lengths, to any depth. */
export type Nested = number | bigint | boolean | readonly Nested[];

/** Deeper nesting than this means an array that contains itself. */
const deepest = 64;

/**
 * The lengths at each depth.
 * @throws ShapeError when arrays of one depth differ in length, or hold both elements and arrays.
 */
export function nestedShape(op: string, nested: Nested): Shape {
  const shape: number[] = [];
  for (let inner = nested; Array.isArray(inner); inner = inner[0]) {
    if (shape.push(inner.length) > deepest)
      throw new ShapeError(`arrays are nested more than ${deepest} deep`);
  }
  checkDepth(op, nested, shape, 0);
  return shape;
}

function checkDepth(op: string, nested: Nested, shape: Shape, depth: number): void {
  if (depth === shape.length) {
    if (Array.isArray(nested)) throw ragged("an element", depth, "an array");
    return;
  }
  if (!Array.isArray(nested))
    throw ragged(`a sequence of length ${shape[depth]}`, depth, showArgument(nested));
  if (nested.length !== shape[depth])
    throw ragged(`sequence of length ${shape[depth]}`, depth, String(nested.length));
  for (const inner of nested) {
    if (depth + 1 < shape.length || Array.isArray(inner)) checkDepth(op, inner, shape, depth + 1);
  }
}

const ragged = (expected: string, depth: number, found: string): ShapeError =>
  new ShapeError(
    `expected ${expected} at dim ${depth} (got ${found}): the nested arrays are ragged: rows at the same depth must have the same length`,
  );

type Ragged = "the nested arrays are ragged: rows at the same depth must have the same length";

type IsUnion<A, Whole = A> = A extends unknown ? ([Whole] extends [A] ? false : true) : never;

type Prepend<Length extends number, Inner> = Inner extends number[] ? [Length, ...Inner] : Inner;

/** The shape of nested literals, or the message. The type `Nested` itself has no known depth, so it is handled first. */
export type NestedShapeOrFail<V> = [Nested] extends [V]
  ? number[]
  : V extends readonly unknown[]
    ? V extends readonly []
      ? [0]
      : InnerShape<NestedShapeOrFail<V[number]>> extends infer Inner
        ? Prepend<V["length"], Inner>
        : never
    : [];

type InnerShape<Shapes> = true extends IsUnion<Shapes> ? Ragged : Shapes;

/** The dtype of nested literals: bool for booleans, int64 for bigints, else float32. */
export type NestedDType<V> = [LeafOf<V>] extends [never]
  ? "float32"
  : [LeafOf<V>] extends [boolean]
    ? "bool"
    : [LeafOf<V>] extends [bigint]
      ? "int64"
      : [number | bigint | boolean] extends [LeafOf<V>]
        ? "bool" | "int64" | "float32"
        : "float32";

type LeafOf<V> = [Nested] extends [V]
  ? number | bigint | boolean
  : V extends readonly (infer Inner)[]
    ? LeafOf<Inner>
    : V;
