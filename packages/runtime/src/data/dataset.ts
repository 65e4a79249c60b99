/** Datasets: samples by position, or one after another. Source: torch.utils.data on pytorch.org/docs/stable. */
import { dtypes, elementCount, ShapeError, showArgument, showShape } from "@fuseau/ir";
import { checkMade } from "../entry/made.ts";
import { checkMethods, type Takes } from "../entry/methods.ts";
import { callGiven } from "../entry/operation.ts";
import { type AnyTensor, type DType, fromTypedArray, type Tensor, type TypedArray } from "../js.ts";
import { atCaller } from "../messages/stack.ts";
import { checkTensor } from "./check.ts";
import { arrayOver } from "./elements.ts";

/**
 * Samples by position, from 0 to `length` − 1. An array is one. `at` may return a promise; then the samples are read by `for await`. A
 * dataset that fetches many samples faster than one by one has `batchAt`, whose result is the batch.
 */
export interface Dataset<T> {
  readonly length: number;
  at(index: number): T | undefined;
}

/** A dataset that makes its own batches. */
export interface BatchedDataset<T, B> extends Dataset<T> {
  batchAt(indexes: readonly number[]): B;
}

/** Samples one after another. It may be iterated any number of times. */
export type IterableDataset<T> = Iterable<T> | AsyncIterable<T>;

/** The shape and dtype of one row. */
export type Row<T> =
  T extends Tensor<infer S, infer D>
    ? Tensor<S extends [number, ...infer R extends number[]] ? R : number[], D>
    : never;

/** An unknown number of rows. */
export type RowsOf<T> =
  T extends Tensor<infer S, infer D>
    ? Tensor<S extends [number, ...infer R extends number[]] ? [number, ...R] : number[], D>
    : never;

/** One row of each tensor, and several rows of each. */
type EachRow<Ts extends readonly AnyTensor[]> = { -readonly [K in keyof Ts]: Row<Ts[K]> };
type EachRows<Ts extends readonly AnyTensor[]> = { -readonly [K in keyof Ts]: RowsOf<Ts[K]> };

/** The stored rows of one tensor. */
interface Table {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** The number of elements in a row. */
  readonly row: number;
  readonly elements: TypedArray;
}

/** Tensors with equally many rows. */
function checkRows(tensors: readonly unknown[]): AnyTensor[] {
  if (tensors.length === 0) throw new TypeError("TensorDataset: takes one tensor or more");
  const given = tensors.map((x, k) => checkTensor("TensorDataset", `tensors[${k}]`, x));
  const [first] = given as [AnyTensor, ...AnyTensor[]];
  for (const [k, { shape }] of given.entries()) {
    if (shape.length === 0)
      throw new ShapeError(
        `TensorDataset: tensors[${k}] has no axis, and the first one counts the samples (of one sample: x.unsqueeze(0))`,
      );
    if (shape[0] !== first.shape[0])
      throw new ShapeError(
        `TensorDataset: Size mismatch between tensors (tensors[0] has shape ${showShape(first.shape)} and tensors[${k}] has ${showShape(shape)}; the first axis counts the samples)`,
      );
  }
  return given;
}

/**
 * Rows of tensors that belong together: sample i is row i of each (PyTorch: `TensorDataset`). The tensors are computed, and their elements
 * copied, when it is made: later writes to them are not seen, and they may be disposed of. Batches are copied without a program, so that
 * nothing is compiled for them and no large operand is moved.
 * @throws ShapeError when the tensors have different numbers of rows; TypeError for what is no tensor.
 */
export class TensorDataset<const Ts extends readonly AnyTensor[]>
  implements BatchedDataset<EachRow<Ts>, EachRows<Ts>>
{
  protected static readonly takes: Takes = { at: "index", batchAt: "indexes" };
  readonly length: number;
  readonly #tables: readonly Table[];

  constructor(...tensors: Ts) {
    checkMethods(new.target);
    const given = atCaller(new.target, () => checkRows(tensors));
    this.length = given[0]!.shape[0] ?? 0;
    this.#tables = given.map((x) => ({
      dtype: x.dtype,
      shape: x.shape.slice(1),
      row: elementCount(x.shape.slice(1)),
      elements: x.toTypedArray(),
    }));
  }

  /**
   * Row `index` of each tensor.
   * @throws RangeError when there is none.
   */
  at(index: number): EachRow<Ts> {
    const [place] = checkIndexes([index], this.length);
    return this.#tables.map((table) => gather(table, [place!], table.shape)) as EachRow<Ts>;
  }

  /**
   * The rows at these positions of each tensor, in the order given.
   * @throws RangeError when one of them does not exist.
   */
  batchAt(indexes: readonly number[]): EachRows<Ts> {
    const places = checkIndexes(indexes, this.length);
    return this.#tables.map((table) =>
      gather(table, places, [places.length, ...table.shape]),
    ) as EachRows<Ts>;
  }
}

