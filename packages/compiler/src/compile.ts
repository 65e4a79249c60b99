/** The pipeline, a pass a line: the picture in docs/architecture.md, as code. Pure: equal input, equal output. */
import { InternalError, printLoopKernel, verifyGraph, verifyLoopKernel } from "@fuseau/ir";
import type { Emitter } from "./emit/emit.ts";
import { productForms } from "./emit/wasm/contract/tiled.ts";
import { type Graph, printGraph } from "./graph.ts";
import { cutPanels } from "./layout/cut-panels.ts";
import { mergeAxes } from "./layout/merge-axes.ts";
import { type LoweredKernel, lower } from "./lower/lower.ts";
import { nameKernel, nodesIn, phasesOf } from "./plan/describe.ts";
import { planMemory } from "./plan/plan-memory.ts";
import type { KernelCall, Program } from "./plan/program.ts";
import { audit, type ProductForm } from "./schedule/audit.ts";
import { type Comparison, costs } from "./schedule/cost.ts";
import { workOf } from "./schedule/facts.ts";
import { defaultLimits, type Limits } from "./schedule/limits.ts";
import { schedule } from "./schedule/schedule.ts";
import type { Reduction, Schedule } from "./schedule/tree.ts";
import { simplify } from "./simplify/simplify.ts";

export interface CompileOptions {
  /** "none" is the eager path: every op runs alone and its result is kept in memory. */
  readonly fusion?: "on" | "none";
  readonly limits?: Partial<Limits>;
  /** The emitter that will run a program of so much work, in additions of elements. Results never depend on it. */
  readonly emitter?: (work: number) => Emitter;
  /** Inputs, counted among the graph's, whose memory may be written over: the caller has no use for it afterwards. */
  readonly donated?: readonly number[];
  /** Checks the graph and every kernel between passes; tests do. */
  readonly verify?: boolean;
}

/** @throws InternalError with the graph in it: whatever goes wrong in here is a fault of the compiler's. */
export function compile(recorded: Graph, options: CompileOptions = {}): Program {
  try {
    return compileGraph(recorded, options);
  } catch (error) {
    if (error instanceof InternalError && error.ir !== "") throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new InternalError(`compile: ${message}`, firstLines(printGraph(recorded)), { cause: error });
  }
}

/** Lines of a graph that an error shows. */
const SHOWN_LINES = 200;

function firstLines(text: string): string {
  const lines = text.split("\n");
  const rest = lines.length - SHOWN_LINES;
  return rest <= 0 ? text : `${lines.slice(0, SHOWN_LINES).join("\n")}\n… ${rest} more lines`;
}

function compileGraph(recorded: Graph, options: CompileOptions): Program {
  const limits = { ...defaultLimits, ...options.limits };
  if (options.verify) verifyGraph(recorded.nodes);

  const graph = simplify(recorded);
  const work = workOf(graph);
  const { scheduled, lowered } = settle(graph, limits, options, options.emitter?.(work) ?? "js");
  const memory = planMemory(graph, lowered, scheduled);

  if (options.verify) {
    verifyGraph(graph.nodes);
    for (const { loop } of lowered) verifyLoopKernel(loop);
  }
  const calls = lowered.map((kernel, k): KernelCall => {
    const nodes = nodesIn(scheduled.kernels[k] as (typeof scheduled.kernels)[number]);
    return {
      name: nameKernel(graph, nodes, k),
      loop: kernel.loop,
      key: printLoopKernel(kernel.loop),
      buffers: memory.sources[k] as KernelCall["buffers"],
      sizes: kernel.sizes,
      begins: kernel.begins,
      scalars: scalarsOf(kernel, memory.scalarIndex),
      nodes,
      phases: phasesOf(kernel.loop),
    };
  });
  return {
    graph,
    calls,
    allocations: memory.allocations,
    results: memory.results,
    arena: memory.arena,
    donors: memory.donors,
    work,
    notFused: scheduled.notFused,
    memory: memory.memory,
  };
}

/** Kernels as loops. What turns out to cost more where it was placed than stored is stored, and all is placed anew. */
function settle(
  graph: Graph,
  limits: Limits,
  { fusion, donated }: CompileOptions,
  emitter: Emitter,
): { readonly scheduled: Schedule; readonly lowered: readonly LoweredKernel[] } {
  const fuse = fusion !== "none";
  const apart = new Map<number, Comparison>();
  for (;;) {
    const scheduled = schedule(graph, limits, fuse, donated, apart);
    for (const kernel of scheduled.kernels) {
      mergeAxes(scheduled.table, kernel.root);
      cutPanels(scheduled.table, kernel.root);
    }
    const lowered = scheduled.kernels.map((kernel) => lower(graph, kernel));
    if (!fuse) return { scheduled, lowered };
    const found = scheduled.kernels
      .flatMap((kernel, k) => [...audit(graph, kernel, costs[emitter], formsOf(lowered[k]!, emitter))])
      .filter(([node]) => !apart.has(node));
    if (found.length === 0) return { scheduled, lowered };
    for (const [node, comparison] of found) apart.set(node, comparison);
  }
}

/** How a kernel's products are made: WebAssembly knows tiles; elsewhere it matters that operands are walked along memory. */
function formsOf(
  { loop, reductions }: LoweredKernel,
  emitter: Emitter,
): (reduction: Reduction) => ProductForm {
  if (emitter !== "wasm") return ({ crosses }) => (crosses ? "apart" : "tiles");
  let forms: ReadonlyMap<number, ProductForm> | undefined;
  return (reduction) => {
    forms ??= productForms(loop);
    return forms.get(reductions.indexOf(reduction)) ?? "apart";
  };
}

const scalarsOf = (kernel: LoweredKernel, index: ReadonlyMap<number, number>): number[] =>
  kernel.scalars.map((position) => index.get(position) as number);
