/** ASGD, in the order of operations of torch/optim/asgd.py for one tensor. */
import { perCall } from "../js.ts";
import { checkRanges } from "./check.ts";
import { type Floating, Optimizer, type Params, type State } from "./optimizer.ts";

export interface ASGDOptions {
  /** Default 1e-2. */
  lr: number;
  /** The decay of the parameters; the rate decays with it. Default 1e-4. */
  lambd: number;
  /** The power by which the rate falls. Default 0.75. */
  alpha: number;
  /** The step at which averaging begins. Default 1e6. */
  t0: number;
  /** Times the parameter, it is added to the gradient. Default 0. */
  weightDecay: number;
  /** Ascends instead of descending. Default false. */
  maximize: boolean;
}

const defaults: ASGDOptions = {
  lr: 1e-2,
  lambd: 1e-4,
  alpha: 0.75,
  t0: 1e6,
  weightDecay: 0,
  maximize: false,
};

/** Stochastic gradient descent that also averages the parameters (Polyak and Juditsky, 1992): `state.get(param).ax` has the average. */
export class ASGD extends Optimizer<ASGDOptions> {
  constructor(params: Params<ASGDOptions>, options: Partial<ASGDOptions> = {}) {
    super(params, defaults, options, arguments);
  }

  protected override check({ lr, weightDecay }: ASGDOptions): void {
    checkRanges(this, { lr, weightDecay });
  }

  protected begin(param: Floating, { lr }: ASGDOptions): State {
    return { step: 0, eta: Math.fround(lr), mu: 1, ax: this.kept(param) };
  }

  protected update(param: Floating, grad: Floating, state: State, group: ASGDOptions): void {
    const direction = this.decayed(param, grad, group);
    param.mul_(perCall(() => 1 - group.lambd * (state.eta as number)));
    param.add_(direction, { alpha: perCall(() => -(state.eta as number)) });
    // Until averaging begins, mu is 1 and the average is the parameter: the old average is clamped to 0. So a jitted step is recorded once.
    const average = state.ax as Floating;
    average.clampMin_(perCall(() => (state.mu === 1 ? 0 : -Infinity)));
    average.clampMax_(perCall(() => (state.mu === 1 ? 0 : Infinity)));
    const change = this.passing(this.passing(param.sub(average)).mul(perCall(() => state.mu as number)));
    average.add_(change);
    // PyTorch keeps both in float32.
    perCall(() => {
      const step = this.counted(state);
      state.eta = Math.fround(group.lr / (1 + group.lambd * group.lr * step) ** group.alpha);
      state.mu = Math.fround(1 / Math.max(1, step - group.t0));
      return step;
    });
  }
}
