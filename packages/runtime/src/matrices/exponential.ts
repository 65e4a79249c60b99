/** exp(A) = Σ Aᵏ / k! of matrices, by scaling and squaring. */
import * as record from "../record.ts";
import { filled } from "../tape/constants.ts";
import type { Value } from "../value.ts";
import { checkSquare, decompose, forEachMatrix, Gathered, matricesOf, mT } from "./decompose.ts";

/** With terms up to this power, the error for a matrix whose rows sum to at most ½ is below 2⁻⁵³. */
const DEGREE = 16;
/** The powers that are computed. The polynomial is one in the last of them, whose coefficients are polynomials in those before. */
const POWERS = 4;

/** k! by k, up to that of the degree. */
const factorials = factorialsTo(DEGREE);

function factorialsTo(most: number): Float64Array {
  const found = new Float64Array(most + 1).fill(1);
  for (let k = 2; k <= most; k++) found[k] = k * found[k - 1]!;
  return found;
}

/** exp(A) of each matrix. Its derivative is the corner of exp([[Aᵀ, G], [0, Aᵀ]]) (Mathias, 1996). */
export function exponential(x: Value): Value {
  checkSquare(x);
  const n = x.node.shape.at(-1) as number;
  const compute = (a: Value): readonly [Value] => {
    const matrices = matricesOf(a);
    const found = new Gathered(a, matrices.leading, [n, n]);
    const scratch = Array.from({ length: POWERS + 1 }, () => new Float64Array(n * n));
    forEachMatrix(matrices, (matrix) => found.add(exponentialOf(matrix, n, scratch)));
    return [found.toValue()];
  };
  const [result] = decompose("matrixExp", [x], compute, (a) => [
    (g) => {
      const { dtype, shape } = a.node;
      const [row, column] = [shape.length - 1, shape.length - 2];
      const above = record.concat([mT(a), g], row);
      const below = record.concat([filled(dtype, shape, 0), mT(a)], row);
      const whole = exponential(record.concat([above, below], column));
      const starts = shape.map((_, axis) => (axis === row ? n : 0));
      return [
        record.slice(
          whole,
          starts,
          shape.map(() => 1),
          shape,
        ),
      ];
    },
  ]);
  return result;
}

/**
 * exp(matrix) in one of the scratch matrices; `matrix` is overwritten. Source: Paterson and Stockmeyer, On the number of nonscalar
 * multiplications necessary to evaluate polynomials (1973): 6 products for the 16 terms.
 */
function exponentialOf(
  matrix: Float64Array,
  n: number,
  [second, third, fourth, one, other]: readonly Float64Array[],
): Float64Array {
  let norm = 0;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = i * n; j < (i + 1) * n; j++) sum += Math.abs(matrix[j]!);
    norm = Math.max(norm, sum);
  }
  const halvings = Number.isFinite(norm) ? Math.max(0, Math.ceil(Math.log2(norm)) + 1) : 0;
  divide(matrix, 2 ** halvings);
  multiply(matrix, matrix, second!, n);
  multiply(second!, matrix, third!, n);
  multiply(second!, second!, fourth!, n);
  let [sum, next] = [one!, other!];
  for (let i = 0; i < sum.length; i++) sum[i] = fourth![i]! / factorials[DEGREE]!;
  for (let from = DEGREE - POWERS; ; from -= POWERS) {
    const by1 = factorials[from + 1]!;
    const by2 = factorials[from + 2]!;
    const by3 = factorials[from + 3]!;
    for (let i = 0; i < sum.length; i++) sum[i]! += matrix[i]! / by1 + (second![i]! / by2 + third![i]! / by3);
    for (let i = 0; i < sum.length; i += n + 1) sum[i]! += 1 / factorials[from]!;
    if (from === 0) break;
    multiply(sum, fourth!, next, n);
    [sum, next] = [next, sum];
  }
  for (let step = 0; step < halvings; step++) {
    multiply(sum, sum, next, n);
    [sum, next] = [next, sum];
  }
  return sum;
}

function divide(x: Float64Array, divisor: number): void {
  for (let i = 0; i < x.length; i++) x[i]! /= divisor;
}

/** The product of a and b. Four rows of b at a time, so that an element of the product is loaded and stored once for them. */
function multiply(a: Float64Array, b: Float64Array, product: Float64Array, n: number): void {
  product.fill(0);
  const whole = n - (n % 4);
  for (let i = 0; i < n; i++) {
    const [begin, end] = [i * n, (i + 1) * n];
    for (let k = 0; k < whole; k += 4) addFour(product, begin, end, a, begin + k, b, k * n, n);
    for (let k = whole; k < n; k++) {
      const factor = a[begin + k]!;
      for (let j = begin, other = k * n; j < end; j++, other++) product[j]! += factor * b[other]!;
    }
  }
}

function addFour(
  product: Float64Array,
  begin: number,
  end: number,
  a: Float64Array,
  from: number,
  b: Float64Array,
  row: number,
  n: number,
): void {
  const first = a[from]!;
  const second = a[from + 1]!;
  const third = a[from + 2]!;
  const fourth = a[from + 3]!;
  for (let j = begin, other = row; j < end; j++, other++)
    product[j]! +=
      first * b[other]! + second * b[other + n]! + (third * b[other + 2 * n]! + fourth * b[other + 3 * n]!);
}
