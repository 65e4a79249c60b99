/** RAdam, in the order of operations of torch/optim/radam.py for one tensor. */
import { perCall } from "../js.ts";
import { type Floating, Optimizer, type Params, type State } from "./optimizer.ts";

export interface RAdamOptions {
  /** Default 1e-3. */
  lr: number;
  /** The parts of the averages of gradients, and of their squares, that a step keeps. Default [0.9, 0.999]. */
  betas: readonly [number, number];
  /** Added to the divisor, so that it is not zero. Default 1e-8. */
  eps: number;
  /** Times the parameter, it is added to the gradient. Default 0. */
  weightDecay: number;
  /** Ascends instead of descending. Default false. */
  maximize: boolean;
}

const defaults: RAdamOptions = {
  lr: 1e-3,
  betas: [0.9, 0.999],
  eps: 1e-8,
  weightDecay: 0,
  maximize: false,
};

/**
 * Adam with a warm-up of its own (Liu and others, 2020). It divides by the root of the squares only when enough steps are known to estimate
 * its variance, and then corrects for that variance.
 */
export class RAdam extends Optimizer<RAdamOptions> {
  constructor(params: Params<RAdamOptions>, options: Partial<RAdamOptions> = {}) {
    super(params, defaults, options, arguments);
  }

  protected begin(param: Floating): State {
    return { step: 0, exp_avg: this.kept(param), exp_avg_sq: this.kept(param) };
  }

  protected update(param: Floating, grad: Floating, state: State, group: RAdamOptions): void {
    const { eps } = group;
    const [beta1, beta2] = group.betas;
    const direction = this.decayed(param, grad, group);
    const average = (state.exp_avg as Floating).lerp_(direction, 1 - beta1);
    const squares = (state.exp_avg_sq as Floating).mul_(beta2);
    squares.addcmul_(direction, direction, { value: 1 - beta2 });
    // The number is negative, to differ from the weight of the average: at the first step both would be equal, and equal numbers share one
    // scalar, which would need a program for that step alone.
    const corrected = this.passing(average.div(perCall(() => beta1 ** this.counted(state) - 1)));
    const scaled = this.passing(corrected.mul(perCall(() => group.lr)));
    // While the variance is unknown, the factor is clamped to 1, so that a jitted step is recorded once.
    const isKnown = (): boolean => lengthAt(state.step as number, beta2) > 5;
    const divisor = this.passing(this.passing(squares.sqrt()).add(eps));
    const ratio = this.passing(
      this.passing(divisor.reciprocal()).mul(perCall(() => (1 - beta2 ** (state.step as number)) ** 0.5)),
    );
    const low = perCall(() => (isKnown() ? -Infinity : 1));
    const high = perCall(() => (isKnown() ? Infinity : 1));
    const factor = this.passing(this.passing(ratio.clampMin(low)).clampMax(high));
    const adapted = this.passing(scaled.mul(factor));
    const change = this.passing(
      adapted.mul(perCall(() => (isKnown() ? rectification(state.step as number, beta2) : 1))),
    );
    param.add_(change);
  }
}

const longest = (beta2: number): number => 2 / (1 - beta2) - 1;

/** The number of steps in a simple moving average that is like the average of squares. */
const lengthAt = (step: number, beta2: number): number =>
  longest(beta2) - (2 * step * beta2 ** step) / (1 - beta2 ** step);

/** Scales the variance of a short average to that of a long one. */
function rectification(step: number, beta2: number): number {
  const [most, now] = [longest(beta2), lengthAt(step, beta2)];
  return Math.sqrt(((now - 4) * (now - 2) * most) / ((most - 4) * (most - 2) * now));
}
