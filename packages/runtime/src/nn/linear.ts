/** Layers that are products along the last axis. */

import type { BilinearShape } from "@fuseau/ir";
import type { Kinds } from "../entry/kinds.ts";
import { checkMade } from "../entry/made.ts";
import { signatureOf } from "../entry/signature.ts";
import { type AnyTensor, bilinear, type DType, linear, type ShapeKey, type Tensor, zeros } from "../js.ts";
import type { DTypeIn, Flow, LastAxis, OfShape, Same, ShapeIn } from "./flow.ts";
import { uniform_ } from "./init.ts";
import { Layer, type LayerOptions, layerOptions } from "./layer.ts";
import { Module } from "./module.ts";
import { type Parameter, parameter } from "./parameter.ts";
import { refusedAt } from "./refused.ts";

const bilinearCall = signatureOf("forward", "input1: tensor, input2: tensor");

export interface LinearFlow<In extends number, Out extends number> extends Flow {
  readonly output: OfShape<LastAxis<ShapeIn<this>, In, Out>, DTypeIn<this>>;
}

export interface LinearOptions extends LayerOptions {
  /** Adds a bias. Default true. */
  readonly bias?: boolean;
}

export const linearOptions: Kinds<LinearOptions> = { ...layerOptions, bias: "flag" };

/**
 * x·weightᵀ + bias. The last axis goes from `inFeatures` to `outFeatures`. `weight` is [out, in], `bias` [out]; both are at first uniform
 * within ±1/√in. Source: torch.nn.Linear.
 */
export class Linear<const In extends number = number, const Out extends number = number> extends Layer<
  LinearFlow<In, Out>
> {
  readonly inFeatures: In;
  readonly outFeatures: Out;
  weight: Parameter<[Out, In]>;
  bias: Parameter<[Out]> | null;

  constructor(inFeatures: In, outFeatures: Out, options: LinearOptions = {}) {
    checkMade(new.target, arguments, { count: { inFeatures, outFeatures } }, options, linearOptions);
    super();
    this.inFeatures = inFeatures;
    this.outFeatures = outFeatures;
    this.weight = uniformParameter([outFeatures, inFeatures], inFeatures, options);
    this.bias = (options.bias ?? true) ? uniformParameter([outFeatures], inFeatures, options) : null;
    this.keepFields();
  }

  protected run(input: AnyTensor): AnyTensor {
    return linear(input, this.weight as AnyTensor, this.bias);
  }
}

/** A parameter that is at first uniform within ±1/√fan. */
export function uniformParameter<const S extends readonly number[]>(
  shape: S,
  fan: number,
  { dtype = "float32", generator }: LayerOptions,
): Parameter<[...S]> {
  const bound = fan === 0 ? 0 : 1 / Math.sqrt(fan);
  const made: AnyTensor = zeros(shape as readonly number[], { dtype: dtype as DType });
  uniform_(made, -bound, bound, generator === undefined ? {} : { generator });
  return parameter(made) as Parameter<[...S]>;
}

/** Σ input1[i]·weight[o, i, j]·input2[j] + bias[o], along the last axes. Source: torch.nn.Bilinear. */
export class Bilinear<
  const In1 extends number = number,
  const In2 extends number = number,
  const Out extends number = number,
> extends Module {
  weight: Parameter<[Out, In1, In2]>;
  bias: Parameter<[Out]> | null;

  constructor(in1Features: In1, in2Features: In2, outFeatures: Out, options: LinearOptions = {}) {
    checkMade(
      new.target,
      arguments,
      { count: { in1Features, in2Features, outFeatures } },
      options,
      linearOptions,
    );
    super();
    this.weight = uniformParameter([outFeatures, in1Features, in2Features], in1Features, options);
    this.bias = (options.bias ?? true) ? uniformParameter([outFeatures], in1Features, options) : null;
    this.keepFields();
  }

  forward<T extends AnyTensor>(
    input1: T,
    input2: AnyTensor,
  ): Tensor<BilinearShape<T[ShapeKey], [Out, In1, In2]>, T["dtype"]> {
    return refusedAt(this.forward, bilinearCall, arguments, () =>
      bilinear(input1, input2, this.weight, this.bias),
    );
  }
}

/** Returns its input. */
export class Identity extends Layer<Same> {
  override get isFresh(): boolean {
    return false;
  }

  protected run(input: AnyTensor): AnyTensor {
    return input;
  }
}
