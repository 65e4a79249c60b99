/** The pipeline as a list of passes: the picture in docs/architecture.md, as code. Pure: equal input, equal output. */
import { type AccumulationOrder, defaultOrder, InternalError } from "@fuseau/ir";
import { costlierFused, type Known, withRepeats } from "./audit/costlier-fused.ts";
import { asFound, type Decide, keeping, repeating } from "./decisions.ts";
import { jsTarget } from "./emit/js/target.ts";
import { type Graph, printGraph } from "./graph.ts";
import { graphs, type Lowered, loops, programs, type Scheduled, schedules } from "./kinds.ts";
import { mergeAxes } from "./layout/merge-axes.ts";
import { stripMine } from "./layout/strip-mine.ts";
import { type LoweredKernel, lower } from "./lower/lower.ts";
import { made, type Passes, type PassName, pass, passes, type Setting } from "./pass.ts";
import { nameKernel, nodesIn, opName, phasesOf } from "./plan/describe.ts";
import { planMemory } from "./plan/plan-memory.ts";
import type { KernelCall, Program } from "./plan/program.ts";
import type { Comparison } from "./schedule/cost.ts";
import { workOf } from "./schedule/facts.ts";
import { defaultLimits, type Limits } from "./schedule/limits.ts";
import { type Found, nothingFound, schedule } from "./schedule/schedule.ts";
import type { Target } from "./schedule/target.ts";
import { simplify } from "./simplify/simplify.ts";
import { finished, type Steps } from "./steps.ts";
import type { Watch } from "./watch.ts";

export interface CompileOptions {
  /** "none" is the eager path: every op runs alone and its result is kept in memory. */
  readonly fusion?: "on" | "none";
  readonly limits?: Partial<Limits>;
  /** The target, given the program's work in additions of elements. Default: JavaScript text. Results do not depend on it. */
  readonly target?: (work: number) => Target;
  /** The accumulation order of folds, which is part of the results. */
  readonly order?: Partial<AccumulationOrder>;
  /** Inputs, counted among the graph's, whose memory may be overwritten: the caller gives them up. */
  readonly donated?: readonly number[];
  /** Verifies every IR when it is made, before the next pass reads it; tests do. */
  readonly verify?: boolean;
  /** Receives the result of each pass and each decision. */
  readonly watch?: Watch | null;
  /** What is switched off when bisecting: rewrite rules by their law, and nodes that are stored rather than fused. */
  readonly without?: Without;
  /** Extents that are others at other sizes of the program: no loop over so many places is unrolled. */
  readonly varying?: ReadonlySet<number>;
  /** Records the decisions made by costs, or replays them if it `isRepeated`. */
  readonly decided?: Decided;
}

/** The decisions made by costs when a graph was compiled. */
export interface Decided {
  /** True when the decisions are to be replayed. */
  readonly isRepeated: boolean;
  answers: readonly unknown[];
  /** Nodes for which the audit found that storing them costs less. */
  unfused: ReadonlyMap<number, Comparison>;
  /** What the last schedule began with. */
  found: Found;
}

export interface Without {
  readonly laws?: readonly string[];
  /** Positions in the simplified graph. */
  readonly fusions?: readonly number[];
}

/** @throws InternalError with the graph in its message: every failure in here is a fault of the compiler. */
export const compile = (recorded: Graph, options: CompileOptions = {}): Program =>
  finished(compileInSteps(recorded, options));

