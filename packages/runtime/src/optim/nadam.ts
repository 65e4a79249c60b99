/** NAdam, in the order of operations of torch/optim/nadam.py for one tensor, of PyTorch 2: 1.13 has one factor of the momentum too many. */
import { perCall } from "../js.ts";
import { type Floating, Optimizer, type Params, type State } from "./optimizer.ts";

export interface NAdamOptions {
  /** 2e-3 */
  lr: number;
  /** How much of the averages of gradients, and of their squares, a step keeps: [0.9, 0.999]. */
  betas: readonly [number, number];
  /** What keeps the divisor from zero, 1e-8. */
  eps: number;
  /** Added to the gradient, times the parameter; 0. */
  weightDecay: number;
  /** How fast the momentum gets to the first of the betas from half of it, 4e-3. */
  momentumDecay: number;
  /** Goes up and not down; false. */
  maximize: boolean;
}

const defaults: NAdamOptions = {
  lr: 2e-3,
  betas: [0.9, 0.999],
  eps: 1e-8,
  weightDecay: 0,
  momentumDecay: 4e-3,
  maximize: false,
};

/** Adam with Nesterov's momentum, which looks one step ahead (Dozat, 2016). */
export class NAdam extends Optimizer<NAdamOptions> {
  constructor(params: Params<NAdamOptions>, options: Partial<NAdamOptions> = {}) {
    super(params, defaults, options, arguments);
  }

  protected begin(param: Floating): State {
    return { step: 0, mu_product: 1, exp_avg: this.kept(param), exp_avg_sq: this.kept(param) };
  }

  protected update(param: Floating, grad: Floating, state: State, group: NAdamOptions): void {
    const { eps, momentumDecay } = group;
    const [beta1, beta2] = group.betas;
    const direction = this.decayed(param, grad, group);
    const average = (state.exp_avg as Floating).lerp_(direction, 1 - beta1);
    const squares = (state.exp_avg_sq as Floating).mul_(beta2);
    squares.addcmul_(direction, direction, { value: 1 - beta2 });
    const momentum = (step: number): number => beta1 * (1 - 0.5 * 0.96 ** (step * momentumDecay));
    const step = (): number => state.step as number;
    const product = (): number => state.mu_product as number;
    // The number is negative, since at the first step its negation is the weight of the squares, and equal numbers are one to the compiler,
    // which would make a program for that step.
    const falling = this.passing(squares.div(perCall(() => beta2 ** this.counted(state) - 1)));
    const divisor = this.passing(this.passing(this.passing(falling.neg()).sqrt()).add(eps));
    const share = perCall(() => {
      // PyTorch keeps the product in float32.
      state.mu_product = Math.fround(product() * momentum(step()));
      return (-group.lr * (1 - momentum(step()))) / (1 - product());
    });
    param.addcdiv_(direction, divisor, { value: share });
    const rest = perCall(() => {
      const next = momentum(step() + 1);
      return (-group.lr * next) / (1 - product() * next);
    });
    param.addcdiv_(average, divisor, { value: rest });
  }
}
