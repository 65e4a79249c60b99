/** Races programs that another process sends, one at a time: that one ends this if it takes too long. */
import { setThreads } from "fuseau";
import type { Budget } from "../measure/processor-time.ts";
import type { Wish } from "./generate.ts";
import { type Path, type Race, race } from "./race.ts";
import { raceText } from "./text.ts";

export interface Question {
  readonly seed: number;
  readonly wish: Wish;
  readonly emitter: Path["emitter"];
  /** Its text too, and at length from the start. */
  readonly atLength: boolean;
}

/** Null where nothing was found; else a fault or, of a loss or what was asked for at length, the program and what runs. */
export type Answer = Pick<Race, "seed" | "fused" | "eager" | "ratio"> & { readonly text: string | null };
export type Reply = Answer | { readonly seed: number; readonly fault: string };

const BRIEF: Budget = { measure: 20, warm: 15, rounds: 5 };
const LONG: Budget = { measure: 250, warm: 100, rounds: 9 };
/** How often a suspect is raced again. */
const MOST_TIMES = 3;
const SUSPECT = 1 / 1.05;
export const LOST = 1 / 1.1;

async function answer({ seed, wish, emitter, atLength }: Question): Promise<Answer> {
  let found = await race(seed, wish, emitter, atLength ? LONG : BRIEF);
  // Of so many brief measurements some are wrong: what looks like a loss is measured again, at length, until it is none.
  for (let times = 0; !atLength && times < MOST_TIMES && found.ratio < SUSPECT; times++)
    found = await race(seed, wish, emitter, LONG);
  const { fused, eager, ratio } = found;
  return { seed, fused, eager, ratio, text: atLength || ratio < LOST ? raceText(found, emitter) : null };
}

setThreads(1);
process.on("message", async (question: Question) => {
  let reply: Reply;
  try {
    reply = await answer(question);
  } catch (error) {
    reply = { seed: question.seed, fault: error instanceof Error ? error.message : String(error) };
  }
  process.send?.(reply);
});
process.on("disconnect", () => process.exit());
