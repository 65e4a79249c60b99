/** @fuseau/compiler: how a graph is computed. Pure passes from the tensor graph to kernels, and the emitters. */
export { type CompileOptions, compile, passNames, type Without } from "./compile.ts";
export { type EmittedKernel, type Emitter, emit } from "./emit/emit.ts";
export { float16FromBits, float16ToBits, roundToFloat16 } from "./emit/intrinsics/float16.ts";
export type { KernelFunction } from "./emit/shared/kernel-function.ts";
export { compileWasm, type WasmOptions } from "./emit/wasm/compile.ts";
export { throwRecorded } from "./emit/wasm/plan/error.ts";
export type { WasmKernel } from "./emit/wasm/plan/kernel.ts";
export { importable } from "./emit/wasm/pointwise/imported.ts";
export { type Graph, inputPositions, printGraph, sameGraph, scalarPositions } from "./graph.ts";
export type { PassName } from "./pass.ts";
export { opName } from "./plan/describe.ts";
export type { ArenaSlot, KernelCall, MemoryFigures, OutputArray, Program, Source } from "./plan/program.ts";
export { elementCosts } from "./schedule/facts.ts";
export { defaultLimits, type Limits } from "./schedule/limits.ts";
export type { NotFused, NotFusedReason } from "./schedule/tree.ts";
export { type SimplifyOptions, simplify } from "./simplify/simplify.ts";
export type { CompilerEvent, PassEvent, RuleEvent, ScheduleEvent, Watch } from "./watch.ts";
