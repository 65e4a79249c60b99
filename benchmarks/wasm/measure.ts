/** One contest, from its check to its verdicts. */
import type { Native } from "../native/compile.ts";
import { nativeContender } from "../native/contender.ts";
import { type Jax, jaxContender } from "../peers/jax-contender.ts";
import { type Tensorflow, tensorflowContender } from "../peers/tensorflow-contender.ts";
import { checked } from "./check.ts";
import type { Contender, ContenderName } from "./contender.ts";
import type { Contest } from "./contest.ts";
import { choiceOf, javascript, threaded, unfused } from "./fuseau.ts";
import { type Budget, race } from "./race.ts";
import { type ContestReport, reportOf } from "./report.ts";

/** What there is beside fuseau; text says why something is not. */
export interface Field {
  readonly native: Native | string;
  readonly jax: Jax | string;
  readonly tensorflow: Tensorflow | string;
}

export async function measure(contest: Contest, field: Field, budget: Budget): Promise<ContestReport> {
  const { name, title } = contest;
  const contenders: Contender[] = [];
  const missing = new Map<ContenderName, string>();
  try {
    for (const [who, entry] of entriesOf(contest, field)) {
      const contender = entry();
      if (typeof contender === "string") missing.set(who, contender);
      else contenders.push(contender);
    }
    const { agreeing, absent } = await checked(contenders, contest);
    const times = await race(agreeing, budget);
    return reportOf(contest, choiceOf(contest), times, new Map([...missing, ...absent]));
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { name, title, emitter: "", results: [], overC: [null, null], verdicts: [], failure };
  } finally {
    for (const { dispose } of contenders) dispose();
  }
}

type Entry = readonly [who: ContenderName, entry: () => Contender | string];

/** Everyone, or why not. */
function entriesOf(contest: Contest, { native, jax, tensorflow }: Field): readonly Entry[] {
  const own: readonly Entry[] = [
    ["fuseau 1", () => threaded(contest, 1)],
    ["js", () => javascript(contest)],
  ];
  if (contest.size === "small") return own;
  const byOp: readonly Entry[] =
    contest.operations === undefined ? [] : [["unfused", () => unfused(contest)]];
  const inC = (threads: 1 | 2): Entry => [
    `C ${threads}`,
    () => {
      if (typeof native === "string") return native;
      if (contest.inC === false) return none;
      if (threads > 1 && !native.threads) return "gcc has no OpenMP here";
      return nativeContender(`C ${threads}`, native, contest.name, threads);
    },
  ];
  const none = "has no such computation";
  return [
    ...own,
    ...byOp,
    ["fuseau 2", () => threaded(contest, 2)],
    ["jax-js", () => (typeof jax === "string" ? jax : (jaxContender(jax, contest) ?? none))],
    [
      "tfjs",
      () =>
        typeof tensorflow === "string" ? tensorflow : (tensorflowContender(tensorflow, contest) ?? none),
    ],
    inC(1),
    inC(2),
  ];
}
