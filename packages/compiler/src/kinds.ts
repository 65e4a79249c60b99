/** The kinds of IR that passes make, in order, each with its printer and its verifier. */
import { printLoopKernel, verifyLoopKernel } from "@fuseau/ir";
import { type Graph, printGraph } from "./graph.ts";
import type { LoweredKernel } from "./lower/lower.ts";
import type { Kind } from "./pass.ts";
import { printProgram } from "./plan/print.ts";
import type { Program } from "./plan/program.ts";
import { verifyPlan } from "./plan/verify.ts";
import { printSchedule } from "./schedule/print.ts";
import type { Schedule } from "./schedule/tree.ts";
import { verifySchedule } from "./schedule/verify.ts";
import { verifyGraph } from "./verify-graph.ts";

/** A graph with its kernels as loop trees. */
export interface Scheduled {
  readonly graph: Graph;
  readonly scheduled: Schedule;
}

/** The same with each kernel as loop IR; lowered[k] is of scheduled.kernels[k]. */
export interface Lowered extends Scheduled {
  readonly lowered: readonly LoweredKernel[];
}

export const graphs: Kind<Graph> = {
  name: "graph",
  print: (graph) => printGraph(graph),
  verify: (graph) => verifyGraph(graph),
};

export const schedules: Kind<Scheduled> = {
  name: "schedule",
  print: ({ scheduled }) => printSchedule(scheduled),
  verify: ({ graph, scheduled }) => verifySchedule(graph, scheduled),
};

export const loops: Kind<Lowered> = {
  name: "loops",
  print: ({ lowered }) => lowered.map(({ loop }) => printLoopKernel(loop)).join("\n"),
  verify: ({ lowered }) => {
    for (const { loop } of lowered) verifyLoopKernel(loop);
  },
};

export const programs: Kind<Program> = {
  name: "program",
  print: (program) => printProgram(program),
  verify: (program) => verifyPlan(program),
};
