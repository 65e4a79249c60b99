/** Rprop, in the order of operations of torch/optim/rprop.py for one tensor. */
import { perCall } from "../js.ts";
import { checkRange } from "./check.ts";
import { type Floating, Optimizer, type Params, type State } from "./optimizer.ts";

export interface RpropOptions {
  /** The length of the first steps. Default 1e-2. */
  lr: number;
  /** The factors of a step's length where the gradient has changed its sign, and where not. Default [0.5, 1.2]. */
  etas: readonly [number, number];
  /** The shortest and the longest step. Default [1e-6, 50]. */
  stepSizes: readonly [number, number];
  /** Ascends instead of descending. Default false. */
  maximize: boolean;
}

const defaults: RpropOptions = {
  lr: 1e-2,
  etas: [0.5, 1.2],
  stepSizes: [1e-6, 50],
  maximize: false,
};

/** The lengths of steps depend on the signs of gradients alone (Riedmiller and Braun, 1993): for whole batches. */
export class Rprop extends Optimizer<RpropOptions> {
  constructor(params: Params<RpropOptions>, options: Partial<RpropOptions> = {}) {
    super(params, defaults, options, arguments);
  }

  protected override check({ lr, etas }: RpropOptions): void {
    checkRange(this, "lr", lr);
    const [shorter, longer] = etas;
    if (!(shorter > 0 && shorter < 1 && longer > 1))
      throw new RangeError(
        `Rprop: Invalid etas: ${shorter}, ${longer} (one between 0 and 1, and one above 1)`,
      );
  }

  protected begin(param: Floating, { lr }: RpropOptions): State {
    return { step: 0, prev: this.kept(param), step_size: this.kept(param, lr) };
  }

  protected update(param: Floating, grad: Floating, state: State, group: RpropOptions): void {
    const [shorter, longer] = group.etas;
    const direction = this.decayed(param, grad, { weightDecay: 0, maximize: group.maximize });
    const earlier = state.prev as Floating;
    const turn = this.passing(this.passing(direction.mul(earlier)).sign());
    const turned = this.passing(turn.lt(0));
    let factor = turn;
    for (const [mask, value] of [
      [this.passing(turn.gt(0)), longer],
      [turned, shorter],
      [this.passing(turn.eq(0)), 1],
    ] as const)
      factor = this.passing(factor.maskedFill(mask, value));
    const size = (state.step_size as Floating).mul_(factor).clamp_(...group.stepSizes);
    // Where the gradient has changed its sign, the parameter stays for a step.
    const going = this.passing(direction.maskedFill(turned, 0));
    param.addcmul_(this.passing(going.sign()), size, { value: -1 });
    earlier.copy_(going);
    perCall(() => this.counted(state));
  }
}
