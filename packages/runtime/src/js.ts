/** fuseau/js: all of fuseau except WebAssembly and the threads that compute in it. */

import { warmWhenIdle } from "./warm.ts";

export type { PassEvent, RuleEvent, ScheduleEvent } from "@fuseau/compiler";
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
export type { GradientHook } from "./autograd/hooks.ts";
export type { CacheCounters } from "./cache/lru.ts";
export { type BroadcastWarning, backcompat } from "./compat/broadcast-warning.ts";
export type { LateCounters } from "./execute/late/families.ts";
export type {
  BackwardExplanation,
  BytesExplanation,
  Explanation,
  ExplanationJson,
  KernelExplanation,
  NotFusedExplanation,
  SavedExplanation,
} from "./explain/explanation.ts";
export type { LateExplanation } from "./explain/late-sizes.ts";
export type { StrideMap } from "./explain/stride-maps.ts";
export * as autograd from "./functions/autograd.ts";
export * as func from "./functions/func/index.ts";
export * from "./functions/index.ts";
export { guarded, type JitOptions, type JittedFunction, jit, perCall, precompile } from "./functions/jit.ts";
export type { LinearCounters } from "./memory/blocks.ts";
export type { Element, NestedArray } from "./methods/readout.ts";
export { tidy } from "./methods/tidy.ts";
export type { ComputeOptions, Options } from "./options.ts";
export { type DumpOptions, dump, replay } from "./replay/dump.ts";
export type { SavedCounters } from "./saved/saved.ts";
export type { CacheStore, StoredEntry } from "./saved/store.ts";
export type { ResultStats, Stats } from "./stats.ts";
export { GradientError } from "./tape/errors.ts";
export type { ShapeKey } from "./tensor/handle.ts";
export type { AnyTensor, NoOptions, Operand } from "./tensor/types.ts";
export { Tensor } from "./tensor.ts";
export { ThreadError } from "./threads/thread-error.ts";
export type { CacheEvent, EmitterEvent, KernelEvent, MemoryEvent, TraceEvent } from "./watch/event.ts";
export { type Trace, trace } from "./watch/trace.ts";

warmWhenIdle();
