/**
 * What is to blame for a dump that gives wrong elements, or is slow: everything that the reference does without is switched off, and then on
 * again as far as possible.
 */
import {
  compile,
  type Emitter,
  type KernelCall,
  opName,
  type Program,
} from "../../packages/compiler/src/index.ts";
import { type Node, printLoopKernel, printNode } from "../../packages/ir/src/index.ts";
import { backendNamed } from "../../packages/runtime/src/backends/backends.ts";
import { replay } from "../../packages/runtime/src/index.ts";
import { type BisectOptions, fault, type Judge, lawsIn, rewrites, slowness } from "./judge.ts";
import { processorTime } from "./processor-time.ts";
import { leastSwitches } from "./search.ts";
import { elementsOf, type Setting, Specimen, type Tools } from "./specimen.ts";

/** What is to blame; of several, each is needed. */
export type Blame =
  | { readonly kind: "emitter"; readonly emitter: Emitter; readonly kernel: string | null }
  | { readonly kind: "law"; readonly law: string }
  /** Nodes of the simplified graph that have to be stored, all of them; none where that does not help. */
  | { readonly kind: "fusion"; readonly nodes: readonly number[] }
  | { readonly kind: "runtime" };

export interface Verdict {
  readonly blames: readonly Blame[];
  /** In words, with the loops, the rewrites or the node. */
  readonly text: string;
}

const ownTools: Tools = { compile, backend: backendNamed, time: processorTime };

/**
 * Null where nothing is wrong.
 *
 * @param say is told of progress, a line at a time.
 * @throws SyntaxError where the text is no dump.
 */
export function bisect(
  text: string,
  options: BisectOptions = {},
  say: (line: string) => void = () => {},
  tools: Tools = ownTools,
): Verdict | null {
  const specimen = new Specimen(text, tools, options.emitter);
  const judge = options.slow === true ? slowness(specimen, options, say) : fault(specimen, options, say);
  const { suspect, reference, differs } = judge;
  if (!judge.isBad(suspect)) return differs === null ? null : ofRuntime(text, suspect, differs, say);
  const switches = switchesBetween(specimen, suspect, reference);
  const found = leastSwitches(switches, (off) => !judge.isBad(without(suspect, reference, off)));
  if (found === null) {
    const why = "With everything switched off that the reference does without, it is bad still.";
    return { blames: [], text: `${why} What is measured is not the same from run to run.` };
  }
  const told = found.map((each) => {
    const rest = found.filter((other) => other !== each);
    return blameOf(each, specimen, judge, without(suspect, reference, rest));
  });
  const head = told.length === 1 ? "" : `It takes all ${told.length} of these:\n`;
  return {
    blames: told.map(({ blame }) => blame),
    text: head + told.map(({ words }) => words).join("\n"),
  };
}

// What may be switched off

type Switch =
  | { readonly kind: "emitter" }
  | { readonly kind: "fusion" }
  | { readonly kind: "law"; readonly law: string };

function switchesBetween(specimen: Specimen, suspect: Setting, reference: Setting): readonly Switch[] {
  const switches: Switch[] = [];
  if (suspect.emitter !== reference.emitter) switches.push({ kind: "emitter" });
  if (suspect.fusion !== reference.fusion) switches.push({ kind: "fusion" });
  if (reference.laws.length > 0)
    for (const law of lawsIn(specimen, suspect)) switches.push({ kind: "law", law });
  return switches;
}

const without = (suspect: Setting, reference: Setting, off: readonly Switch[]): Setting => {
  const isOff = (kind: Switch["kind"]): boolean => off.some((each) => each.kind === kind);
  return {
    emitter: isOff("emitter") ? reference.emitter : suspect.emitter,
    fusion: isOff("fusion") ? reference.fusion : suspect.fusion,
    laws: off.flatMap((each) => (each.kind === "law" ? [each.law] : [])),
    stored: [],
  };
};

// What is to blame, more closely

interface Told {
  readonly blame: Blame;
  readonly words: string;
}

/** `setting` has everything else off that is to blame besides. */
function blameOf(found: Switch, specimen: Specimen, judge: Judge, setting: Setting): Told {
  switch (found.kind) {
    case "law": {
      const changed = rewrites(specimen, setting).filter(({ law }) => law === found.law);
      const shown = changed.slice(0, 3).map(({ before, after }) => `  ${before}\n  becomes ${after}`);
      const blame = { kind: "law", law: found.law } as const;
      return { blame, words: [`The rule to blame is: ${found.law}`, ...shown].join("\n") };
    }
    case "fusion":
      return fusionToBlame(specimen, judge, setting);
    case "emitter":
      return emitterToBlame(specimen, judge, setting);
    default:
      return found satisfies never;
  }
}

