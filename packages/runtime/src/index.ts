/** fuseau: lazy arrays with PyTorch's semantics, fused into a few generated kernels. */
export {
  type DType,
  DTypeError,
  dtypes,
  type FloatScalar,
  InternalError,
  type Nested,
  type Scalar,
  ShapeError,
  type SliceIndex,
  type TypedArray,
  ViewError,
} from "@fuseau/ir";
export type { CacheCounters } from "./cache/lru.ts";
export { type BroadcastWarning, backcompat } from "./compat/broadcast-warning.ts";
export type {
  BytesExplanation,
  Explanation,
  ExplanationJson,
  KernelExplanation,
  NotFusedExplanation,
} from "./explain/explanation.ts";
export type { StrideMap } from "./explain/stride-maps.ts";
export * from "./functions/index.ts";
export type { LinearCounters } from "./memory/blocks.ts";
export type { ComputeOptions, Options } from "./options.ts";
export type { ResultStats, Stats } from "./stats.ts";
export type { CloseOptions } from "./tensor/comparison.ts";
export type { GeneratorOptions, MultinomialOptions } from "./tensor/random.ts";
export type { Element, NestedArray } from "./tensor/readout.ts";
export type { Extremes } from "./tensor/reduction.ts";
export { Tensor } from "./tensor/tensor.ts";
export { tidy } from "./tensor/tidy.ts";
export type { AnyTensor, Operand } from "./tensor/types.ts";
export { ThreadError } from "./threads/thread-error.ts";
