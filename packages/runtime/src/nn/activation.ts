/** Activations as layers. Each is PyTorch's module of that name, and calls the function of that name. */

import { checkMade } from "../entry/made.ts";
import {
  type AnyTensor,
  celu,
  elu,
  type GeluOptions,
  type Generator,
  gelu,
  glu,
  type Halved,
  hardshrink,
  hardsigmoid,
  hardswish,
  hardtanh,
  leakyRelu,
  logSigmoid,
  logSoftmax,
  mish,
  prelu,
  relu,
  relu6,
  rrelu,
  ShapeError,
  selu,
  sigmoid,
  silu,
  softmax,
  softmin,
  softplus,
  softshrink,
  softsign,
  type Tensor,
  tanh,
  tanhshrink,
  threshold,
  zeros,
} from "../js.ts";
import type { DTypeIn, Flow, Same, ShapeIn } from "./flow.ts";
import { constant_, type InitOptions } from "./init.ts";
import { Layer, type LayerOptions, layerOptions } from "./layer.ts";
import { type Parameter, parameter } from "./parameter.ts";

/** One result for each element, of the same shape. */
export abstract class Activation extends Layer<Same> {}

type Elementwise = (x: AnyTensor) => AnyTensor;

/** An activation without further arguments. */
export class PlainActivation extends Activation {
  readonly #fn: Elementwise;

  constructor(fn: Elementwise) {
    checkMade(new.target, arguments, { function: { fn } });
    super();
    this.#fn = fn;
  }

  protected run(input: AnyTensor): AnyTensor {
    return this.#fn(input);
  }
}

const plain = (fn: Elementwise): (new () => PlainActivation) =>
  class extends PlainActivation {
    constructor() {
      checkMade(new.target, arguments, {});
      super(fn);
    }
  };

/** max(0, x) */
export class ReLU extends plain(relu) {}
/** min(max(0, x), 6) */
export class ReLU6 extends plain(relu6) {}
/** x·sigmoid(x) */
export class SiLU extends plain(silu) {}
/** x·tanh(softplus(x)) */
export class Mish extends plain(mish) {}
/** tanh(x) */
export class Tanh extends plain(tanh) {}
/** 1 / (1 + exp(−x)) */
export class Sigmoid extends plain(sigmoid) {}
/** log(sigmoid(x)) */
export class LogSigmoid extends plain(logSigmoid) {}
/** scale·elu(x), with the numbers that keep mean and variance */
export class SELU extends plain(selu) {}
/** relu6(x + 3) / 6 */
export class Hardsigmoid extends plain(hardsigmoid) {}
/** x·hardsigmoid(x) */
export class Hardswish extends plain(hardswish) {}
/** x / (1 + |x|) */
export class Softsign extends plain(softsign) {}
/** x − tanh(x) */
export class Tanhshrink extends plain(tanhshrink) {}

/** An activation with one number, 0.5 by default. */
const shrink = (
  fn: (x: AnyTensor, lambda: number) => AnyTensor,
): (new (
  lambda?: number,
) => PlainActivation) =>
  class extends PlainActivation {
    constructor(lambda = 0.5) {
      checkMade(new.target, arguments, { number: { lambda } });
      super((x) => fn(x, lambda));
    }
  };

/** x, but zero in [−λ, λ] (0.5). */
export class Hardshrink extends shrink(hardshrink) {}
/** x moved toward zero by λ (0.5); zero in [−λ, λ]. */
export class Softshrink extends shrink(softshrink) {}

/** x above the threshold, `value` elsewhere. */
export class Threshold extends PlainActivation {
  constructor(above: number, value: number) {
    checkMade(new.target, arguments, { number: { threshold: above, value } });
    super((x) => threshold(x, above, value));
  }
}

/** x·Φ(x), or its approximation by tanh. */
export class GELU extends Activation {
  readonly approximate: NonNullable<GeluOptions["approximate"]>;

  constructor(options: GeluOptions = {}) {
    checkMade(new.target, arguments, {}, options, { approximate: ["none", "tanh"] });
    super();
    this.approximate = options.approximate ?? "none";
  }

  protected run(input: AnyTensor): AnyTensor {
    return gelu(input, { approximate: this.approximate });
  }
}

/** x above zero, slope·x below. The default slope is 0.01. */
export class LeakyReLU extends Activation {
  readonly negativeSlope: number;

  constructor(negativeSlope = 0.01) {
    checkMade(new.target, arguments, { number: { negativeSlope } });
    super();
    this.negativeSlope = negativeSlope;
  }

  protected run(input: AnyTensor): AnyTensor {
    return leakyRelu(input, this.negativeSlope);
  }
}

/** x above zero, α·(exp(x) − 1) below (α = 1). */
export class ELU extends Activation {
  readonly alpha: number;

  constructor(alpha = 1) {
    checkMade(new.target, arguments, { number: { alpha } });
    super();
    this.alpha = alpha;
  }

