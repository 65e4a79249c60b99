/** @fuseau/compiler: how a graph is computed. Pure passes from the tensor graph to kernels, and the emitters; it runs nothing. */

export {
  type CompileOptions,
  compile,
  compileInSteps,
  passNames,
  type Without,
} from "./compile.ts";
export {
  type Bits,
  bitsOfLanes,
  canHaveBitsOfLanes,
  type LaneFunctions,
  ownBits,
} from "./emit/closure/bits.ts";
export { timeInClosures } from "./emit/closure/choose-runs.ts";
export { compileClosure } from "./emit/closure/emit.ts";
export { type Elements, foldStrided, MOST_FOLDED, type Operand, runStrided } from "./emit/closure/strided.ts";
export { type Emitter, emitters } from "./emit/emitters.ts";
export { erfinv } from "./emit/intrinsics/erf.ts";
export { float16FromBits, float16ToBits, roundToFloat16 } from "./emit/intrinsics/float16.ts";
export { compileJs, type JsKernel, jsImports } from "./emit/js/emit.ts";
export { canBeTextInLanes, hasFloatProducts, type LaneCalls, type Scalar } from "./emit/js/lanes.ts";
export type { KernelFunction } from "./emit/shared/kernel-function.ts";
export { closureTarget, jsTarget, targets, wasmTarget } from "./emit/targets.ts";
export {
  COLUMN,
  COLUMN_BYTES,
  compileColumnFunction,
  compileMultiplyAdd,
} from "./emit/wasm/column-function.ts";
export { compileWasm, type WasmOptions } from "./emit/wasm/compile.ts";
export { type KeptWasm, keepWasm, reviveWasm } from "./emit/wasm/keep.ts";
export { throwRecorded } from "./emit/wasm/plan/error.ts";
export type { WasmKernel } from "./emit/wasm/plan/kernel.ts";
export { type Graph, inputPositions, printGraph, sameGraph, scalarPositions } from "./graph.ts";
export { type Box, isWithin, pointsIn, widest } from "./late/box.ts";
export { generalise, graphsAround, type LateProgram, type Refusal } from "./late/generalise.ts";
export { nodesWith } from "./late/numbers.ts";
export {
  dividedBy,
  numbersAt,
  type Point,
  type Polynomials,
  samplesAround,
  termsAt,
  through,
  throughProducts,
  type Varying,
} from "./late/polynomials.ts";
export { FEW_COLUMNS } from "./lower/integers.ts";
export type { PassName } from "./pass.ts";
export { opName } from "./plan/describe.ts";
export { type PhaseWork, worksOf } from "./plan/estimate.ts";
export type { ArenaSlot, KernelCall, MemoryFigures, OutputArray, Program, Source } from "./plan/program.ts";
export { elementCosts, workOf } from "./schedule/facts.ts";
export { defaultLimits, type Limits } from "./schedule/limits.ts";
export type { Target } from "./schedule/target.ts";
export type { NotFused, NotFusedReason } from "./schedule/tree.ts";
export { type SimplifyOptions, simplify } from "./simplify/simplify.ts";
export { atOnce, finished, type Steps } from "./steps.ts";
export { type Scheduler, scheduleLoops } from "./tactics/schedule-loops.ts";
export type { CompilerEvent, PassEvent, RuleEvent, ScheduleEvent, Watch } from "./watch.ts";
