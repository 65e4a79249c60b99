/** Batches of a dataset, epoch after epoch. Source: torch.utils.data.DataLoader on pytorch.org/docs/stable. */
import { showArgument } from "@fuseau/ir";
import type { Kinds } from "../entry/kinds.ts";
import { checkMade } from "../entry/made.ts";
import { checkMethods, type Takes } from "../entry/methods.ts";
import { asUser, callGiven, isEntry } from "../entry/operation.ts";
import { ofUser, refusedBy } from "../entry/refused.ts";
import { atCaller } from "../messages/stack.ts";
import { type Collated, collate } from "./collate.ts";
import { checkDataset, type Dataset, type IterableDataset, isBatched } from "./dataset.ts";
import {
  type BatchedSampler,
  BatchSampler,
  RandomSampler,
  type RandomSource,
  type Sampler,
  SequentialSampler,
} from "./sampler.ts";

/** What a loader may read. */
export type AnyDataset = Dataset<unknown> | IterableDataset<unknown>;

/** A sample of a dataset, after waiting for it. */
export type SampleOf<D> =
  D extends Dataset<infer T>
    ? Awaited<Exclude<T, undefined>>
    : D extends IterableDataset<infer T>
      ? Awaited<T>
      : never;

/** The default batch of a dataset. */
export type BatchOf<D> = D extends { batchAt(indexes: readonly number[]): infer B }
  ? Awaited<B>
  : Collated<SampleOf<D>>;

/** Options of a {@link DataLoader}. */
export interface DataLoaderOptions<D, B> extends RandomSource {
  /** Samples in a batch; the last batch may have fewer. Default 1. */
  readonly batchSize?: number;
  /** Draws another order for each epoch, from `generator`. Default false. */
  readonly shuffle?: boolean;
  /** Leaves out a last batch that is not full. Default false. */
  readonly dropLast?: boolean;
  /** The order of samples, instead of `shuffle`. */
  readonly sampler?: Sampler;
  /** The samples of each batch, instead of all options above. */
  readonly batchSampler?: BatchedSampler;
  /** Combines samples into a batch. Default `defaultCollate`, unless the dataset makes its own batches. */
  readonly collate?: (samples: SampleOf<D>[]) => B;
  /** How many batches are requested in advance while the caller of `for await` works on one. Default 1. A plain `for` waits for each. */
  readonly prefetch?: number;
}

const kinds: Kinds<DataLoaderOptions<unknown, unknown>> = {
  ...{ batchSize: "positive", shuffle: "flag", generator: "generator", dropLast: "flag" },
  ...{ sampler: "iterable", batchSampler: "iterable", collate: "function", prefetch: "count" },
};

/**
 * Iterates over a dataset in batches, any number of times (PyTorch: `DataLoader`): by `for`, or by `for await`, which is needed for
 * datasets that return promises. Batches of a {@link TensorDataset} are copied without a program; samples of other datasets are combined by
 * `collate`.
 * @throws TypeError for options that contradict each other.
 */
export class DataLoader<D extends AnyDataset, B = BatchOf<D>> implements Iterable<B>, AsyncIterable<B> {
  protected static readonly takes: Takes = { length: "" };
  readonly dataset: D;
  readonly #epochs: Epochs<B>;
  readonly #prefetch: number;