/** The same in steps of one pass each: for a hundred nodes it takes some ten milliseconds, for a thousand some hundred. */
export function* compileInSteps(recorded: Graph, options: CompileOptions = {}): Steps<Program> {
  try {
    const { verify = false, watch = null } = options;
    const setting: Simplifying = { verify, watch, options };
    return yield* pipeline.run(made("record", graphs, recorded, setting), setting);
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

interface Simplifying extends Setting {
  readonly options: CompileOptions;
}

interface Placing extends Simplifying {
  readonly limits: Limits;
  /** Nodes for which the audit found that storing them costs less. */
  readonly unfused: ReadonlyMap<number, Comparison>;
  readonly decide: Decide;
  /** What earlier sweeps found about the order of loops. */
  readonly found: Found;
  /** False to stop after one sweep. */
  readonly settles: boolean;
}

const simplifying = pass("simplify", graphs, graphs, (graph, { watch, options }: Simplifying) =>
  simplify(graph, { watch, without: options.without?.laws }),
);

const scheduling = pass(
  "schedule",
  graphs,
  schedules,
  (graph, { options: { fusion, donated }, limits, unfused, decide, found, settles }: Placing) => {
    const fuse = fusion !== "none";
    const scheduled = schedule(graph, { limits, fuse, donated, unfused, decide, found, settles });
    return { graph, scheduled };
  },
);

const merging = pass("merge axes", schedules, schedules, (ir: Scheduled, _: Placing) => {
  for (const { root } of ir.scheduled.kernels) mergeAxes(ir.scheduled.table, root);
  return ir;
});

const cutting = pass("strip-mine", schedules, schedules, (ir: Scheduled, _: Placing) => {
  for (const { root } of ir.scheduled.kernels) stripMine(ir.scheduled.table, root);
  return ir;
});

const lowering = pass(
  "lower",
  schedules,
  loops,
  ({ graph, scheduled }: Scheduled, { options, decide }: Placing) => {
    const order = { ...defaultOrder, ...options.order };
    const lowered = scheduled.kernels.map((kernel) => lower(graph, kernel, order, decide, options.varying));
    return { graph, scheduled, lowered };
  },
);

const planning = pass("plan memory", loops, programs, (ir: Lowered, { options, decide }: Placing) =>
  planned(ir, decide, options.varying !== undefined),
);

const placing = scheduling.and(merging).and(cutting).and(lowering);
const ordering = settled(placing, planning);
const pipeline = simplifying.and(ordering);

/** The passes in order. */
export const passNames: readonly PassName[] = pipeline.names;

/** From so many nodes on, a sweep is made only if it saves enough. */
const LONG = 300;

/** Nanoseconds that each run of a long graph must save, for each node, to be worth a sweep more: one takes some 60 µs a node. */
const WORTH = 25;

const isWorthSweep = ({ nodes }: Graph, found: ReturnType<typeof costlierFused>): boolean =>
  found.length > 0 &&
  (nodes.length <= LONG ||
    found.reduce((sum, [, { fused, stored }]) => sum + fused - stored, 0) >= nodes.length * WORTH);

const copyOf = ({ kept, across, apart }: Found): Found => ({
  kept: new Map(kept),
  across: new Set(across),
  apart: new Set(apart),
});

/** Nodes that the audit finds are stored, and the graph is scheduled anew, before memory is planned. */
function settled(
  placing: Passes<Graph, Lowered, Placing>,
  ending: Passes<Lowered, Program, Placing>,
): Passes<Graph, Program, Simplifying> {
  return passes([...placing.names, ...ending.names], function* (graph, setting) {
    const { options, watch } = setting;
    const limits = { ...defaultLimits, ...options.limits };
    const { decided } = options;
    if (decided?.isRepeated === true) {
      const { answers, unfused, found } = decided;
      const again = {
        ...setting,
        limits,
        unfused,
        decide: repeating(answers),
        found: copyOf(found),
        settles: true,
      };
      return yield* placing.and(ending).run(graph, again);
    }
    const target = options.target?.(workOf(graph)) ?? jsTarget;
    const unfused = new Map<number, Comparison>(
      options.without?.fusions?.map((node) => [node, { fused: 1, stored: 0 }]),
    );
    const known: Known = { products: new Map(), kernels: new Map() };
    const sweeps = new Map<string, number>();
    const begun = nothingFound();
    // The order of loops depends on what is stored, so it is settled when the audit finds nothing more.
    let settles = false;
    for (;;) {
      const first = copyOf(begun);
      const answers: unknown[] = [];
      const decide = decided === undefined ? asFound : keeping(answers);
      const context = { ...setting, limits, unfused, decide, found: begun, settles };
      const placed = yield* placing.run(graph, context);
      yield;
      const found = options.fusion === "none" ? [] : costlierFused(placed, target, unfused, known);
      if (isWorthSweep(graph, found)) {
        for (const [node, comparison] of withRepeats(graph, found, unfused, sweeps))
          unfused.set(node, comparison);
        yield;
        continue;
      }
      if (!placed.scheduled.isSettled) {
        settles = true;
        yield;
        continue;
      }
      if (watch !== null)
        for (const { producer, ...why } of placed.scheduled.notFused)
          watch({ kind: "schedule", node: producer, op: opName(graph, producer), ...why });
      const program = yield* ending.run(placed, context);
      if (decided !== undefined) Object.assign(decided, { answers, unfused, found: first });
      return program;
    }
  });
}

function planned({ graph, scheduled, lowered }: Lowered, decide: Decide, varies: boolean): Program {
  const memory = planMemory(graph, lowered, scheduled, decide, varies);
  const calls = lowered.map((kernel, k): KernelCall => {
    const nodes = nodesIn(scheduled.kernels[k] as (typeof scheduled.kernels)[number]);
    return {
      name: nameKernel(graph, nodes, k),
      loop: kernel.loop,
      key: kernel.text,
      buffers: memory.sources[k] as KernelCall["buffers"],
      sizes: kernel.sizes,
      begins: kernel.begins,
      strips: kernel.strips,
      scalars: scalarsOf(kernel, memory.scalarIndex),
      nodes,
      phases: phasesOf(kernel.loop),
    };
  });
  const { allocations, results, arena, donors } = memory;
  const { notFused } = scheduled;
  const conditions = [...(graph.conditions ?? []), ...scheduled.conditions];
  return {
    graph,
    calls,
    allocations,
    results,
    arena,
    donors,
    work: workOf(graph),
    notFused,
    ...(conditions.length > 0 && { conditions }),
    memory: memory.memory,
  };
}

const scalarsOf = (kernel: LoweredKernel, index: ReadonlyMap<number, number>): number[] =>
  kernel.scalars.map((position) => index.get(position) as number);
