/** Rows of small numbers, with the ties, NaNs and zeros that order is about, and plain folds of them to compare with. */
import * as fc from "fast-check";
import { type AnyTensor, type DType, tensor } from "fuseau";

const places = fc.constantFrom(0, 1, 2, 3, -1, -2, 7.5, Number.NaN, Number.POSITIVE_INFINITY, -0);
const integers = fc.integer({ min: -3, max: 3 });

/** A matrix of at least one row and column, and its tensor. */
export interface Matrix {
  readonly rows: readonly (readonly number[])[];
  readonly x: AnyTensor;
}

const matrix = (element: fc.Arbitrary<number>, dtype: DType): fc.Arbitrary<Matrix> =>
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 9 }))
    .chain(([rows, columns]) =>
      fc.array(fc.array(element, { minLength: columns, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      }),
    )
    .map((rows) => ({ rows, x: tensor(rows, { dtype }) }));

export const floats = matrix(places, "float32");
export const wholes = matrix(integers, "int64");

/** Ascending, NaN behind everything, equal elements in their order. */
export function orderOf(row: readonly number[]): number[] {
  const after = (a: number, b: number): number => {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
    return a < b ? -1 : a > b ? 1 : 0;
  };
  return row.map((_, place) => place).sort((i, j) => after(row[i]!, row[j]!) || i - j);
}

/** fc.assert of a synchronous property: it throws by itself, the Promise that Biome sees is that of asynchronous ones. */
export function holds<T>(property: fc.IProperty<T>): void {
  void fc.assert(property);
}
