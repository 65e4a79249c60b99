/** The source of random numbers: a seed, and how many words of its sequence have been used. */
import { showArgument } from "@fuseau/ir";
import { trimmed } from "../messages/stack.ts";
import { perCall, refuseRead } from "../tracing.ts";

/** The whole state of a {@link Generator}: `getState` returns it and `setState` takes it. */
export interface GeneratorState {
  /** From 0 to 2^64 − 1. */
  readonly seed: bigint;
  /** Words used so far; a multiple of 4. */
  readonly offset: number;
}

/** A range of a generator's words: those of the key's sequence, from `offset` on. */
export interface Stretch {
  readonly keyLow: number;
  readonly keyHigh: number;
  readonly offset: number;
}

/** {@link takeWords}, with access to the class's private fields. */
let take: (generator: Generator, words: number) => Stretch;

/** The seed of a generator that was given none: PyTorch's number. */
const DEFAULT_SEED = 67_280_421_310_721n;
/** The number of words, which is counted in float64. */
const MOST_WORDS = 2 ** 53;

/**
 * A source of random numbers (PyTorch: `torch.Generator`): the words of Philox4x32-10 under a 64-bit seed. Word i is a function of the seed
 * and i alone, so results do not depend on fusion, on threads, or on when they are computed. Each op takes its words when it is recorded;
 * docs/random.md says how many. They are not the numbers that PyTorch draws from the same seed.
 */
export class Generator {
  #seed: bigint;
  #offset = 0;

  /** @throws what {@link manualSeed} throws. */
  constructor(seed: number | bigint = DEFAULT_SEED) {
    const own = checkedSeed("Generator", seed, Generator);
    this.#seed = own;
    perCall(() => this.#begin(own));
  }

  /**
   * Starts the sequence of a seed; returns the generator itself. A negative seed means itself plus 2^64.
   * @throws TypeError unless it is an integer; RangeError beyond 64 bits.
   */
  manualSeed(seed: number | bigint): this {
    const own = checkedSeed("manualSeed", seed, this.manualSeed);
    perCall(() => this.#begin(own));
    return this;
  }

  #begin(seed: bigint, offset = 0): void {
    this.#seed = seed;
    this.#offset = offset;
  }

  /** Starts the sequence of a seed that the host chooses; returns the seed, which is below 2^53. */
  seed(): bigint {
    refuseRead("seed");
    this.manualSeed(unforeseen());
    return this.#seed;
  }

  /** The seed of the present sequence. */
  initialSeed(): bigint {
    refuseRead("initialSeed");
    return this.#seed;
  }

  getState(): GeneratorState {
    refuseRead("getState");
    return { seed: this.#seed, offset: this.#offset };
  }

  /**
   * Sets the state.
   * @throws TypeError unless {@link getState} returned it.
   */
  setState(state: GeneratorState): this {
    const { seed, offset } = state ?? {};
    const valid = typeof seed === "bigint" && Number.isInteger(offset) && offset >= 0 && offset % 4 === 0;
    if (!valid || offset > MOST_WORDS)
      throw trimmed(
        new TypeError(
          "setState: RNG state is wrong: it is what getState() gives, { seed, offset } with a bigint and a multiple of 4",
        ),
        this.setState,
      );
    const own = checkedSeed("setState", seed, this.setState);
    perCall(() => this.#begin(own, offset));
    return this;
  }

  static {
    take = (generator, words) => generator.#take(words);
  }

  #take(words: number): Stretch {
    const offset = this.#offset;
    const next = offset + Math.ceil(words / 4) * 4;
    if (next > MOST_WORDS) throw new RangeError("the generator has given all its 2^53 words; seed it anew");
    this.#offset = next;
    return {
      keyLow: Number(BigInt.asUintN(32, this.#seed)),
      keyHigh: Number(this.#seed >> 32n),
      offset,
    };
  }
}

/**
 * Takes the next words of a generator, in whole blocks of four, so that every range begins with a block.
 * @throws RangeError when no words are left.
 */
export const takeWords = (generator: Generator, words: number): Stretch => take(generator, words);

/** @throws TypeError, RangeError. */
/** `entered` is what the user called. */
function checkedSeed(op: string, seed: number | bigint, entered: unknown): bigint {
  if (typeof seed !== "bigint" && !Number.isInteger(seed))
    throw trimmed(
      new TypeError(`${op}: the seed must be an integer, but got ${showArgument(seed)}`),
      entered,
    );
  const whole = BigInt(seed);
  if (whole < -(2n ** 63n) || whole >= 2n ** 64n)
    throw trimmed(
      new RangeError(
        `${op}: Overflow when unpacking long (the seed must be within [-2^63, 2^64 - 1], but got ${whole})`,
      ),
      entered,
    );
  return BigInt.asUintN(64, whole);
}

/** A seed of 53 bits, as PyTorch's. */
const unforeseen = (): bigint => BigInt(Math.floor(Math.random() * 2 ** 53));

/** The generator of ops that are given none. The host chooses its seed, unless {@link manualSeed} sets one. */
export const defaultGenerator: Generator = new Generator(unforeseen());

/** An option of random ops: the generator to draw from, by default the default one. */
export interface GeneratorOptions {
  readonly generator?: Generator | undefined;
}

export const generatorOf = (options: GeneratorOptions | undefined): Generator =>
  generatorOr(options?.generator);

/**
 * The given generator, or the default one.
 * @throws TypeError for anything else.
 */
export function generatorOr(asked: unknown): Generator {
  if (asked === undefined || asked === null) return defaultGenerator;
  if (asked instanceof Generator) return asked;
  throw new TypeError(`expected a Generator object for argument 'generator', but got ${showArgument(asked)}`);
}
