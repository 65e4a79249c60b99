/** Layers that drop random elements in training. Source: torch.nn.Dropout and its like. */

import { checkMade, type Given } from "../entry/made.ts";
import {
  type AnyTensor,
  alphaDropout,
  type DropoutOptions,
  dropout,
  dropout1d,
  dropout2d,
  dropout3d,
  featureAlphaDropout,
  type Generator,
} from "../js.ts";
import type { Same } from "./flow.ts";
import type { InitOptions } from "./init.ts";
import { Layer } from "./layer.ts";

type Drop = (x: AnyTensor, p: number, options: DropoutOptions) => AnyTensor;

class Dropping extends Layer<Same> {
  readonly #drop: Drop;
  readonly p: number;
  readonly generator: Generator | undefined;

  /** @throws RangeError unless p is from 0 to 1. */
  constructor(drop: Drop, given: Given, p: number, options: InitOptions) {
    checkMade(new.target, given, { share: { p } }, options, { generator: "generator" });
    super();
    this.#drop = drop;
    this.p = p;
    this.generator = options.generator;
  }

  override get isFresh(): boolean {
    return this.training;
  }

  protected run(input: AnyTensor): AnyTensor {
    const { p, training, generator } = this;
    return this.#drop(input, p, generator === undefined ? { training } : { training, generator });
  }
}

/* @__NO_SIDE_EFFECTS__ */
const by = (drop: Drop): (new (p?: number, options?: InitOptions) => Dropping) =>
  class extends Dropping {
    constructor(p = 0.5, options: InitOptions = {}) {
      super(drop, arguments, p, options);
    }
  };

/** In training, each element is 0 with probability p, and otherwise divided by 1 − p. */
export class Dropout extends by(dropout) {}

/** {@link Dropout} of whole channels of x [N, C, L] or [C, L]. */
export class Dropout1d extends by(dropout1d) {}
/** {@link Dropout} of whole channels of x [N, C, ...]. */
export class Dropout2d extends by(dropout2d) {}
/** {@link Dropout} of whole channels of x [N, C, D, H, W] or [C, D, H, W]. */
export class Dropout3d extends by(dropout3d) {}

/** Dropped elements become the limit of SELU at −∞; mean and standard deviation stay (Klambauer et al., 2017). */
export class AlphaDropout extends by(alphaDropout) {}
/** {@link AlphaDropout} of whole channels of x [N, C, ...]. */
export class FeatureAlphaDropout extends by(featureAlphaDropout) {}
