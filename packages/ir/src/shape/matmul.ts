/** Matrix products. A 1-D operand is a row or a column whose axis is dropped again; leading axes broadcast. */
import { ShapeError, showShape } from "../errors.ts";
import type { Product } from "./arithmetic.ts";
import { type BroadcastOrFail, broadcastShapes } from "./broadcast.ts";
import { elementCount, type Fits, type Ok, type Shape, type ShowShape, type UnknownRank } from "./shape.ts";

/** The shapes that two operands are multiplied in: `[...batch, m, k]` and `[...batch, k, n]`. */
export interface MatmulShapes {
  readonly batch: Shape;
  readonly m: number;
  readonly k: number;
  readonly n: number;
  /** The shape of the result, without the axes added for 1-D operands. */
  readonly shape: Shape;
}

/**
 * @throws ShapeError when an operand is 0-d, the inner sizes differ, or the leading axes do not broadcast.
 */
export function matmulShapes(a: Shape, b: Shape): MatmulShapes {
  if (a.length === 0 || b.length === 0)
    throw new ShapeError(
      `both arguments to matmul need to be at least 1D, but they are ${a.length}D and ${b.length}D (shapes ${showShape(a)} and ${showShape(b)})`,
    );
  const m = a.length === 1 ? 1 : a[a.length - 2]!;
  const k = a[a.length - 1]!;
  const inner = b.length === 1 ? b[0]! : b[b.length - 2]!;
  const n = b.length === 1 ? 1 : b[b.length - 1]!;
  if (k !== inner) throw new ShapeError(`${innerMismatch(a, b, k, inner)}`);
  const batch = broadcastShapes(a.slice(0, -2), b.slice(0, -2));
  const rows = a.length === 1 ? [] : [m];
  const columns = b.length === 1 ? [] : [n];
  return { batch, m, k, n, shape: [...batch, ...rows, ...columns] };
}

/** PyTorch multiplies a batch with one matrix as one matrix of all rows, and its message says so. */
function innerMismatch(a: Shape, b: Shape, k: number, inner: number): string {
  const shapes = `(inner sizes ${k} and ${inner} of ${showShape(a)} and ${showShape(b)} differ)`;
  if (a.length === 1 && b.length === 1) {
    return `inconsistent tensor size, expected tensor ${showShape(a)} and src ${showShape(b)} to have the same number of elements, but got ${k} and ${inner} elements respectively`;
  }
  const rows = elementCount(a.slice(0, -1));
  if (b.length === 1)
    return `size mismatch, got input (${rows}), mat (${rows}x${k}), vec (${inner}) ${shapes}`;
  if (a.length > 2 && b.length > 2) {
    const batches = elementCount(a.slice(0, -2));
    return `Expected size for first two dimensions of batch2 tensor to be: [${batches}, ${k}] but got: [${batches}, ${inner}]. ${shapes}`;
  }
  return `mat1 and mat2 shapes cannot be multiplied (${rows}x${k} and ${b.slice(-2).join("x")}) ${shapes}`;
}

/** @throws ShapeError unless the shape has that rank. */
export function checkRank(name: string, shape: Shape, rank: number, kind: string): void {
  if (shape.length !== rank)
    throw new ShapeError(`${name} must be a ${kind} (got shape ${showShape(shape)})`);
}

type Differ<
  A extends number[],
  B extends number[],
  K extends number,
  Inner extends number,
> = `(inner sizes ${K} and ${Inner} of ${ShowShape<A>} and ${ShowShape<B>} differ)`;

type InnerMismatch<
  A extends number[],
  B extends number[],
  K extends number,
  Inner extends number,
> = A extends [number]
  ? B extends [number]
    ? `inconsistent tensor size, expected tensor ${ShowShape<A>} and src ${ShowShape<B>} to have the same number of elements, but got ${K} and ${Inner} elements respectively`
    : MatrixMismatch<A, B, K, Inner, 1>
  : A extends [...infer Rows extends number[], number]
    ? MatrixMismatch<A, B, K, Inner, Product<Rows>>
    : never;

type MatrixMismatch<
  A extends number[],
  B extends number[],
  K extends number,
  Inner extends number,
  Rows extends number,
> = B extends [number]
  ? `size mismatch, got input (${Rows}), mat (${Rows}x${K}), vec (${Inner}) ${Differ<A, B, K, Inner>}`
  : [A, B] extends [[...infer Batch extends number[], number, number], [number, number, number, ...number[]]]
    ? Batch extends []
      ? `mat1 and mat2 shapes cannot be multiplied (${Rows}x${K} and ${LastTwo<B>}) ${Differ<A, B, K, Inner>}`
      : `Expected size for first two dimensions of batch2 tensor to be: [${Product<Batch>}, ${K}] but got: [${Product<Batch>}, ${Inner}]. ${Differ<A, B, K, Inner>}`
    : `mat1 and mat2 shapes cannot be multiplied (${Rows}x${K} and ${LastTwo<B>}) ${Differ<A, B, K, Inner>}`;

type LastTwo<B extends number[]> = B extends [
  ...number[],
  infer Rows extends number,
  infer Columns extends number,
]
  ? `${Rows}x${Columns}`
  : never;

type WithBatch<BatchA extends number[], BatchB extends number[], Rest extends number[]> =
  BroadcastOrFail<BatchA, BatchB> extends infer Batch
    ? Batch extends number[]
      ? UnknownRank<Batch> extends true
        ? number[]
        : [...Batch, ...Rest]
      : Batch
    : never;

/** The shape of the product, or the message. */
export type MatmulOrFail<A extends number[], B extends number[]> =
  UnknownRank<A> extends true
    ? number[]
    : UnknownRank<B> extends true
      ? number[]
      : A extends []
        ? `both arguments to matmul need to be at least 1D, but they are 0D and ${B["length"]}D (shapes ${ShowShape<A>} and ${ShowShape<B>})`
        : B extends []
          ? `both arguments to matmul need to be at least 1D, but they are ${A["length"]}D and 0D (shapes ${ShowShape<A>} and ${ShowShape<B>})`
          : A extends [infer K extends number]
            ? B extends [infer Inner extends number]
              ? Fits<K, Inner> extends true
                ? []
                : InnerMismatch<A, B, K, Inner>
              : B extends [
                    ...infer BatchB extends number[],
                    infer Inner extends number,
                    infer N extends number,
                  ]
                ? Fits<K, Inner> extends true
                  ? [...BatchB, N]
                  : InnerMismatch<A, B, K, Inner>
                : never
            : A extends [...infer BatchA extends number[], infer M extends number, infer K extends number]
              ? B extends [infer Inner extends number]
                ? Fits<K, Inner> extends true
                  ? [...BatchA, M]
                  : InnerMismatch<A, B, K, Inner>
                : B extends [
                      ...infer BatchB extends number[],
                      infer Inner extends number,
                      infer N extends number,
                    ]
                  ? Fits<K, Inner> extends true
                    ? WithBatch<BatchA, BatchB, [M, N]>
                    : InnerMismatch<A, B, K, Inner>
                  : never
              : never;

export type Matmul<A extends number[], B extends number[]> = Ok<MatmulOrFail<A, B>>;
