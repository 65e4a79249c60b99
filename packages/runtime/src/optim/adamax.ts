/** Adamax, in the order of operations of torch/optim/adamax.py for one tensor. */
import { perCall } from "../js.ts";
import { type Floating, Optimizer, type Params, type State } from "./optimizer.ts";

export interface AdamaxOptions {
  /** Default 2e-3. */
  lr: number;
  /** The parts of the average of gradients, and of their maximum, that a step keeps. Default [0.9, 0.999]. */
  betas: readonly [number, number];
  /** Added to the divisor, so that it is not zero. Default 1e-8. */
  eps: number;
  /** Times the parameter, it is added to the gradient. Default 0. */
  weightDecay: number;
  /** Ascends instead of descending. Default false. */
  maximize: boolean;
}

const defaults: AdamaxOptions = {
  lr: 2e-3,
  betas: [0.9, 0.999],
  eps: 1e-8,
  weightDecay: 0,
  maximize: false,
};

/** Adam with a decaying maximum of the gradients instead of the root of the average of squares (Kingma and Ba, 2015, section 7). */
export class Adamax extends Optimizer<AdamaxOptions> {
  constructor(params: Params<AdamaxOptions>, options: Partial<AdamaxOptions> = {}) {
    super(params, defaults, options, arguments);
  }

  protected begin(param: Floating): State {
    return { step: 0, exp_avg: this.kept(param), exp_inf: this.kept(param) };
  }

  protected update(param: Floating, grad: Floating, state: State, group: AdamaxOptions): void {
    const [beta1, beta2] = group.betas;
    const direction = this.decayed(param, grad, group);
    const average = (state.exp_avg as Floating).lerp_(direction, 1 - beta1);
    const size = this.passing(this.passing(direction.abs()).add(group.eps));
    const largest = (state.exp_inf as Floating).mul_(beta2).maximum_(size);
    const rate = perCall(() => -(group.lr / (1 - beta1 ** this.counted(state))));
    param.addcdiv_(average, largest, { value: rate });
  }
}
