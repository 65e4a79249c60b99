/** RAdam, in the order of operations of torch/optim/radam.py for one tensor. */
import { perCall } from "../js.ts";
import { type Floating, Optimizer, type Params, type State } from "./optimizer.ts";

export interface RAdamOptions {
  /** 1e-3 */
  lr: number;
  /** How much of the averages of gradients, and of their squares, a step keeps: [0.9, 0.999]. */
  betas: readonly [number, number];
  /** What keeps the divisor from zero, 1e-8. */
  eps: number;
  /** Added to the gradient, times the parameter; 0. */
  weightDecay: number;
  /** Goes up and not down; false. */
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
 * Adam that divides by the root of the squares only once enough of them are known to tell its variance, and then by how well
 * (Liu and others, 2020): a warm-up of its own.
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
    // By a number below zero, which goes down: at the first step its negation is the weight of the average, and equal numbers are one to the
    // compiler, which would make a program for that step.
    const corrected = this.passing(average.div(perCall(() => beta1 ** this.counted(state) - 1)));
    const scaled = this.passing(corrected.mul(perCall(() => group.lr)));
    // While the variance is not known the factor is clamped to 1, so that a jitted step is recorded once.
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

/** Of how many steps the average of squares is, as a simple moving average would be. */
const lengthAt = (step: number, beta2: number): number =>
  longest(beta2) - (2 * step * beta2 ** step) / (1 - beta2 ** step);

/** By what the variance of a short average is made that of a long one. */
function rectification(step: number, beta2: number): number {
  const [most, now] = [longest(beta2), lengthAt(step, beta2)];
  return Math.sqrt(((now - 4) * (now - 2) * most) / ((most - 4) * (most - 2) * now));
}
