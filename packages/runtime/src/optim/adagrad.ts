/** Adagrad, in the order of operations of torch/optim/adagrad.py for one tensor. */
import { perCall } from "../js.ts";
import { type Floating, Optimizer, type Params, type State } from "./optimizer.ts";

export interface AdagradOptions {
  /** Default 0.01. */
  lr: number;
  /** How the rate falls: step k has lr / (1 + (k − 1)·lrDecay). Default 0. */
  lrDecay: number;
  /** Times the parameter, it is added to the gradient. Default 0. */
  weightDecay: number;
  /** The initial value of the sums of squares. Default 0. */
  initialAccumulatorValue: number;
  /** Added to the divisor, so that it is not zero. Default 1e-10. */
  eps: number;
  /** Ascends instead of descending. Default false. */
  maximize: boolean;
}

const defaults: AdagradOptions = {
  lr: 1e-2,
  lrDecay: 0,
  weightDecay: 0,
  initialAccumulatorValue: 0,
  eps: 1e-10,
  maximize: false,
};

/** Gradients divided by the root of the sum of all their squares so far (Duchi, Hazan and Singer, 2011). */
export class Adagrad extends Optimizer<AdagradOptions> {
  constructor(params: Params<AdagradOptions>, options: Partial<AdagradOptions> = {}) {
    super(params, defaults, options, arguments);
  }

  protected begin(param: Floating, { initialAccumulatorValue }: AdagradOptions): State {
    return { step: 0, sum: this.kept(param, initialAccumulatorValue) };
  }

  protected update(param: Floating, grad: Floating, state: State, group: AdagradOptions): void {
    const { eps } = group;
    const direction = this.decayed(param, grad, group);
    const rate = perCall(() => -(group.lr / (1 + (this.counted(state) - 1) * group.lrDecay)));
    const sum = (state.sum as Floating).addcmul_(direction, direction);
    const divisor = this.passing(this.passing(sum.sqrt()).add(eps));
    param.addcdiv_(direction, divisor, { value: rate });
  }
}
