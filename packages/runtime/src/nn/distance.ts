/** Distances as modules. Source: torch.nn.CosineSimilarity, PairwiseDistance. */

import { checkMade } from "../entry/made.ts";
import { signatureOf } from "../entry/signature.ts";
import {
  type AnyTensor,
  type CosineSimilarityOptions,
  cosineSimilarity,
  type PairwiseDistanceOptions,
  pairwiseDistance,
  type Tensor,
} from "../js.ts";
import { Module } from "./module.ts";
import { refusedAt } from "./refused.ts";

const forwardCall = signatureOf("forward", "x1: tensor, x2: tensor");

/** x1·x2 / (|x1|·|x2|) along an axis (1). A norm below eps (1e-8) counts as eps. */
export class CosineSimilarity extends Module {
  readonly options: CosineSimilarityOptions;

  constructor(options: CosineSimilarityOptions = {}) {
    checkMade(new.target, arguments, {}, options, { dim: "integer", eps: "number" });
    super();
    this.options = options;
  }

  forward<T extends AnyTensor>(x1: T, x2: AnyTensor): Tensor<number[], T["dtype"]> {
    return refusedAt(this.forward, forwardCall, arguments, () =>
      cosineSimilarity(x1 as AnyTensor, x2, this.options),
    ) as AnyTensor as Tensor<number[], T["dtype"]>;
  }
}

/** The p-norm (2) of x1 − x2 + eps along the last axis. */
export class PairwiseDistance extends Module {
  readonly options: PairwiseDistanceOptions;

  constructor(options: PairwiseDistanceOptions = {}) {
    checkMade(new.target, arguments, {}, options, { p: "number", eps: "number", keepdim: "flag" });
    super();
    this.options = options;
  }

  forward<T extends AnyTensor>(x1: T, x2: AnyTensor): Tensor<number[], T["dtype"]> {
    return refusedAt(this.forward, forwardCall, arguments, () =>
      pairwiseDistance(x1 as AnyTensor, x2, this.options),
    ) as AnyTensor as Tensor<number[], T["dtype"]>;
  }
}
