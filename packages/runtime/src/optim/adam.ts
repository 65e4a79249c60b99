/** Adam and AdamW, in the order of operations of torch/optim/adam.py for one tensor. */
import { perCall } from "../js.ts";
import { type Floating, Optimizer, type Params, type State } from "./optimizer.ts";

export interface AdamOptions {
  /** Default 1e-3. */
  lr: number;
  /** The parts of the averages of gradients, and of their squares, that a step keeps. Default [0.9, 0.999]. */
  betas: readonly [number, number];
  /** Added to the divisor, so that it is not zero. Default 1e-8. */
  eps: number;
  /** Default 0; for AdamW 0.01. */
  weightDecay: number;
  /** Divides by the largest average of squares so far. Default false. */
  amsgrad: boolean;
  /** Ascends instead of descending. Default false. */
  maximize: boolean;
}

const defaults: AdamOptions = {
  lr: 1e-3,
  betas: [0.9, 0.999],
  eps: 1e-8,
  weightDecay: 0,
  amsgrad: false,
  maximize: false,
};

/**
 * Adam (Kingma and Ba, 2015): averages of gradients and of their squares, both corrected for starting at zero. `weightDecay` times the
 * parameter is added to the gradient.
 */
export class Adam extends Optimizer<AdamOptions> {
  /** The defaults of options. */
  protected static readonly defaults: AdamOptions = defaults;

  constructor(params: Params<AdamOptions>, options: Partial<AdamOptions> = {}) {
    super(params, (new.target as typeof Adam).defaults, options, arguments);
  }

  protected begin(param: Floating): State {
    return { step: 0, exp_avg: this.kept(param), exp_avg_sq: this.kept(param) };
  }

  protected update(param: Floating, grad: Floating, state: State, group: AdamOptions): void {
    const { eps } = group;
    const [beta1, beta2] = group.betas;
    const average = state.exp_avg as Floating;
    const squares = state.exp_avg_sq as Floating;
    const rate = perCall(() => -(group.lr / (1 - beta1 ** this.counted(state))));
    const direction = this.decayed(param, grad, group);
    average.lerp_(direction, 1 - beta1);
    squares.mul_(beta2).addcmul_(direction, direction, { value: 1 - beta2 });
    const largest = group.amsgrad ? this.keptIn(state, "max_exp_avg_sq", param).maximum_(squares) : squares;
    const root = this.passing(largest.sqrt());
    const corrected = this.passing(root.div(perCall(() => (1 - beta2 ** (state.step as number)) ** 0.5)));
    const divisor = this.passing(corrected.add(eps));
    param.addcdiv_(average, divisor, { value: rate });
  }
}

/** Adam whose weights decay separately from the gradient (Loshchilov and Hutter, 2019). */
export class AdamW extends Adam {
  protected static override readonly defaults: AdamOptions = { ...defaults, weightDecay: 1e-2 };

  protected override update(param: Floating, grad: Floating, state: State, group: AdamOptions): void {
    if (group.weightDecay !== 0) param.mul_(perCall(() => 1 - group.lr * group.weightDecay));
    super.update(param, grad, state, group);
  }

  /** The weights have decayed before, so the gradient stays. */
  protected override decayed(param: Floating, grad: Floating, { maximize }: AdamOptions): Floating {
    return super.decayed(param, grad, { weightDecay: 0, maximize });
  }
}