  protected run(input: AnyTensor): AnyTensor {
    return elu(input, this.alpha);
  }
}

/** x above zero, α·(exp(x/α) − 1) below (α = 1). */
export class CELU extends Activation {
  readonly alpha: number;

  constructor(alpha = 1) {
    checkMade(new.target, arguments, { number: { alpha } });
    super();
    this.alpha = alpha;
  }

  protected run(input: AnyTensor): AnyTensor {
    return celu(input, this.alpha);
  }
}

/** x above zero, weight·x below. `weight` has one element, or one for each channel (axis 1); at first 0.25. */
export class PReLU extends Activation {
  weight: Parameter;

  constructor(numParameters = 1, options: LayerOptions & { init?: number } = {}) {
    checkMade(new.target, arguments, { count: { numParameters } }, options, {
      ...layerOptions,
      init: "number",
    });
    super();
    const { init = 0.25, dtype = "float32" } = options;
    this.weight = parameter(constant_(zeros([numParameters], { dtype }), init));
    this.keepFields();
  }

  protected run(input: AnyTensor): AnyTensor {
    return prelu(input, this.weight);
  }
}

/**
 * x above zero, slope·x below. In training, slopes are drawn between `lower` (1/8) and `upper` (1/3); otherwise they are the mean of both.
 */
export class RReLU extends Activation {
  readonly lower: number;
  readonly upper: number;
  readonly generator: Generator | undefined;

  constructor(lower = 1 / 8, upper = 1 / 3, options: InitOptions = {}) {
    checkMade(new.target, arguments, { number: { lower, upper } }, options, { generator: "generator" });
    super();
    this.lower = lower;
    this.upper = upper;
    this.generator = options.generator;
  }

  protected run(input: AnyTensor): AnyTensor {
    const { lower, upper, training, generator } = this;
    return rrelu(input, lower, upper, generator === undefined ? { training } : { training, generator });
  }
}

/** log(1 + exp(βx)) / β, and x itself where βx is above the threshold. */
export class Softplus extends Activation {
  readonly beta: number;
  readonly threshold: number;

  constructor(beta = 1, threshold = 20) {
    checkMade(new.target, arguments, { number: { beta, threshold } });
    super();
    this.beta = beta;
    this.threshold = threshold;
  }

  protected run(input: AnyTensor): AnyTensor {
    return softplus(input, this.beta, this.threshold);
  }
}

/** x kept in [minVal, maxVal]. */
export class Hardtanh extends Activation {
  readonly minVal: number;
  readonly maxVal: number;

  constructor(minVal = -1, maxVal = 1) {
    checkMade(new.target, arguments, { number: { minVal, maxVal } });
    super();
    this.minVal = minVal;
    this.maxVal = maxVal;
  }

  protected run(input: AnyTensor): AnyTensor {
    return hardtanh(input, this.minVal, this.maxVal);
  }
}

type Along = (x: AnyTensor, dim: number) => AnyTensor;

/** An activation along an axis. */
export class AlongAxis extends Activation {
  readonly #fn: Along;
  readonly dim: number;

  constructor(fn: Along, dim: number) {
    checkMade(new.target, arguments, { function: { fn }, integer: { dim } });
    super();
    this.#fn = fn;
    this.dim = dim;
  }

  protected run(input: AnyTensor): AnyTensor {
    return this.#fn(input, this.dim);
  }
}

/** PyTorch guesses an axis that is left out, and warns; here it must be given. */
const along = (fn: Along): (new (dim: number) => AlongAxis) =>
  class extends AlongAxis {
    constructor(dim: number) {
      checkMade(new.target, arguments, { integer: { dim } });
      super(fn, dim);
    }
  };

/** exp(x) divided by its sum along `dim`. */
export class Softmax extends along(softmax) {}
/** log(softmax(x)) along `dim`. */
export class LogSoftmax extends along(logSoftmax) {}
/** softmax(−x) along `dim`. */
export class Softmin extends along(softmin) {}

/** Softmax of the channels of x [N, C, H, W] or [C, H, W]. */
export class Softmax2d extends plain((x) => {
  if (x.ndim !== 3 && x.ndim !== 4)
    throw new ShapeError(`Softmax2d: expected 3D or 4D input (got ${x.ndim}D input)`);
  return softmax(x, -3);
}) {}

export interface HalvedFlow<A extends number> extends Flow {
  readonly output: Tensor<Halved<ShapeIn<this>, A>, DTypeIn<this>>;
}

/** a·sigmoid(b) of the halves a and b along an axis, the last by default. */
export class GLU<const A extends number = -1> extends Layer<HalvedFlow<A>> {
  readonly dim: number;

  constructor(dim?: A) {
    checkMade(new.target, arguments, { integer: { dim: dim ?? -1 } });
    super();
    this.dim = dim ?? -1;
  }

  /** @throws ShapeError for an odd size. */
  protected run(input: AnyTensor): AnyTensor {
    return glu(input, this.dim);
  }
}