  constructor(dataset: D, options: DataLoaderOptions<D, B> = {}) {
    checkMade(new.target, arguments, { any: { dataset } }, options, kinds);
    checkMethods(new.target);
    this.dataset = dataset;
    this.#prefetch = options.prefetch ?? 1;
    const asked = options as DataLoaderOptions<unknown, B>;
    this.#epochs = atCaller(new.target, () =>
      isPlaced(dataset) ? byPlace(dataset, asked) : byTurn(dataset, asked),
    );
  }

  /**
   * Batches in an epoch.
   * @throws TypeError for an iterable dataset, whose samples nobody has counted.
   */
  get length(): number {
    const { sampler } = this.#epochs;
    if (sampler === null) throw new TypeError("an iterable dataset has no length: it ends when it ends");
    return sampler.length;
  }

  [Symbol.iterator](): Generator<B, void> {
    const batches = this.#batches();
    const go = batches.next.bind(batches);
    // Between a generator and its user, the stack has a frame of the engine's.
    batches.next = function next() {
      try {
        return go();
      } catch (error) {
        throw refusedBy("DataLoader", error, next);
      }
    };
    return batches;
  }

  *#batches(): Generator<B, void> {
    const refuse = (): never => {
      throw new TypeError("DataLoader: the dataset gives promises; write for await (const batch of loader)");
    };
    const epoch = this.#epochs.begin();
    if (Symbol.asyncIterator in epoch) return refuse();
    for (const batch of epoch) {
      if (isPromise(batch)) {
        // A plain `for` refuses promises, so an error of this one is ignored.
        batch.catch(() => {});
        refuse();
      } else yield batch;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<B, void> {
    const epoch = this.#epochs.begin();
    const next = steps(epoch);
    const ahead: Promise<IteratorResult<B, void>>[] = [];
    try {
      for (;;) {
        while (ahead.length <= this.#prefetch) {
          const step = next();
          // An error of a batch that was requested in advance is thrown when it is that batch's turn.
          step.catch(() => {});
          ahead.push(step);
        }
        const step = await ahead.shift()!;
        if (step.done === true) return;
        yield step.value;
      }
    } catch (error) {
      throw refusedBy("DataLoader", error, this[Symbol.asyncIterator]);
    } finally {
      await epoch.return();
    }
  }
}

/** Batches, or promises of them, of one epoch. */
type Epoch<B> = Generator<B | Promise<B>, void> | AsyncGenerator<B, void>;

interface Epochs<B> {
  /** Null if the number of batches is unknown. */
  readonly sampler: BatchedSampler | null;
  begin(): Epoch<B>;
}

const isPromise = <B>(batch: B | Promise<B>): batch is Promise<B> => batch instanceof Promise;

/** A function that requests the next batch. It does not wait for the one before, if the dataset can work on several. */
function steps<B>(epoch: Epoch<B>): () => Promise<IteratorResult<B, void>> {
  if (Symbol.asyncIterator in epoch) return () => epoch.next();
  return async () => {
    const step = epoch.next();
    return step.done === true ? step : { done: false, value: await step.value };
  };
}

const isPlaced = (dataset: AnyDataset): dataset is Dataset<unknown> =>
  typeof dataset === "object" && dataset !== null && "at" in dataset && "length" in dataset;

function byPlace<B>(dataset: Dataset<unknown>, options: DataLoaderOptions<unknown, B>): Epochs<B> {
  checkDataset("DataLoader", dataset);
  const sampler = batchesOf(dataset, options);
  const fetch = fetcher<B>(dataset, options.collate);
  return {
    sampler,
    *begin() {
      for (const indexes of sampler) yield fetch(indexes);
    },
  };
}

/** @throws TypeError for options that exclude each other. */
function batchesOf(dataset: Dataset<unknown>, options: DataLoaderOptions<unknown, unknown>): BatchedSampler {
  const { batchSize = 1, shuffle = false, dropLast = false, generator, sampler, batchSampler } = options;
  if (batchSampler !== undefined) {
    refuseWith("batchSampler", options, ["batchSize", "shuffle", "sampler", "dropLast"]);
    return batchSampler;
  }
  if (sampler !== undefined) refuseWith("sampler", options, ["shuffle"]);
  const shuffled = (): Sampler =>
    dataset.length === 0
      ? new SequentialSampler(dataset)
      : new RandomSampler(dataset, generator === undefined ? {} : { generator });
  const order = sampler ?? (shuffle ? shuffled() : new SequentialSampler(dataset));
  return new BatchSampler(order, batchSize, dropLast);
}

function refuseWith(
  name: string,
  options: DataLoaderOptions<unknown, unknown>,
  others: readonly (keyof DataLoaderOptions<unknown, unknown>)[],
): void {
  const other = others.find((key) => options[key] !== undefined && options[key] !== false);
  if (other !== undefined)
    throw new TypeError(`DataLoader: ${name} option is mutually exclusive with ${other}`);
}

