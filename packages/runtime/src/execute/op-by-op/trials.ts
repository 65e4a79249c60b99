/**
 * Long recordings that are new run op by op before it is asked what parts they have. Loops whose rounds are of any number, or on tensors of any
 * size, come to another recording each time, and to find, learn and compile their parts takes seconds.
 */
import { mix } from "@fuseau/ir";
import { LruCache } from "../../cache/lru.ts";
import type { Value } from "../../value.ts";
import { hashOfValue } from "../extract/structure.ts";
import { NODE_COMPILED } from "../programs/costs.ts";
import { firstRuns } from "./first-runs.ts";

/** Recordings that end alike, whatever their sizes and however long they are. */
export interface Trial {
  /** Nanoseconds that they have lost, run op by op. */
  lost: number;
}

const trials = new LruCache<number, Trial>();
trials.setLimits(1_024, 2 ** 18);
const BYTES = 128;

export const clearTrials = (): void => trials.clear();

/** How many nodes such recordings have. Shorter ones are quickly compiled; in longer ones, loops of many rounds, a program for a round runs many times. */
const [LEAST, MOST] = [100, 1_200];

/** A trial ends when its recordings have lost so many times what compiling one takes. */
const PATIENCE = 4;

/** The trial of what is wanted; null of recordings of other lengths, and where it has ended. */
export function trialOf(wanted: readonly Value[], nodes: number): Trial | null {
  if (nodes < LEAST || nodes > MOST || !firstRuns.areTried) return null;
  let hash = 23;
  for (const value of wanted) {
    hash = mix(hash, hashOfValue(value));
    for (const input of value.inputs) hash = mix(hash, input.storage === null ? hashOfValue(input) : -1);
  }
  let trial = trials.find(hash);
  if (trial === undefined) {
    trial = { lost: 0 };
    trials.add(hash, trial, BYTES);
  }
  return trial.lost < PATIENCE * NODE_COMPILED * nodes ? trial : null;
}
