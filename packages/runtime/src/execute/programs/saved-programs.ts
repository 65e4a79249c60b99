/** Uses programs that an earlier process has compiled: neither passes nor emitters run for them. */
import type { Emitter, Graph, Program } from "@fuseau/compiler";
import { type Node, printNodes } from "@fuseau/ir";
import type { Kernel } from "../../backends/backend.ts";
import { choose } from "../../backends/choose.ts";
import type { Options } from "../../options.ts";
import { isSaving, readSaved, save } from "../../saved/saved.ts";
import type { Recorded } from "../extract/extract.ts";
import type { Executable } from "./executable.ts";

export interface SavedProgram {
  readonly program: Program;
  readonly fault: "";
  /** What the backend saved of each kernel. */
  readonly kept: readonly unknown[];
}

/** A node's `inputs` are saved for their shapes and dtypes only, and are made anew. */
interface Saved extends Pick<SavedProgram, "kept"> {
  /** Its key. */
  readonly backend: string;
  readonly program: Omit<Program, "graph">;
  readonly graph: Omit<Graph, "nodes"> & { readonly nodes: readonly Omit<Node, "inputs">[] };
}

/** The key of a saved program: all that its compilation depends on. Null if nothing is saved. */
export function identityOf(recorded: Recorded, donated: readonly number[], options: Options): string | null {
  // Users who ask for verified passes want the passes to run.
  if (!isSaving() || options.verify === true) return null;
  const { emitter = null, fusion = "on", limits = {} } = options;
  const { nodes, inputs, ...lifted } = recorded;
  const rest = { ...lifted, donated, emitter, fusion, limits };
  return `${printNodes(nodes, inputs)}\n${JSON.stringify(rest)}`;
}

/** Null if none is saved, or none for the backend that runs it here. */
export const findProgram = (identity: string, asked: Emitter | undefined): SavedProgram | null =>
  readSaved(identity, (data) => {
    const { backend, program: rest, graph, kept } = data as Saved;
    const program = { ...rest, graph: withInputs(graph) };
    return choose(program, asked).backend.key === backend ? { program, fault: "", kept } : null;
  });

/** Saves a program, unless it runs on another backend than it was compiled for. */
export function keepProgram(identity: string, executable: Omit<Executable, "expected">): void {
  const { backend, kernels } = executable;
  const { graph, ...program } = executable.program;
  if (choose(executable.program, executable.asked).backend !== backend) return;
  const nodes = graph.nodes.map(({ inputs, ...node }) => node);
  const kept = program.calls.map((call, k) => backend.keep(kernels[k] as Kernel, call));
  save(identity, { backend: backend.key, program, graph: { ...graph, nodes }, kept } satisfies Saved);
}

function withInputs({ nodes, inputs, outputs }: Saved["graph"]): Graph {
  const made: Node[] = [];
  nodes.forEach((node, k) => {
    const own = (inputs[k] as readonly number[]).map((position) => made[position] as Node);
    made.push({ ...node, inputs: own } as Node);
  });
  return { nodes: made, inputs, outputs };
}
