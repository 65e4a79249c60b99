/** Layers: modules of one tensor, whose type says how they change shapes. */

import type { Kinds } from "../entry/kinds.ts";
import { signatureOf } from "../entry/signature.ts";
import type { AnyTensor } from "../js.ts";
import type { Flow, flow, Gives, Takes } from "./flow.ts";
import type { InitOptions } from "./init.ts";
import { Module } from "./module.ts";
import type { FloatDType } from "./parameter.ts";
import { refusedAt } from "./refused.ts";

const forwardCall = signatureOf("forward", "input: tensor");

/** A module of one tensor. F says how it changes a shape, and which shapes it refuses. */
export abstract class Layer<F extends Flow> extends Module {
  declare readonly [flow]: F;

  /** @throws what its operation throws, such as a ShapeError, with the stack of the line that calls it. */
  forward<const T extends AnyTensor>(input: Takes<F, T>): Gives<F, T> {
    return refusedAt(this.forward, forwardCall, arguments, () => this.run(input as AnyTensor)) as Gives<F, T>;
  }

  /** True if its result is new and no view of its input, and it keeps neither. */
  get isFresh(): boolean {
    return true;
  }

  /** A tensor, or several by name. */
  protected abstract run(input: AnyTensor): object;
}

/** Options of layers with parameters: their dtype, and the generator of their initial values. */
export interface LayerOptions extends InitOptions {
  /** Default float32. */
  readonly dtype?: FloatDType;
}

export const layerOptions: Kinds<LayerOptions> = { dtype: "floating", generator: "generator" };
