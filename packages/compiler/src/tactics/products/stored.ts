/** Sums that are stored unchanged: they can be computed at their destination. */
import { type DType, type Integer, printInteger, type Statement } from "@fuseau/ir";
import { asNumber } from "../polynomial.ts";
import { type Nest, type Product, sumType } from "./nest.ts";
import { type Strided, strided } from "./operand.ts";
import type { Step } from "./plan.ts";

/**
 * The destination of the only product's sums, if they are only stored, with neighbouring columns contiguous; else null. `alongDepth` is
 * along columns.
 */
export function storedAt(
  nest: Nest,
  steps: readonly Step[],
  dtypeOf: (buffer: number) => DType,
): Strided | null {
  const [first, second] = steps.slice(-2);
  if (first?.kind !== "multiply" || second?.kind !== "rows") return null;
  if (steps.filter(({ kind }) => kind === "multiply").length > 1) return null;
  return storeOf(nest, first.product, second.body, dtypeOf);
}

/** The same for a product and the statements that use its sums. */
export function storeOf(
  { dependence, row }: Nest,
  product: Product,
  body: readonly Statement[],
  dtypeOf: (buffer: number) => DType,
): Strided | null {
  const { accumulator, column, cells } = product;
  const [loop, ...beside] = withoutIntegers(body);
  if (loop?.kind !== "for" || beside.length > 0 || column === null || row === null) return null;
  const { axis, extent } = loop.axis;
  if (printInteger(dependence.inline(extent)) !== printInteger(column.extent)) return null;
  const [value, store, ...others] = withoutIntegers(loop.body);
  if (value?.kind !== "let" || value.value.kind !== "result" || others.length > 0) return null;
  if (store?.kind !== "store" || store.combine !== "set") return null;
  if (value.value.accumulator !== accumulator.accumulator) return null;
  if (cells ? !isAxis(value.value.cell, axis) : axis !== column.axis) return null;
  if (store.value.kind !== "local" || store.value.local !== value.local) return null;
  const type = sumType(product);
  if (accumulator.to !== type || value.dtype !== type || dtypeOf(store.buffer) !== type) return null;
  const place = strided(dependence, store, row.axis, axis);
  return place !== null && asNumber(place.alongDepth) === 1 ? place : null;
}

const withoutIntegers = (body: readonly Statement[]): Statement[] =>
  body.filter(({ kind }) => kind !== "integer");

const isAxis = (integer: Integer, axis: number): boolean => integer.kind === "axis" && integer.axis === axis;
