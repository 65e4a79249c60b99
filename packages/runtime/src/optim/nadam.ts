/** NAdam, in the order of operations of torch/optim/nadam.py for one tensor, in PyTorch 2: 1.13 multiplies by one momentum too many. */
import { perCall } from "../js.ts";
import { type Floating, Optimizer, type Params, type State } from "./optimizer.ts";

export interface NAdamOptions {
  /** Default 2e-3. */
  lr: number;
  /** The parts of the averages of gradients, and of their squares, that a step keeps. Default [0.9, 0.999]. */
  betas: readonly [number, number];
  /** Added to the divisor, so that it is not zero. Default 1e-8. */
  eps: number;
  /** Times the parameter, it is added to the gradient. Default 0. */
  weightDecay: number;
  /** How fast the momentum rises from half of the first beta to the whole. Default 4e-3. */
  momentumDecay: number;
  /** Ascends instead of descending. Default false. */
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
    // The number is negative, to differ from the weight of the squares: at the first step both would be equal, and equal numbers share one
    // scalar, which would need a program for that step alone.
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
