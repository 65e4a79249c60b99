/** The order of samples. Source: torch.utils.data on pytorch.org/docs/stable. */
import { showArgument } from "@fuseau/ir";
import type { Kinds } from "../entry/kinds.ts";
import { checkKind } from "../entry/kinds.ts";
import { checkMade, type Made } from "../entry/made.ts";
import { type Generator, multinomial, randint, randperm, tensor } from "../js.ts";
import { atCaller, trimmed } from "../messages/stack.ts";
import { isTensor } from "./check.ts";

/** Positions of samples, iterated anew in each epoch. */
export interface Sampler extends Iterable<number> {
  /** How many there are in an epoch. */
  readonly length: number;
}

/** Lists of positions, one for each batch. */
export interface BatchedSampler extends Iterable<readonly number[]> {
  /** How many batches there are in an epoch. */
  readonly length: number;
}

/** The source of a random order: the default generator, unless another is given. */
export interface RandomSource {
  readonly generator?: Generator;
}

/** 0, 1, … (PyTorch: `SequentialSampler`). */
export class SequentialSampler implements Sampler {
  readonly length: number;

  /** For a dataset, or for that many samples. */
  constructor(source: Sized) {
    checkMade(new.target, arguments, { any: { source } });
    this.length = lengthOf(new.target, source);
  }

  *[Symbol.iterator](): Iterator<number> {
    for (let place = 0; place < this.length; place++) yield place;
  }
}

/** A dataset, or its length. */
export type Sized = number | { readonly length: number };

function lengthOf(made: Made, source: Sized): number {
  const length = typeof source === "number" ? source : source?.length;
  atCaller(made, () => checkKind(made.name, "the number of samples", length, "count"));
  return length;
}

/** Options of {@link RandomSampler}. */
export interface RandomSamplerOptions extends RandomSource {
  /** Allows a sample to be drawn more than once. Default false. */
  readonly replacement?: boolean;
  /** How many are drawn in an epoch; by default all. Without replacement, every sample is drawn before one is drawn again. */
  readonly numSamples?: number;
}

const randomKinds: Kinds<RandomSamplerOptions> = {
  ...{ replacement: "flag", numSamples: "positive", generator: "generator" },
};

/** Every sample once, in an order that is drawn when an epoch begins (PyTorch: `RandomSampler`). */
export class RandomSampler implements Sampler {
  readonly length: number;
  readonly #count: number;
  readonly #replacement: boolean;
  readonly #source: RandomSource;

  constructor(source: Sized, options: RandomSamplerOptions = {}) {
    checkMade(new.target, arguments, { any: { source } }, options, randomKinds);
    const { replacement = false, numSamples, ...random } = options;
    this.#count = lengthOf(new.target, source);
    this.length = numSamples ?? this.#count;
    if (this.#count === 0 && this.length > 0)
      throw trimmed(new RangeError("RandomSampler: there are no samples to draw from"), new.target);
    this.#replacement = replacement;
    this.#source = random;
  }

  *[Symbol.iterator](): Iterator<number> {
    const [count, dtype] = [this.#count, "int32"] as const;
    if (this.#replacement) {
      yield* randint(count, [this.length], { dtype, ...this.#source }).toTypedArray();
      return;
    }
    for (let left = this.length; left > 0; left -= count)
      yield* randperm(count, { dtype, ...this.#source })
        .toTypedArray()
        .subarray(0, left);
  }
}

/** Positions of a list, each once, in an order that is drawn when an epoch begins (PyTorch: `SubsetRandomSampler`). */
export class SubsetRandomSampler implements Sampler {
  readonly indexes: readonly number[];
  readonly #source: RandomSource;

  /** @throws TypeError or RangeError for a position that is no integer from 0 on. */
  constructor(indexes: Iterable<number>, options: RandomSource = {}) {
    checkMade(new.target, arguments, { iterable: { indexes } }, options, { generator: "generator" });
    this.indexes = listOf(indexes) as readonly number[];
    atCaller(new.target, () => {
      for (const [k, index] of this.indexes.entries())
        checkKind("SubsetRandomSampler", `indexes[${k}]`, index, "count");
    });
    this.#source = options;
  }

  get length(): number {
    return this.indexes.length;
  }

  *[Symbol.iterator](): Iterator<number> {
    const order = randperm(this.length, { dtype: "int32", ...this.#source });
    for (const place of order.toTypedArray()) yield this.indexes[place] as number;
  }
}

/** A list, or the elements of a tensor, as numbers. */
const listOf = (given: Iterable<unknown>): readonly unknown[] =>
  Array.from<unknown, unknown>(isTensor(given) ? given.toTypedArray() : given, (element) =>
    typeof element === "bigint" ? Number(element) : element,
  );

/** Options of {@link WeightedRandomSampler}. */
export interface WeightedSamplerOptions extends RandomSource {
  /** Allows a sample to be drawn more than once. Default true. */
  readonly replacement?: boolean;
}

const weightedKinds: Kinds<WeightedSamplerOptions> = { replacement: "flag", generator: "generator" };

/** Draws samples with probabilities proportional to their weights (PyTorch: `WeightedRandomSampler`). */
export class WeightedRandomSampler implements Sampler {
  readonly length: number;
  readonly #weights: Float64Array;
  readonly #replacement: boolean;
  readonly #source: RandomSource;

  /** @throws what `multinomial` throws: for weights that are negative, all 0, or too few to draw without replacement. */
  constructor(weights: Iterable<number>, numSamples: number, options: WeightedSamplerOptions = {}) {
    const op = "WeightedRandomSampler";
    checkMade(
      new.target,
      arguments,
      { iterable: { weights }, positive: { numSamples } },
      options,
      weightedKinds,
    );
    this.length = numSamples;
    const list = listOf(weights);
    this.#weights = Float64Array.from(list, (weight) => (typeof weight === "number" ? weight : Number.NaN));
    const { replacement = true, ...random } = options;
    this.#replacement = replacement;
    this.#source = random;
    const wrong = this.#weights.findIndex((weight) => !(weight >= 0 && weight < Number.POSITIVE_INFINITY));
    if (wrong >= 0)
      throw trimmed(
        new RangeError(
          `${op}: weights must be finite numbers and not negative, but weight ${wrong} is ${showArgument(list[wrong])}`,
        ),
        new.target,
      );
  }

  *[Symbol.iterator](): Iterator<number> {
    const drawn = multinomial(tensor(this.#weights), this.length, {
      replacement: this.#replacement,
      ...this.#source,
    });
    for (const place of drawn.toTypedArray()) yield Number(place);
  }
}

/** The positions of a sampler in lists of `batchSize`. The last list may be shorter, or is left out (PyTorch: `BatchSampler`). */
export class BatchSampler implements BatchedSampler {
  readonly #sampler: Sampler;
  readonly #batchSize: number;
  readonly #dropLast: boolean;

  constructor(sampler: Sampler, batchSize: number, dropLast = false) {
    checkMade(new.target, arguments, { iterable: { sampler }, positive: { batchSize }, flag: { dropLast } });
    this.#sampler = sampler;
    this.#batchSize = batchSize;
    this.#dropLast = dropLast;
  }

  get length(): number {
    const batches = this.#sampler.length / this.#batchSize;
    return this.#dropLast ? Math.floor(batches) : Math.ceil(batches);
  }

  *[Symbol.iterator](): Iterator<readonly number[]> {
    let batch: number[] = [];
    for (const place of this.#sampler) {
      batch.push(place);
      if (batch.length < this.#batchSize) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0 && !this.#dropLast) yield batch;
  }
}
