/** Builds an {@link Explanation}: compiles as `compute` would, and runs nothing. */
import {
  type KernelCall,
  opName,
  type PhaseWork,
  type Program,
  type Source,
  scheduleLoops,
  type Target,
  worksOf,
} from "@fuseau/compiler";
import { dtypes, type Node, type NodeOp, printLoopKernel, printNodes } from "@fuseau/ir";
import { extract, forget } from "../execute/extract/extract.ts";
import { executableFor } from "../execute/find-program.ts";
import { whyAlone } from "../execute/late/families.ts";
import type { Executable } from "../execute/programs/executable.ts";
import { type Timing, timingsOf } from "../execute/programs/profile.ts";
import type { Options } from "../options.ts";
import type { Value } from "../value.ts";
import { jointProgram, savedIn } from "./backward.ts";
import {
  type BytesExplanation,
  Explanation,
  type ExplanationJson,
  type KernelExplanation,
  type Measured,
} from "./explanation.ts";
import { explainLate } from "./late-sizes.ts";
import { limitsOf, type MachineLimits } from "./machine-limits.ts";
import { strideMaps } from "./stride-maps.ts";

export function explainValues(values: readonly Value[], options: Options): Explanation {
  try {
    const extraction = extract(values);
    const asked = new Set(values);
    const saved = extraction.wanted.filter((value) => !asked.has(value)).map(({ node }) => bytesOfNode(node));
    const own = explained(executableFor(extraction, options), sum(saved));
    const joint = values.length === 1 ? jointProgram(values[0] as Value, options) : null;
    if (joint === null) return new Explanation(own);
    const { executable, gradients } = joint;
    const program = explained(executable, 0);
    return new Explanation({
      ...own,
      backward: { gradients, saved: savedIn(executable.program), program },
    });
  } finally {
    forget();
  }
}

/** Explains a program that is already compiled. */
export const explainExecutable = (executable: Executable): Explanation =>
  new Explanation(explained(executable, 0));

/** How many bytes of the results are kept for a backward pass. */
function explained(executable: Executable, saved: number): ExplanationJson {
  const { recorded, program, kernels, backend, reason, fusion, late } = executable;
  const emitter = backend.name;
  const works = worksOf(program, backend.target);
  const measured = timingsOf(program).map((timing, k) => reached(timing, works[k]!, limitsOf(backend)));
  return {
    graph: printNodes(recorded.nodes, recorded.inputs),
    simplified: printNodes(program.graph.nodes, program.graph.inputs),
    late: late === null ? null : explainLate(late, recorded.nodes),
    alone: late === null ? whyAlone(recorded) : null,
    fusion,
    emitter,
    emitterReason: reason,
    kernels: program.calls.map((call, k): KernelExplanation => {
      const kernel = kernels[k] as (typeof kernels)[number];
      return {
        name: call.name,
        emitter,
        ops: call.nodes.map((node) => opName(program.graph, node)),
        phases: call.phases,
        inputs: parameters(call, "read"),
        outputs: parameters(call, "write"),
        strideMaps: strideMaps(call),
        loop: call.key,
        schedule: scheduleOf(call, backend.target),
        sizes: call.sizes,
        work: works[k]!,
        measured: measured[k] ?? null,
        // The source of a WebAssembly module is its disassembly, which takes longer than everything else here.
        get source() {
          return kernel.source;
        },
      };
    }),
    notFused: program.notFused.map((edge) => ({ ...edge, op: opName(program.graph, edge.producer) })),
    bytes: { ...bytesOf(program), saved },
    backward: null,
  };
}

/** The rates that a kernel has reached, compared with the machine's limits. */
function reached(
  { runs, total, least }: Timing,
  work: readonly PhaseWork[],
  limits: MachineLimits,
): Measured {
  const flops = sum(work.map((phase) => phase.flops));
  const bytes = sum(work.map((phase) => phase.bytes));
  const seconds = least / 1_000;
  const arithmetic = flops / limits.flopsPerSecond;
  const memory = bytes / limits.bytesPerSecond;
  return {
    runs,
    least,
    mean: total / runs,
    flopsPerSecond: flops / seconds,
    bytesPerSecond: bytes / seconds,
    share: Math.max(arithmetic, memory) / seconds,
    limit: arithmetic > memory ? "arithmetic" : "memory",
  };
}

/** Null if the loops are as they were lowered. */
function scheduleOf({ loop, key }: KernelCall, target: Target): string | null {
  const text = printLoopKernel(scheduleLoops(loop, target));
  return text === key ? null : text;
}

function parameters({ buffers, loop }: KernelCall, access: "read" | "write"): string[] {
  return buffers.flatMap((source, slot) => {
    const parameter = loop.buffers[slot] as (typeof loop.buffers)[number];
    return parameter.access === access ? [`b${slot}: ${describe(source)} (${parameter.dtype})`] : [];
  });
}

const describe = ({ kind, index }: Source): string =>
  kind === "arena" ? `intermediate in slot ${index}` : `${kind} ${index}`;

function bytesOf({ graph, allocations, memory }: Program): Omit<BytesExplanation, "saved"> {
  const inputs = sum(graph.nodes.filter(({ op }) => op === "input").map(bytesOfNode));
  const sizes = allocations.map(({ dtype, cells }) => dtypes[dtype].bytes * cells);
  const fresh = sum(sizes.filter((_, k) => allocations[k]?.donor === null));
  const computed = graph.nodes.filter(
    (node, position) => isWritten[node.op] && !graph.outputs.includes(position),
  );
  return {
    intermediate: memory.intermediate,
    arena: memory.arena,
    inputs,
    outputs: sum(sizes),
    peak: inputs + fresh + memory.arena,
    naivePeak: inputs + sum(sizes) + memory.naive,
    unfused: sum(computed.map(bytesOfNode)),
  };
}

/** True for nodes that a run op by op would write to memory: all except inputs and views. */
const isWritten: { readonly [Op in NodeOp]: boolean } = {
  input: false,
  constant: false,
  scalar: false,
  iota: true,
  pointwise: true,
  reduce: true,
  contract: true,
  reshape: false,
  permute: false,
  expand: false,
  slice: false,
  shift: false,
  diagonal: false,
  asStrided: false,
  pad: true,
  concat: true,
  update: true,
  gather: true,
  scatter: true,
  scan: true,
  argsort: true,
};

const bytesOfNode = ({ shape, dtype }: Node): number =>
  shape.reduce((count, size) => count * size, dtypes[dtype].bytes);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
