/** What is good and what is bad: settings are compared with a reference that is believed. */
import { type Emitter, emitters, type RuleEvent } from "../../packages/compiler/src/index.ts";
import type { Executable } from "../../packages/runtime/src/execute/programs/executable.ts";
import { difference, type Outcome } from "./compare.ts";
import type { Result, Setting, Specimen } from "./specimen.ts";

export interface BisectOptions {
  /** The emitter at fault, in place of the dump's. */
  readonly emitter?: Emitter | undefined;
  /** The emitter of the reference. Default: another than the one at fault, which a third bears out; of a slow dump the fastest. */
  readonly reference?: Emitter | undefined;
  /** Default "none". */
  readonly referenceFusion?: "on" | "none" | undefined;
  /** Whether the reference applies rewrite rules. Default "none". */
  readonly referenceRules?: "on" | "none" | undefined;
  /** By which floats may differ, in parts of the largest of a result. Default 1e-4 for float32, 1e-9 for float64, 1e-2 for float16. */
  readonly tolerance?: number | undefined;
  /** Looks for what makes it slow: what takes more than `ratio` of the reference's processor time. */
  readonly slow?: boolean | undefined;
  /** Default 1.5. */
  readonly ratio?: number | undefined;
}

export interface Judge {
  readonly suspect: Setting;
  readonly reference: Setting;
  readonly isBad: (setting: Setting) => boolean;
  /** What differs from the reference in what a run gives; null of what is slow. */
  readonly differs: ((run: () => readonly Result[]) => string | null) | null;
}

/** Judges what a setting gives. */
export function fault(specimen: Specimen, options: BisectOptions, say: (line: string) => void): Judge {
  const suspect = specimen.setting;
  const laws =
    options.referenceRules === "on" ? [] : lawsIn(specimen, referenceFor(suspect, options, "closure"));
  const candidates = emitters.map((emitter) => {
    const setting: Setting = { ...referenceFor(suspect, options, emitter), laws };
    return { setting, expected: outcomeOf(() => specimen.results(setting)) };
  });
  const { setting: reference, expected } = trusted(candidates, suspect, options.tolerance);
  say(`reference: ${show(reference)}`);
  const differs = (run: () => readonly Result[]): string | null =>
    difference(outcomeOf(run), expected, options.tolerance);
  const isBad = known(suspect, (setting) => {
    const found = differs(() => specimen.results(setting));
    say(`${show(setting)}: ${found ?? "right"}`);
    return found !== null;
  });
  return { suspect, reference, isBad, differs };
}

function outcomeOf(run: () => readonly Result[]): Outcome {
  try {
    return { results: run() };
  } catch (error) {
    return { thrown: String(error).split("\n", 1)[0] as string };
  }
}

interface Candidate {
  readonly setting: Setting;
  readonly expected: Outcome;
}

/** By another emitter than the one at fault if possible, and one that gives what a further one gives. */
function trusted(
  candidates: readonly Candidate[],
  suspect: Setting,
  tolerance: number | undefined,
): Candidate {
  const preferred = candidates.filter(({ setting }) => setting.emitter !== suspect.emitter);
  const agrees = (candidate: Candidate): boolean =>
    candidates.some(
      (other) =>
        other.setting.emitter !== candidate.setting.emitter &&
        difference(candidate.expected, other.expected, tolerance) === null,
    );
  return preferred.find(agrees) ?? preferred[0] ?? (candidates[0] as Candidate);
}

/** Judges what a setting takes. */
export function slowness(specimen: Specimen, options: BisectOptions, say: (line: string) => void): Judge {
  const suspect = specimen.setting;
  const { ratio = 1.5 } = options;
  const laws = options.referenceRules === "on" ? [] : lawsIn(specimen, referenceFor(suspect, options, "js"));
  const candidates = emitters.map((emitter) => ({ ...referenceFor(suspect, options, emitter), laws }));
  const made = (options.reference === undefined ? candidates : candidates.slice(0, 1)).map((setting) => ({
    setting,
    executable: specimen.executable(setting, specimen.program(setting)),
  }));
  const times = made.map(({ executable }) => specimen.time(executable));
  const { setting: reference, executable: fastest } = made[
    times.indexOf(Math.min(...times))
  ] as (typeof made)[number];
  say(`reference: ${show(reference)}, ${Math.min(...times).toPrecision(3)} ms of processor time`);
  const relative = (executable: Executable): number => {
    // In turn, and the least of each: whatever else the machine does adds time, and never takes any away.
    let [own, other] = [Infinity, Infinity];
    for (let round = 0; round < ROUNDS; round++) {
      own = Math.min(own, specimen.time(executable));
      other = Math.min(other, specimen.time(fastest));
    }
    return own / other;
  };
  const isBad = known(suspect, (setting) => {
    const found = relative(specimen.executable(setting, specimen.program(setting)));
    say(`${show(setting)}: ${found.toPrecision(3)} × the reference's time`);
    return found > ratio;
  });
  return { suspect, reference, isBad, differs: null };
}

/** Measurements of each of two that are compared. */
const ROUNDS = 3;

const referenceFor = (suspect: Setting, options: BisectOptions, emitter: Emitter): Setting => ({
  ...suspect,
  emitter: options.reference ?? emitter,
  fusion: options.referenceFusion ?? "none",
});

/** Asked once of each setting. */
function known(suspect: Setting, isBad: (setting: Setting) => boolean): (setting: Setting) => boolean {
  const answers = new Map<string, boolean>();
  return (setting) => {
    const key = JSON.stringify({ ...suspect, ...setting });
    const answer = answers.get(key) ?? isBad(setting);
    answers.set(key, answer);
    return answer;
  };
}

/** The laws of all rules that are applied, and of those that are where others are not. */
export function lawsIn(specimen: Specimen, setting: Setting): readonly string[] {
  const laws = new Set<string>();
  for (let count = -1; laws.size > count; ) {
    count = laws.size;
    for (const { law } of rewrites(specimen, { ...setting, laws: [...laws] })) laws.add(law);
  }
  return [...laws];
}

export function rewrites(specimen: Specimen, setting: Setting): readonly RuleEvent[] {
  const found: RuleEvent[] = [];
  try {
    specimen.program(setting, (event) => {
      if (event.kind === "rule") found.push(event);
    });
  } catch {
    // What was applied before it failed is what may have made it fail.
  }
  return found;
}

function show({ emitter, fusion, laws, stored }: Setting): string {
  const rules = laws.length === 0 ? "" : `, without ${laws.length} ${laws.length === 1 ? "rule" : "rules"}`;
  const kept =
    stored.length === 0 ? "" : `, ${stored.length} ${stored.length === 1 ? "node" : "nodes"} stored`;
  return `${emitter}, fusion ${fusion}${rules}${kept}`;
}
