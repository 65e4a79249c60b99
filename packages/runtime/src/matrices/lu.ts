/** A = P·L·U of matrices of any sizes, and linear systems that are solved with it. */
import { DTypeError, ShapeError, showShape } from "@fuseau/ir";
import { numbersNow } from "../ops/host.ts";
import { narrowed } from "../ops/movement.ts";
import { add, ge, le, sub } from "../ops/pointwise.ts";
import { matmul } from "../ops/product.ts";
import * as record from "../record.ts";
import { zerosOf } from "../tape/constants.ts";
import type { Value } from "../value.ts";
import { checkMatrices, decompose, forEachMatrix, Gathered, matricesOf, mT } from "./decompose.ts";
import { Elimination, eliminate } from "./elimination.ts";
import { banded, solveTriangular } from "./factors.ts";

const strictlyLower = (x: Value): Value => banded(x, (offset) => le(offset, -1));
const upper = (x: Value): Value => banded(x, (offset) => ge(offset, 0));

/** P, L with ones on its diagonal, U, and the rows that were swapped, counted from 1. */
export function triangularFactors(x: Value): readonly [p: Value, l: Value, u: Value, pivots: Value] {
  checkMatrices(x);
  const [m, n] = x.node.shape.slice(-2) as [number, number];
  const k = Math.min(m, n);
  const compute = (a: Value): readonly [Value, Value, Value, Value] => {
    const matrices = matricesOf(a);
    const shapes = [[m, m], [m, k], [k, n], [k]];
    const results = shapes.map((shape) => new Gathered(a, matrices.leading, shape));
    const found = new Elimination(m, n);
    const [p, l, u] = [new Float64Array(m * m), new Float64Array(m * k), new Float64Array(k * n)];
    forEachMatrix(matrices, (matrix) => {
      eliminate(matrix, m, n, found);
      p.fill(0);
      for (const [i, row] of found.rows.entries()) p[row * m + i] = 1;
      for (let i = 0; i < m; i++)
        for (let j = 0; j < n; j++)
          if (j < i) l[i * k + j] = matrix[i * n + j]!;
          else u[i * n + j] = matrix[i * n + j]!;
      for (let i = 0; i < k; i++) l[i * k + i] = 1;
      for (const [part, elements] of [p, l, u, found.pivots].entries()) results[part]!.add(elements);
    });
    return results.map((result) => result.toValue()) as never;
  };
  // The first k rows of L and the first k columns of U are triangles; the parts below and beside them are products with these.
  const [rows, columns] = [
    (y: Value, isRest: boolean): Value =>
      narrowed(y, y.node.shape.length - 2, isRest ? k : 0, isRest ? m - k : k),
    (y: Value, isRest: boolean): Value =>
      narrowed(y, y.node.shape.length - 1, isRest ? k : 0, isRest ? n - k : k),
  ];
  const back = ([p, l, u]: readonly Value[], inside: Value, below: Value, beside: Value): Value => {
    const overU = (y: Value): Value => mT(solveTriangular(columns(u!, false), mT(y), true, false));
    const axis = inside.node.shape.length - 1;
    const right = record.concat([overU(inside), beside], axis);
    const top = solveTriangular(mT(rows(l!, false)), right, true, true);
    return matmul(p!, record.concat([top, overU(below)], axis - 1));
  };
  const [p, l, u, pivots] = decompose("lu", [x], compute, () => [
    () => [null],
    (g, found) => {
      const [own, rest] = [rows(g, false), rows(g, true)];
      const [top, below] = [rows(found[1], false), rows(found[1], true)];
      const inside = sub(strictlyLower(matmul(mT(top), own)), upper(matmul(mT(below), rest)));
      return [back(found, inside, rest, zerosOf(columns(found[2], true)))];
    },
    (g, found) => {
      const [own, rest] = [columns(g, false), columns(g, true)];
      const [first, beside] = [columns(found[2], false), columns(found[2], true)];
      const inside = sub(upper(matmul(own, mT(first))), strictlyLower(matmul(rest, mT(beside))));
      return [back(found, inside, zerosOf(rows(found[1], true)), rest)];
    },
    () => [null],
  ]);
  return [p, l, u, record.cast(pivots, "int32")];
}

/** L below the diagonal and U above, as one matrix. */
export function packed(l: Value, u: Value, m: number, n: number): Value {
  const grown = (x: Value, rows: number, columns: number): Value => {
    const zeros = x.node.shape.map(() => 0);
    const after = x.node.shape.map((size, axis, { length }) =>
      axis === length - 2 ? rows - size : axis === length - 1 ? columns - size : 0,
    );
    return record.pad(x, zeros, after, record.constant(x.node.dtype, 0));
  };
  return add(grown(strictlyLower(l), m, n), grown(u, m, n));
}

/**
 * X of A·X = B, or of Aᵀ·X = B if `isTurned`, from the result of {@link packed} for A.
 * @throws DTypeError unless the pivots are int32, ShapeError unless there is one for each row, RangeError for one that is no row.
 */
export function solvePacked(lu: Value, pivots: Value, b: Value, isTurned: boolean): Value {
  checkMatrices(lu, "LU");
  checkMatrices(b, "B");
  const n = lu.node.shape.at(-1) as number;
  const { dtype, shape } = pivots.node;
  if (dtype !== "int32")
    throw new DTypeError(
      `pivots should be a Tensor of scalar type torch.int32, but it is ${dtype} (give those of linalg.luFactor)`,
    );
  if (shape.at(-1) !== n)
    throw new ShapeError(
      `Number of pivots per batch should be same as the dimension of the matrix, but they have shape ${showShape(shape)} for matrices of size ${n} (give those of linalg.luFactor)`,
    );
  const swaps = numbersNow("compute", pivots);
  const wrong = swaps.find((row) => row < 1 || row > n);
  if (wrong !== undefined)
    throw new RangeError(
      `Pivots given to lu_solve must all be from 1 to LU.size(-2), ${n}, but got ${wrong} (give those of linalg.luFactor)`,
    );
  const permutations = new Gathered(lu, pivots.node.shape.slice(0, -1), [n, n]);
  for (let matrix = 0; matrix < swaps.length / Math.max(1, n); matrix++) {
    const rows = Array.from({ length: n }, (_, i) => i);
    for (let i = 0; i < n; i++) {
      const other = swaps[matrix * n + i]! - 1;
      [rows[i], rows[other]] = [rows[other]!, rows[i]!];
    }
    const p = new Float64Array(n * n);
    for (const [i, row] of rows.entries()) p[i * n + row] = 1;
    permutations.add(p);
  }
  const p = permutations.toValue();
  if (!isTurned) return solveTriangular(lu, solveTriangular(lu, matmul(p, b), false, true), true, false);
  return matmul(mT(p), solveTriangular(mT(lu), solveTriangular(mT(lu), b, false, false), true, true));
}
