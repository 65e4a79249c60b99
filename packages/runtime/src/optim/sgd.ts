import { perCall } from "../js.ts";
import { checkRange } from "./check.ts";
import { type Floating, Optimizer, type Params, type State } from "./optimizer.ts";

export interface SGDOptions {
  /** Default 1e-3. */
  lr: number;
  /** The part of the earlier direction that a step keeps. Default 0. */
  momentum: number;
  /** The part of a new gradient that is left out of the direction. Default 0. */
  dampening: number;
  /** Times the parameter, it is added to the gradient. Default 0. */
  weightDecay: number;
  /** Looks one step ahead (Nesterov). Default false. */
  nesterov: boolean;
  /** Ascends instead of descending. Default false. */
  maximize: boolean;
}

const defaults: SGDOptions = {
  lr: 1e-3,
  momentum: 0,
  dampening: 0,
  weightDecay: 0,
  nesterov: false,
  maximize: false,
};

/** Stochastic gradient descent, with momentum and Nesterov's look ahead if asked for. Source: torch/optim/sgd.py, for one tensor. */
export class SGD extends Optimizer<SGDOptions> {
  constructor(params: Params<SGDOptions>, options: Partial<SGDOptions> = {}) {
    super(params, defaults, options, arguments);
  }

  protected override check({ lr, momentum, weightDecay, dampening, nesterov }: SGDOptions): void {
    checkRange(this, "lr", lr);
    checkRange(this, "momentum", momentum);
    checkRange(this, "weightDecay", weightDecay);
    if (nesterov && (momentum === 0 || dampening !== 0))
      throw new RangeError("SGD: Nesterov momentum requires a momentum and zero dampening");
  }

  protected begin(): State {
    return {};
  }

  protected update(param: Floating, grad: Floating, state: State, group: SGDOptions): void {
    const { momentum, dampening, nesterov } = group;
    const direction = this.decayed(param, grad, group);
    if (momentum === 0) {
      param.add_(direction, { alpha: perCall(() => -group.lr) });
      return;
    }
    state.step ??= state.momentum_buffer === undefined ? 0 : 1;
    const velocity = this.keptIn(state, "momentum_buffer", param, -0);
    // The first direction is the gradient itself: it is added to −0, which keeps the bits of every number. 0 would not keep −0.
    const share = perCall(() => (state.step === 0 ? 1 : 1 - dampening));
    const rate = perCall(() => {
      this.counted(state);
      return -group.lr;
    });
    velocity.mul_(momentum).add_(direction, { alpha: share });
    const ahead = nesterov ? this.passing(direction.add(velocity, { alpha: momentum })) : velocity;
    param.add_(ahead, { alpha: rate });
  }
}
