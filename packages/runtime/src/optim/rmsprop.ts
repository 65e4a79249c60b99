/** RMSprop, in the order of operations of torch/optim/rmsprop.py for one tensor. */
import { perCall } from "../js.ts";
import { type Floating, Optimizer, type Params, type State } from "./optimizer.ts";

export interface RMSpropOptions {
  /** Default 0.01. */
  lr: number;
  /** The part of the average of squares that a step keeps. Default 0.99. */
  alpha: number;
  /** Added to the divisor, so that it is not zero. Default 1e-8. */
  eps: number;
  /** Times the parameter, it is added to the gradient. Default 0. */
  weightDecay: number;
  /** The part of the earlier direction that a step keeps. Default 0. */
  momentum: number;
  /** Divides by the standard deviation instead of the root of the squares. Default false. */
  centered: boolean;
  /** Ascends instead of descending. Default false. */
  maximize: boolean;
}

const defaults: RMSpropOptions = {
  lr: 1e-2,
  alpha: 0.99,
  eps: 1e-8,
  weightDecay: 0,
  momentum: 0,
  centered: false,
  maximize: false,
};

/** Gradients divided by the root of an average of their squares (Hinton, 2012); centered, by their standard deviation (Graves, 2013). */
export class RMSprop extends Optimizer<RMSpropOptions> {
  constructor(params: Params<RMSpropOptions>, options: Partial<RMSpropOptions> = {}) {
    super(params, defaults, options, arguments);
  }

  protected begin(param: Floating): State {
    return { step: 0, square_avg: this.kept(param) };
  }

  protected update(param: Floating, grad: Floating, state: State, group: RMSpropOptions): void {
    const { alpha, eps, momentum, centered } = group;
    const direction = this.decayed(param, grad, group);
    const squares = state.square_avg as Floating;
    const rate = perCall(() => {
      this.counted(state);
      return -group.lr;
    });
    squares.mul_(alpha).addcmul_(direction, direction, { value: 1 - alpha });
    const average = centered ? this.keptIn(state, "grad_avg", param).lerp_(direction, 1 - alpha) : null;
    const variance =
      average === null ? squares : this.passing(squares.addcmul(average, average, { value: -1 }));
    const divisor = this.passing(this.passing(variance.sqrt()).add(eps));
    if (momentum === 0) param.addcdiv_(direction, divisor, { value: rate });
    else {
      const velocity = this.keptIn(state, "momentum_buffer", param);
      velocity.mul_(momentum).addcdiv_(direction, divisor);
      param.add_(velocity, { alpha: rate });
    }
  }
}