function fetcher<B>(
  dataset: Dataset<unknown>,
  given: DataLoaderOptions<unknown, B>["collate"],
): (indexes: readonly number[]) => B | Promise<B> {
  if (given === undefined && isBatched(dataset))
    return (indexes) => later(callGiven(dataset.batchAt, [indexes], dataset) as B | Promise<B>);
  const join = joiner<B>(given);
  const isOurs = isEntry(dataset.at);
  const all = (indexes: readonly number[]): unknown[] =>
    indexes.map((index) => (isOurs ? dataset.at(index) : later(dataset.at(index))));
  return (indexes) => {
    const samples = isOurs ? all(indexes) : asUser(() => all(indexes));
    const missing = samples.indexOf(undefined);
    if (missing >= 0)
      throw new RangeError(
        `the dataset has no sample ${indexes[missing]}, though its length is ${dataset.length}`,
      );
    return samples.some((sample) => sample instanceof Promise)
      ? Promise.all(samples).then(join)
      : join(samples);
  };
}

/** Combines samples into a batch: a function of the user's, or ours. */
const joiner = <B>(given: DataLoaderOptions<unknown, B>["collate"]): ((samples: unknown[]) => B) =>
  given === undefined
    ? (collate as (samples: unknown[]) => B)
    : (samples) => later(callGiven(given as (samples: unknown[]) => B, [samples]));

/** What a function of the user's gave. If it is a promise, its error is the user's too. */
function later<T>(given: T): T {
  if (!(given instanceof Promise)) return given;
  return given.catch((error: unknown) => {
    throw ofUser(error);
  }) as T;
}

function byTurn<B>(dataset: IterableDataset<unknown>, options: DataLoaderOptions<unknown, B>): Epochs<B> {
  const isAsync = typeof dataset === "object" && dataset !== null && Symbol.asyncIterator in dataset;
  if (!isAsync && typeof (dataset as Iterable<unknown> | null)?.[Symbol.iterator] !== "function")
    throw new TypeError(
      `DataLoader: a dataset has a length and a method at(index), or can be iterated, but got ${showArgument(dataset)}`,
    );
  refuseWith("an iterable dataset", options, ["shuffle", "sampler", "batchSampler"]);
  const { dropLast = false, batchSize: size = 1 } = options;
  const join = joiner<B>(options.collate);
  return {
    sampler: null,
    begin: () => (isAsync ? turns(dataset, size, dropLast, join) : turnsNow(dataset, size, dropLast, join)),
  };
}

function* turnsNow<B>(
  dataset: Iterable<unknown>,
  size: number,
  dropLast: boolean,
  join: (samples: unknown[]) => B,
): Generator<B, void> {
  let samples: unknown[] = [];
  for (const sample of samplesOf(dataset)) {
    if (samples.push(sample) < size) continue;
    yield join(samples);
    samples = [];
  }
  if (samples.length > 0 && !dropLast) yield join(samples);
}

/** The samples of a user's dataset, whose errors are the user's. */
function* samplesOf(dataset: Iterable<unknown>): Generator<unknown, void> {
  try {
    yield* dataset;
  } catch (error) {
    throw ofUser(error);
  }
}

/** The same for samples that have to be waited for. */
async function* samplesLater(dataset: AsyncIterable<unknown>): AsyncGenerator<unknown, void> {
  try {
    yield* dataset;
  } catch (error) {
    throw ofUser(error);
  }
}

/** {@link turnsNow} for samples that have to be waited for. */
async function* turns<B>(
  dataset: AsyncIterable<unknown>,
  size: number,
  dropLast: boolean,
  join: (samples: unknown[]) => B,
): AsyncGenerator<B, void> {
  let samples: unknown[] = [];
  for await (const sample of samplesLater(dataset)) {
    if (samples.push(sample) < size) continue;
    yield join(samples);
    samples = [];
  }
  if (samples.length > 0 && !dropLast) yield join(samples);
}