function gather(
  { dtype, row, elements }: Table,
  places: readonly number[],
  shape: readonly number[],
): AnyTensor {
  const bytes = row * dtypes[dtype].bytes;
  const from = new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
  const into = new Uint8Array(places.length * bytes);
  for (const [k, place] of places.entries())
    into.set(from.subarray(place * bytes, (place + 1) * bytes), k * bytes);
  return fromTypedArray(arrayOver[dtype](into.buffer, places.length * row), { shape, dtype });
}

/** @throws RangeError unless the position is from 0 up to but without `length`. */
function checkIndexes(indexes: readonly number[], length: number, made = ""): readonly number[] {
  if (!Array.isArray(indexes))
    throw new TypeError(`indexes must be an array, but got ${showArgument(indexes)}`);
  for (const index of indexes) {
    if (!(Number.isInteger(index) && index >= 0 && index < length))
      throw new RangeError(`${made}index ${showArgument(index)} is out of range for ${length} samples`);
  }
  return indexes;
}

/** @throws TypeError unless it has a length and samples by position. */
export function checkDataset<T>(op: string, dataset: Dataset<T>): Dataset<T> {
  const { length, at } = dataset ?? {};
  if (typeof dataset === "object" && Number.isSafeInteger(length) && typeof at === "function") return dataset;
  throw new TypeError(
    `${op}: a dataset has a length and a method at(index), as an array has, but got ${showArgument(dataset)}`,
  );
}

export const isBatched = <T>(dataset: Dataset<T>): dataset is BatchedDataset<T, unknown> =>
  "batchAt" in dataset && typeof dataset.batchAt === "function";

/** The result of `at` for a sample that exists. */
type At<D> = D extends { at(index: number): infer T } ? Exclude<T, undefined> : never;

/**
 * The samples of a dataset at some positions, in the order given (PyTorch: `Subset`).
 * @throws RangeError for a position that does not exist.
 */
export class Subset<D extends Dataset<unknown>> implements Dataset<At<D>> {
  protected static readonly takes: Takes = { at: "index" };
  readonly dataset: D;
  readonly indexes: readonly number[];
  /** Present if the dataset makes its own batches. */
  readonly batchAt: D extends BatchedDataset<unknown, infer B>
    ? (indexes: readonly number[]) => B
    : undefined;

  constructor(dataset: D, indexes: Iterable<number>) {
    checkMade(new.target, arguments, { any: { dataset }, iterable: { indexes } });
    checkMethods(new.target);
    atCaller(new.target, () => checkDataset("Subset", dataset));
    this.dataset = dataset;
    this.indexes = atCaller(new.target, () => checkIndexes([...indexes], dataset.length, "Subset: "));
    const batchAt = isBatched(dataset)
      ? (places: readonly number[]) =>
          callGiven(
            dataset.batchAt,
            [checkIndexes(places, this.length).map((place) => this.indexes[place]!)],
            dataset,
          )
      : undefined;
    this.batchAt = batchAt as this["batchAt"];
  }

  get length(): number {
    return this.indexes.length;
  }

  at(index: number): At<D> {
    const [place] = checkIndexes([index], this.length);
    return callGiven(this.dataset.at, [this.indexes[place!]!], this.dataset) as At<D>;
  }
}

/**
 * The samples of several datasets, one dataset after another (PyTorch: `ConcatDataset`).
 * @throws TypeError when there is none.
 */
export class ConcatDataset<T> implements Dataset<T> {
  protected static readonly takes: Takes = { at: "index" };
  readonly datasets: readonly Dataset<T>[];
  readonly length: number;
  /** The position of each dataset's first sample. */
  readonly #starts: readonly number[];

  constructor(datasets: Iterable<Dataset<T>>) {
    checkMade(new.target, arguments, { iterable: { datasets } });
    checkMethods(new.target);
    this.datasets = atCaller(new.target, () => {
      const list = [...datasets].map((dataset) => checkDataset("ConcatDataset", dataset));
      if (list.length === 0) throw new TypeError("ConcatDataset: datasets should not be an empty iterable");
      return list;
    });
    let length = 0;
    this.#starts = this.datasets.map((dataset) => {
      length += dataset.length;
      return length - dataset.length;
    });
    this.length = length;
  }

  /** @throws RangeError when there is none. */
  at(index: number): T | undefined {
    checkIndexes([index], this.length);
    let part = this.#starts.length - 1;
    while (this.#starts[part]! > index) part--;
    const dataset = this.datasets[part]!;
    return callGiven(dataset.at, [index - this.#starts[part]!], dataset);
  }
}
