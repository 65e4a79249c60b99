/** The order in which samples are taken. Source: torch.utils.data on pytorch.org/docs/stable. */
import { showArgument } from "@fuseau/ir";
import { type Generator, multinomial, randint, randperm, tensor } from "../js.ts";
import { checkOptionNames } from "../messages/options.ts";
import { checkCount } from "./check.ts";

/** Places of samples, anew for each epoch. */
export interface Sampler extends Iterable<number> {
  /** How many there are in an epoch. */
  readonly length: number;
}

/** Lists of places, a list for each batch. */
export interface BatchedSampler extends Iterable<readonly number[]> {
  /** How many batches there are in an epoch. */
  readonly length: number;
}

/** Where an order at random comes from: the default generator, unless another is given. */
export interface RandomSource {
  readonly generator?: Generator;
}

/** 0, 1, … (PyTorch: `SequentialSampler`). */
export class SequentialSampler implements Sampler {
  readonly length: number;

  /** For a dataset, or for so many samples. */
  constructor(source: Sized) {
    this.length = lengthOf("SequentialSampler", source);
  }

  *[Symbol.iterator](): Iterator<number> {
    for (let place = 0; place < this.length; place++) yield place;
  }
}

/** What has a length, or the length itself. */
export type Sized = number | { readonly length: number };

const lengthOf = (op: string, source: Sized): number =>
  checkCount(op, "the number of samples", typeof source === "number" ? source : source?.length, 0);

/** How samples are drawn. */
export interface RandomSamplerOptions extends RandomSource {
  /** A sample may come twice. Default false. */
  readonly replacement?: boolean;
  /** How many are drawn in an epoch; by default as many as there are. Without replacement, all come before one comes again. */
  readonly numSamples?: number;
}

/** Every sample once, in an order that is drawn when an epoch begins (PyTorch: `RandomSampler`). */
export class RandomSampler implements Sampler {
  readonly length: number;
  readonly #count: number;
  readonly #replacement: boolean;
  readonly #source: RandomSource;

  constructor(source: Sized, options: RandomSamplerOptions = {}) {
    checkOptionNames("RandomSampler", options, ["replacement", "numSamples", "generator"]);
    const { replacement = false, numSamples, ...random } = options;
    this.#count = lengthOf("RandomSampler", source);
    this.length =
      numSamples === undefined ? this.#count : checkCount("RandomSampler", "numSamples", numSamples, 1);
    if (this.#count === 0 && this.length > 0)
      throw new RangeError("RandomSampler: there are no samples to draw from");
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

/** How weighted samples are drawn. */
export interface WeightedSamplerOptions extends RandomSource {
  /** A sample may come twice. Default true. */
  readonly replacement?: boolean;
}

/** Samples drawn each with a probability in proportion to its weight (PyTorch: `WeightedRandomSampler`). */
export class WeightedRandomSampler implements Sampler {
  readonly length: number;
  readonly #weights: Float64Array;
  readonly #replacement: boolean;
  readonly #source: RandomSource;

  /** @throws what `multinomial` throws for weights that are negative, all 0, or too few to be drawn without replacement. */
  constructor(weights: Iterable<number>, numSamples: number, options: WeightedSamplerOptions = {}) {
    const op = "WeightedRandomSampler";
    checkOptionNames(op, options, ["replacement", "generator"]);
    this.length = checkCount(op, "numSamples", numSamples, 1);
    this.#weights = Float64Array.from(weights);
    const { replacement = true, ...random } = options;
    this.#replacement = replacement;
    this.#source = random;
    const wrong = this.#weights.findIndex((weight) => !(weight >= 0 && weight < Number.POSITIVE_INFINITY));
    if (wrong >= 0)
      throw new RangeError(
        `${op}: weights must be finite and not negative, but weight ${wrong} is ${this.#weights[wrong]}`,
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

/** The places of a sampler in lists of `batchSize`, the last of which may be shorter, or is left out (PyTorch: `BatchSampler`). */
export class BatchSampler implements BatchedSampler {
  readonly #sampler: Sampler;
  readonly #batchSize: number;
  readonly #dropLast: boolean;

  constructor(sampler: Sampler, batchSize: number, dropLast = false) {
    if (typeof sampler?.[Symbol.iterator] !== "function")
      throw new TypeError(`BatchSampler: a sampler can be iterated, but got ${showArgument(sampler)}`);
    this.#sampler = sampler;
    this.#batchSize = checkCount("BatchSampler", "batchSize", batchSize, 1);
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