function fusionToBlame(specimen: Specimen, judge: Judge, setting: Setting): Told {
  const program = specimen.program(setting);
  const { graph, calls } = program;
  const nodes = graph.nodes.flatMap(({ op }, position) =>
    op === "input" || op === "scalar" ? [] : [position],
  );
  const found = leastSwitches(nodes, (stored) => !judge.isBad({ ...setting, stored }));
  if (found === null) {
    const words = "Fusion is to blame, but it stays so with every node stored.";
    return { blame: { kind: "fusion", nodes: [] }, words };
  }
  const fused = [...found].sort((a, b) => a - b);
  const shown = fused.map((position) => {
    const inputs = (graph.inputs[position] as readonly number[]).map((input) => `%${input}`);
    const kernels = calls.filter((call) => call.nodes.includes(position)).map(({ name }) => name);
    return `  %${position}: ${printNode(graph.nodes[position] as Node, inputs)}, in ${kernels.join(" and ")}`;
  });
  const names = fused.map((position) => opName(graph, position)).join(" and ");
  const what =
    fused.length === 1
      ? `The decision to blame: ${names} is fused with what reads it, not stored.`
      : `The decisions to blame: ${names} are fused with what reads them, not stored.`;
  return { blame: { kind: "fusion", nodes: fused }, words: [what, ...shown].join("\n") };
}

function emitterToBlame(specimen: Specimen, judge: Judge, setting: Setting): Told {
  const { emitter } = setting;
  const program = specimen.program(setting);
  const { differs, reference } = judge;
  const call =
    differs === null
      ? slowestKernel(specimen, reference.emitter, setting, program)
      : wrongKernel(specimen, reference.emitter, differs, setting, program);
  const blame = { kind: "emitter", emitter, kernel: call?.name ?? null } as const;
  const what = `The emitter to blame is ${emitter}`;
  if (call === undefined) return { blame, words: `${what}; no kernel of it alone is.` };
  return { blame, words: `${what}, at kernel ${call.name}:\n${indented(printLoopKernel(call.loop))}` };
}

/** The kernel that has to be made by the reference's emitter. */
function wrongKernel(
  specimen: Specimen,
  emitter: Emitter,
  differs: NonNullable<Judge["differs"]>,
  setting: Setting,
  program: Program,
): KernelCall | undefined {
  const isGood = (off: readonly number[]): boolean =>
    differs(() =>
      specimen.mixedResults(setting, program, (call) => (off.includes(call) ? emitter : setting.emitter)),
    ) === null;
  if (isGood([])) return undefined;
  const found = leastSwitches([...program.calls.keys()], isGood)?.at(-1);
  return found === undefined ? undefined : program.calls[found];
}

/** The kernel that takes most time more than by the reference's emitter. */
function slowestKernel(
  specimen: Specimen,
  emitter: Emitter,
  setting: Setting,
  program: Program,
): KernelCall | undefined {
  const [own, other] = [setting, { ...setting, emitter }].map((each) =>
    specimen.timesOfKernels(specimen.executable(each, program)),
  ) as [readonly number[], readonly number[]];
  const lost = own.map((ms, call) => ms - (other[call] as number));
  return program.calls[lost.indexOf(Math.max(...lost))];
}

const indented = (text: string): string => text.replace(/^/gm, "  ");

/** Compiled and run alone it is right: what is wrong, if anything, lies in how it is run. */
function ofRuntime(
  text: string,
  { emitter }: Setting,
  differs: NonNullable<Judge["differs"]>,
  say: (line: string) => void,
): Verdict | null {
  const found = differs(() =>
    replay(text, { emitter }).map((tensor) => {
      return { dtype: tensor.dtype, elements: elementsOf(tensor.dtype, tensor.toTypedArray()) };
    }),
  );
  say(`replayed: ${found ?? "right"}`);
  if (found === null) return null;
  const words = `Neither a rule, a fusion nor an emitter is to blame: compiled anew it is right, and replayed ${found}.`;
  return {
    blames: [{ kind: "runtime" }],
    text: `${words} What runs it is at fault: caches, memory, or threads.`,
  };
}
