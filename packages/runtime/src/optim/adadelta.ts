/** Adadelta, in the order of operations of torch/optim/adadelta.py for one tensor. */
import { perCall } from "../js.ts";
import { type Floating, Optimizer, type Params, type State } from "./optimizer.ts";

export interface AdadeltaOptions {
  /** Default 1. */
  lr: number;
  /** The part of the averages of squares that a step keeps. Default 0.9. */
  rho: number;
  /** Added to the averages before their roots are taken, so that the divisor is not zero. Default 1e-6. */
  eps: number;
  /** Times the parameter, it is added to the gradient. Default 0. */
  weightDecay: number;
  /** Ascends instead of descending. Default false. */
  maximize: boolean;
}

const defaults: AdadeltaOptions = {
  lr: 1,
  rho: 0.9,
  eps: 1e-6,
  weightDecay: 0,
  maximize: false,
};

/** Gradients scaled by the root of the average square of earlier changes, divided by that of gradients (Zeiler, 2012). */
export class Adadelta extends Optimizer<AdadeltaOptions> {
  constructor(params: Params<AdadeltaOptions>, options: Partial<AdadeltaOptions> = {}) {
    super(params, defaults, options, arguments);
  }

  protected override check(options: AdadeltaOptions): void {
    super.check(options);
    if (options.rho > 1) throw new RangeError(`Adadelta: Invalid rho: ${options.rho} (a number from 0 to 1)`);
  }

  protected begin(param: Floating): State {
    return { step: 0, square_avg: this.kept(param), acc_delta: this.kept(param) };
  }

  protected update(param: Floating, grad: Floating, state: State, group: AdadeltaOptions): void {
    const { rho, eps } = group;
    const direction = this.decayed(param, grad, group);
    const squares = (state.square_avg as Floating).mul_(rho);
    squares.addcmul_(direction, direction, { value: 1 - rho });
    const changes = state.acc_delta as Floating;
    const [gradients, earlier] = [squares, changes].map((x) =>
      this.passing(this.passing(x.add(eps)).sqrt()),
    ) as [Floating, Floating];
    const change = this.passing(this.passing(earlier.div(gradients)).mul(direction));
    changes.mul_(rho).addcmul_(change, change, { value: 1 - rho });
    const rate = perCall(() => {
      this.counted(state);
      return -group.lr;
    });
    param.add_(change, { alpha: rate });
  }
}
