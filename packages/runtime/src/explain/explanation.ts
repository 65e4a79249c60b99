/** What the compiler does with an expression, as a value: it prints as text, and converts to JSON. */
import type { Emitter, NotFused, PhaseWork } from "@fuseau/compiler";
import type { DType } from "@fuseau/ir";
import { inspectAsText } from "../inspect.ts";
import { type LateExplanation, lateText } from "./late-sizes.ts";
import type { StrideMap } from "./stride-maps.ts";

/** The rates of a kernel in timed runs: those of `compute({ profile: true })`, or watched by `trace`. */
export interface Measured {
  readonly runs: number;
  /** Milliseconds of the quickest run, and of the average one. */
  readonly least: number;
  readonly mean: number;
  /** Rates of the quickest run. */
  readonly flopsPerSecond: number;
  readonly bytesPerSecond: number;
  /**
   * Fraction of the machine's limit, either for moving memory or for multiplying and adding: the one that this kernel is closer to. Above 1
   * if its elements are in a cache.
   */
  readonly share: number;
  readonly limit: "memory" | "arithmetic";
}

export interface KernelExplanation {
  readonly name: string;
  readonly emitter: Emitter;
  /** The ops that it computes, inputs first. */
  readonly ops: readonly string[];
  /** The loop nests, in order. */
  readonly phases: number;
  /** What it reads: `input 0`, an intermediate, or the result of another kernel. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly strideMaps: readonly StrideMap[];
  /** The loop IR. */
  readonly loop: string;
  /** The loop IR as it runs on this emitter, if loops have runs there: docs/scheduled-loops.md. */
  readonly schedule: string | null;
  /** The numbers that are bound to the loop IR's n0, n1 … */
  readonly sizes: readonly number[];
  /** What each phase does, and its estimated time by the scheduler's costs. */
  readonly work: readonly PhaseWork[];
  /** Null if no run of this program was timed. */
  readonly measured: Measured | null;
  /** The generated text; empty for closures, which have none. */
  readonly source: string;
}

export interface BytesExplanation {
  /** Elements that one kernel stores and another reads. */
  readonly intermediate: number;
  /** Rows and accumulators within kernels, and intermediates, after sharing memory. */
  readonly arena: number;
  readonly inputs: number;
  readonly outputs: number;
  /** Inputs, outputs and arena together. A result written over an input counts once. */
  readonly peak: number;
  /** The same if every buffer had memory of its own. */
  readonly naivePeak: number;
  /** The intermediates that a run op by op would write. */
  readonly unfused: number;
  /** Outputs that nobody asked for yet, and that are kept because a backward pass, or something else that was recorded, will read them. */
  readonly saved: number;
}

/** An edge that was not fused. The producer is a node of the simplified graph. */
export type NotFusedExplanation = NotFused & { readonly op: string };

/** A value of the result that its backward pass reads. */
export interface SavedExplanation {
  /** In the simplified graph of both. */
  readonly node: number;
  readonly op: string;
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly bytes: number;
  /** Whether it is in memory between both passes, is recomputed, or is read in the kernel that computes it. */
  readonly how: "stored" | "computed again" | "in the same kernel";
  /** Why its readers do not compute it, if the scheduler had to decide that. */
  readonly reason: NotFused["reason"] | null;
}

/** The program of a loss and the gradients of its leaves, as `backward()` and `compute()` make it. */
export interface BackwardExplanation {
  readonly gradients: number;
  readonly saved: readonly SavedExplanation[];
  readonly program: ExplanationJson;
}

export interface ExplanationJson {
  readonly graph: string;
  readonly simplified: string;
  /** The size that is known late, for which this is one program of many; null if there is none. */
  readonly late: LateExplanation | null;
  /** Why graphs that differ from this one only in sizes share no program; null if they do, or if that was not attempted. */
  readonly alone: string | null;
  readonly fusion: "on" | "none";
  readonly emitter: Emitter;
  /** Why this emitter. */
  readonly emitterReason: string;
  readonly kernels: readonly KernelExplanation[];
  readonly notFused: readonly NotFusedExplanation[];
  readonly bytes: BytesExplanation;
  /** For one floating number that has derivatives; else null. */
  readonly backward: BackwardExplanation | null;
}

export class Explanation implements ExplanationJson {
  readonly graph: string;
  readonly simplified: string;
  /** The size that is known late, for which this is one program of many; null if there is none. */
  readonly late: LateExplanation | null;
  /** Why graphs that differ from this one only in sizes share no program; null if they do, or if that was not attempted. */
  readonly alone: string | null;
  readonly fusion: "on" | "none";
  readonly emitter: Emitter;
  /** Why this emitter. */
  readonly emitterReason: string;
  readonly kernels: readonly KernelExplanation[];
  readonly notFused: readonly NotFusedExplanation[];
  readonly bytes: BytesExplanation;
  /** For one floating number that has derivatives; else null. */
  readonly backward: BackwardExplanation | null;

  constructor(json: ExplanationJson) {
    this.graph = json.graph;
    this.simplified = json.simplified;
    this.late = json.late;
    this.alone = json.alone;
    this.fusion = json.fusion;
    this.emitter = json.emitter;
    this.emitterReason = json.emitterReason;
    this.kernels = json.kernels;
    this.notFused = json.notFused;
    this.bytes = json.bytes;
    this.backward = json.backward;
  }

  toJSON(): ExplanationJson {
    return { ...this };
  }

