/** RMSprop, in the order of operations of torch/optim/rmsprop.py for one tensor. */
import { perCall } from "../js.ts";
import { type Floating, Optimizer, type Params, type State } from "./optimizer.ts";

export interface RMSpropOptions {
  /** 0.01 */
  lr: number;
  /** How much of the average of squares stays, 0.99. */
  alpha: number;
  /** What keeps the divisor from zero, 1e-8. */
  eps: number;
  /** Added to the gradient, times the parameter; 0. */
  weightDecay: number;
  /** How much of the earlier direction stays, 0. */
  momentum: number;
  /** Divides by the deviation and not by the root of the squares; false. */
  centered: boolean;
  /** Goes up and not down; false. */
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

/** Gradients over the root of an average of their squares (Hinton, 2012); centered, over their deviation (Graves, 2013). */
export class RMSprop extends Optimizer<RMSpropOptions> {
  constructor(params: Params<RMSpropOptions>, options: Partial<RMSpropOptions> = {}) {
    super(params, defaults, options, arguments);
  }

  protected begin(param: Floating, { momentum, centered }: RMSpropOptions): State {
    const state: State = { step: 0, square_avg: this.kept(param) };
    if (momentum > 0) state.momentum_buffer = this.kept(param);
    if (centered) state.grad_avg = this.kept(param);
    return state;
  }

  protected update(param: Floating, grad: Floating, state: State, group: RMSpropOptions): void {
    const { alpha, eps, momentum } = group;
    const direction = this.decayed(param, grad, group);
    const squares = state.square_avg as Floating;
    const rate = perCall(() => {
      this.counted(state);
      return -group.lr;
    });
    squares.mul_(alpha).addcmul_(direction, direction, { value: 1 - alpha });
    const average = state.grad_avg as Floating | undefined;
    average?.lerp_(direction, 1 - alpha);
    const variance =
      average === undefined ? squares : this.passing(squares.addcmul(average, average, { value: -1 }));
    const divisor = this.passing(this.passing(variance.sqrt()).add(eps));
    const velocity = state.momentum_buffer as Floating | undefined;
    if (velocity === undefined) param.addcdiv_(direction, divisor, { value: rate });
    else {
      velocity.mul_(momentum).addcdiv_(direction, divisor);
      param.add_(velocity, { alpha: rate });
    }
  }
}
