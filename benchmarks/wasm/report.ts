/** What was measured, as plain data: what --json writes. */
import { geometricMean, median } from "../measure/statistics.ts";
import type { ContenderName } from "./contender.ts";
import type { Condition, Contest, Target } from "./contest.ts";
import { speed, type Times } from "./race.ts";

export interface Result {
  readonly who: ContenderName;
  /** Of a call, the median over rounds; null where it did not run, and the note says why. */
  readonly milliseconds: number | null;
  /** How many times as fast fuseau is on one thread: the median over rounds. */
  readonly behind: number | null;
  readonly note?: string;
}

export interface Verdict {
  readonly what: string;
  readonly asked: string;
  readonly reached: string;
  /** Null where it was not measured. */
  readonly met: boolean | null;
}

export interface ContestReport {
  readonly name: string;
  readonly title: string;
  /** What fuseau chose, and why. */
  readonly emitter: string;
  /** 10⁹ multiplications and additions in a second, of fuseau on one thread. */
  readonly gigaflops?: number;
  readonly results: readonly Result[];
  /** fuseau's time over that of C on one thread, by fuseau's threads: the median over rounds. */
  readonly overC: readonly [one: number | null, two: number | null];
  readonly verdicts: readonly Verdict[];
  /** Why there are no results. */
  readonly failure?: string;
}

export interface Headline {
  /** Geometric means of fuseau's time over that of C on one thread. */
  readonly one: number | null;
  readonly two: number | null;
  /** How many contests are in them. */
  readonly contests: number;
}

export interface WasmReport {
  readonly host: {
    readonly node: string;
    readonly processor: string;
    readonly cores: number;
    readonly compiler: string;
    /** Of the last minute, when the run began and when it ended. */
    readonly load: readonly [number, number];
  };
  readonly quick: boolean;
  readonly contests: readonly ContestReport[];
  readonly firstUse: readonly Verdict[];
  readonly headline: Headline;
}

export function reportOf(
  { name, title, operations, targets }: Contest,
  emitter: string,
  times: Times,
  absent: ReadonlyMap<string, string>,
): ContestReport {
  const timed = [...times].map(
    ([who, rounds]): Result => ({
      who,
      milliseconds: median(rounds),
      behind: speed(times, "fuseau 1", who),
    }),
  );
  const others = [...absent].map(
    ([who, note]): Result => ({
      who: who as ContenderName,
      milliseconds: null,
      behind: null,
      note,
    }),
  );
  return {
    name,
    title,
    emitter,
    ...gigaflopsOf(operations, times),
    results: [...timed, ...others],
    overC: [speed(times, "C 1", "fuseau 1"), speed(times, "C 1", "fuseau 2")],
    verdicts: targets.map((target) => verdictOf(name, target, times)),
  };
}

function gigaflopsOf(
  operations: number | undefined,
  times: Times,
): Pick<ContestReport, "gigaflops"> | Record<never, never> {
  const own = times.get("fuseau 1");
  return operations === undefined || own === undefined ? {} : { gigaflops: operations / median(own) / 1e6 };
}

function verdictOf(name: string, target: Target, times: Times): Verdict {
  const judged = target.map((condition) => judge(condition, times));
  const known = judged.filter(({ met }) => met !== null);
  return {
    what: name,
    asked: judged.map(({ asked }) => asked).join(", or "),
    reached: judged.map(({ reached }) => reached).join(", "),
    met: known.length === 0 ? null : known.some(({ met }) => met),
  };
}

function judge(condition: Condition, times: Times): Omit<Verdict, "what"> {
  if (condition.kind === "time") {
    const own = times.get(condition.who);
    const reached = own === undefined ? null : 1e3 * median(own);
    return {
      asked: `${condition.who}: at most ${condition.microseconds} µs`,
      reached: reached === null ? "not measured" : `${reached.toFixed(1)} µs`,
      met: reached === null ? null : reached <= condition.microseconds,
    };
  }
  const { who, against, atLeast } = condition;
  const asked = `${who}: at least ${atLeast} × ${against}`;
  const reached = speed(times, who, against);
  if (reached === null) return { asked, reached: "not measured", met: null };
  const text = `${reached.toFixed(2)} ×`;
  if (onTwo.has(who) && isBusy(times)) return { asked, reached: `${text} on a busy machine`, met: null };
  return { asked, reached: text, met: reached >= atLeast };
}

const onTwo: ReadonlySet<ContenderName> = new Set(["fuseau 2", "C 2"]);

/** Where C gains nothing from a second thread, there was no processor for it, and nothing is known of two threads. */
function isBusy(times: Times): boolean {
  const gain = speed(times, "C 2", "C 1");
  return gain !== null && gain < 1;
}

/** The geometric means over all contests that C runs. */
export function headlineOf(contests: readonly ContestReport[]): Headline {
  const ratios = (thread: 0 | 1): number[] =>
    contests.flatMap(({ overC }) => (overC[thread] === null ? [] : [overC[thread] as number]));
  return { one: meanOf(ratios(0)), two: meanOf(ratios(1)), contests: ratios(0).length };
}

const meanOf = (ratios: readonly number[]): number | null =>
  ratios.length === 0 ? null : geometricMean(ratios);
