/** Elements left out at random while a module learns. Source: torch.nn.Dropout. */
import { type AnyTensor, dropout, type Generator, ones } from "../js.ts";
import { checkMade } from "./check.ts";
import type { Same } from "./flow.ts";
import type { InitOptions } from "./init.ts";
import { Layer } from "./layer.ts";

abstract class Dropping extends Layer<Same> {
  readonly p: number;
  readonly generator: Generator | undefined;

  /** @throws RangeError when p is not from 0 to 1. */
  constructor(p = 0.5, options: InitOptions = {}) {
    checkMade(new.target, { share: { p } }, options, { generator: "generator" });
    super();
    this.p = p;
    this.generator = options.generator;
  }

  override get isFresh(): boolean {
    return this.training;
  }

  protected drop(x: AnyTensor): AnyTensor {
    const { p, generator } = this;
    return dropout(x, p, generator === undefined ? {} : { generator });
  }
}

/** In training each element is 0 with probability p, and else divided by 1 − p. */
export class Dropout extends Dropping {
  protected run(input: AnyTensor): AnyTensor {
    return this.training ? this.drop(input) : input;
  }
}

/** The same for whole channels of x [N, C, ...]. */
class ChannelDropout extends Dropping {
  protected run(input: AnyTensor): AnyTensor {
    if (!this.training) return input;
    const channels = input.shape.map((size, axis) => (axis < 2 ? size : 1));
    return input.mul(this.drop(ones(channels as readonly number[], { dtype: input.dtype })));
  }
}

export class Dropout1d extends ChannelDropout {}
export class Dropout2d extends ChannelDropout {}
export class Dropout3d extends ChannelDropout {}

/** −λα of {@link SELU}: what its elements are at most below zero. */
const saturated = -1.7580993408473766;

/** What is dropped is as SELU is far below zero, and mean and deviation stay (Klambauer et al., 2017). */
export class AlphaDropout extends Dropping {
  protected run(input: AnyTensor): AnyTensor {
    if (!this.training) return input;
    const { p } = this;
    const isKept = this.drop(ones([...input.shape] as readonly number[], { dtype: input.dtype })).gt(0);
    const scale = 1 / Math.sqrt((saturated * saturated * p + 1) * (1 - p));
    if (p === 1) return input.mul(0);
    return input
      .where(isKept, saturated)
      .mul(scale)
      .sub(saturated * scale * p);
  }
}