  toString(): string {
    const parts = [
      section("graph, as recorded", this.graph),
      section("graph, simplified", this.simplified),
      ...(this.late === null ? [] : [section("sizes known late", lateText(this.late))]),
      ...(this.alone === null ? [] : [section("a program of this size alone", this.alone)]),
      section("kernels", summary(this)),
      ...this.kernels.map((kernel, k) => section(`kernel ${k}: ${kernel.name}`, kernelText(kernel))),
      section("not fused", this.notFused.map(notFusedText).join("\n") || "none"),
      section("bytes", bytesText(this.bytes)),
      ...(this.backward === null ? [] : [section("with its backward pass", backwardText(this.backward))]),
    ];
    return parts.join("\n\n");
  }
}

inspectAsText(Explanation.prototype);

function summary({ kernels, emitter, emitterReason, fusion }: ExplanationJson): string {
  const ops = kernels.reduce((count, kernel) => count + kernel.ops.length, 0);
  const phases = kernels.reduce((count, kernel) => count + kernel.phases, 0);
  return `${ops} ops in ${kernels.length} kernels of ${phases} phases; emitter ${emitter} (${emitterReason}), fusion ${fusion}`;
}

/** Its kernels by name only: the gradients' own explanation has them in full. */
function backwardText({ gradients, saved, program }: BackwardExplanation): string {
  return [
    `${gradients} gradients; ${summary(program)}`,
    section("graph, simplified", program.simplified),
    section(
      "read by the backward pass",
      saved
        .map(
          ({ node, op, dtype, shape, bytes, how, reason }) =>
            `%${node} ${op}: ${dtype}[${shape.join(", ")}], ${how === "stored" ? `${bytes} bytes stored` : how}${reason === null ? "" : ` (${reason})`}`,
        )
        .join("\n") || "nothing but inputs",
    ),
    section("kernels", program.kernels.map(({ name, ops }) => `${name}: ${ops.join(" ")}`).join("\n")),
    section("bytes", bytesText(program.bytes)),
  ].join("\n");
}

const section = (title: string, text: string): string => `${title}\n${text.replace(/^/gm, "  ")}`;

function kernelText(kernel: KernelExplanation): string {
  const maps = kernel.strideMaps.map(({ buffer, access, strides, offset, index }) => {
    const walk =
      strides === null
        ? index
        : Object.entries(strides)
            .map(([axis, stride]) => `${axis}:${stride}`)
            .join(" ");
    return `  ${access.padEnd(5)} ${buffer}  ${walk || "scalar"}${offset === 0 ? "" : `  from ${offset}`}`;
  });
  return [
    `ops     ${kernel.ops.join(" ")}`,
    `phases  ${kernel.phases}`,
    `reads   ${kernel.inputs.join(", ") || "nothing"}`,
    `writes  ${kernel.outputs.join(", ")}`,
    `sizes   ${kernel.sizes.map((size, slot) => `n${slot}=${size}`).join(" ")}`,
    ...kernel.work.map((work, k) => `${k === 0 ? "work " : "     "}   ${workText(work)}`),
    ...(kernel.measured === null ? [] : [`took    ${measuredText(kernel.measured)}`]),
    "stride maps (elements per step of each axis)",
    ...maps,
    "loop IR",
    kernel.loop.replace(/^/gm, "  "),
    ...(kernel.schedule === null ? [] : ["schedule", kernel.schedule.replace(/^/gm, "  ")]),
    ...(kernel.source === "" ? [] : ["source", kernel.source.replace(/^/gm, "  ")]),
  ].join("\n");
}

const workText = ({ flops, bytes, estimate }: PhaseWork): string =>
  `${inUnits(flops, "FLOP")}, ${inUnits(bytes, "B")}; about ${inUnits(estimate / 1e9, "s")} on one thread`;

const measuredText = ({
  runs,
  least,
  mean,
  flopsPerSecond,
  bytesPerSecond,
  share,
  limit,
}: Measured): string =>
  [
    `${inUnits(least / 1_000, "s")} in the quickest of ${runs} runs, ${inUnits(mean / 1_000, "s")} on average`,
    `${inUnits(flopsPerSecond, "FLOP/s")}, ${inUnits(bytesPerSecond, "B/s")}`,
    `${Math.round(100 * share)} % of what ${limit} allows`,
  ].join("; ");

/** Times are the scheduler's estimates; other decisions compare counts. */
const notFusedText = ({ op, producer, reason, measured, limit }: NotFusedExplanation): string =>
  `%${producer} ${op}: ${reason} (${
    reason === "costs more here than stored"
      ? `about ${inUnits(measured / 1e9, "s")}, stored ${inUnits(limit / 1e9, "s")}`
      : `${Math.round(measured)}, limit ${limit}`
  })`;

const prefixes = ["n", "µ", "m", "", "k", "M", "G", "T"];

/** Three digits and a prefix: `192 kFLOP`, `21.3 µs`. */
function inUnits(amount: number, unit: string): string {
  if (amount === 0) return `0 ${unit}`;
  const power = Math.min(4, Math.max(-3, Math.floor(Math.log10(amount) / 3)));
  return `${Number((amount / 1_000 ** power).toPrecision(3))} ${prefixes[power + 3]}${unit}`;
}

const bytesText = (bytes: BytesExplanation): string =>
  [
    `inputs ${bytes.inputs}, outputs ${bytes.outputs}, arena ${bytes.arena}, peak ${bytes.peak} (planned; ${bytes.naivePeak} had nothing shared)`,
    `between kernels ${bytes.intermediate}; op by op it would be ${bytes.unfused}`,
    ...(bytes.saved === 0 ? [] : [`of the outputs ${bytes.saved} are saved for what will read them`]),
  ].join("\n");
