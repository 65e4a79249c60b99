/** Elements left out at random while a module learns. Source: torch.nn.Dropout. */
import { type AnyTensor, dropout, type Generator, ones } from "../js.ts";
import type { Same } from "./flow.ts";
import type { InitOptions } from "./init.ts";
import { Layer } from "./layer.ts";

abstract class Dropping extends Layer<Same> {
  readonly p: number;
  readonly generator: Generator | undefined;

  /** @throws RangeError when p is not from 0 to 1. */
  constructor(p = 0.5, { generator }: InitOptions = {}) {
    super();
    if (!(p >= 0 && p <= 1))
      throw new RangeError(
        `${new.target.name}: dropout probability has to be between 0 and 1, but got ${String(p)}`,
      );
    this.p = p;
    this.generator = generator;
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
