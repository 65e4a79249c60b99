/** Elements left out at random while a module learns. Source: torch.nn.Dropout and its kin. */

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

  /** @throws RangeError when p is not from 0 to 1. */
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

/** In training each element is 0 with probability p, and else divided by 1 − p. */
export class Dropout extends by(dropout) {}

/** The same for whole channels of x [N, C, L] or [C, L]. */
export class Dropout1d extends by(dropout1d) {}
/** The same for whole channels of x [N, C, ...]. */
export class Dropout2d extends by(dropout2d) {}
/** The same for whole channels of x [N, C, D, H, W] or [C, D, H, W]. */
export class Dropout3d extends by(dropout3d) {}

/** What is dropped is as SELU is far below zero, and mean and deviation stay (Klambauer et al., 2017). */
export class AlphaDropout extends by(alphaDropout) {}
/** The same for whole channels of x [N, C, ...]. */
export class FeatureAlphaDropout extends by(featureAlphaDropout) {}
