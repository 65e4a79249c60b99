/** Remembers the stages of recordings, and how often these have come: one that has settled is better one program. */
import { LruCache } from "../../cache/lru.ts";
import type { Value } from "../../value.ts";
import type { Extraction } from "../extract/extract.ts";
import { type KnownLoop, LONG, type Loop, stagesOf } from "./stages.ts";

/** The stages of a long recording that are to be computed. */
export interface Parts {
  readonly parts: readonly (readonly Value[])[];
  /** Before each stage, and behind them: what joins values that may have been stored by then. */
  readonly joins: readonly (readonly Value[])[];
}

export const noParts: Parts = { parts: [], joins: [] };

/**
 * The stages of a long recording with loops in it. They are found once for each hash: recordings of one hash have them at the same
 * positions. If `maySettle` is true, a recording of short loops that has come often has none.
 */
export function stagesIn(
  { order, recorded }: Extraction,
  wanted: readonly Value[],
  maySettle: boolean,
): Parts {
  if (order.length < LONG) return noParts;
  let found = known.find(recorded, ({ length }) => length === order.length);
  if (found === undefined) {
    const { stages, joins, loops, areShort } = stagesOf(order, wanted, loopOf);
    loops.forEach(noteLoop);
    found = {
      length: order.length,
      stages: stages.map(positionsOf),
      joins: joins.map(positionsOf),
      short: areShort ? loops.map(({ round }) => round) : [],
      times: 0,
    };
    const lists = [...found.stages, ...found.joins];
    known.add(recorded, found, 64 + 8 * lists.reduce((sum, list) => sum + 8 + list.length, 0));
  }
  if (maySettle && found.short.length > 0 && found.times++ >= (found.short.some(varies) ? OFTEN : SETTLED))
    return noParts;
  // If another recording has the same hash, its values may be computed in this order too. At least one must still be uncomputed.
  const at = (position: number): Value => order[position] as Value;
  const parts = found.stages.map((stage) => stage.map(at).filter(({ storage }) => storage === null));
  if (!parts.some((part) => part.length > 0)) return noParts;
  return { parts, joins: found.joins.map((positions) => positions.map(at)) };
}

const positionsOf = (values: readonly Value[]): readonly number[] => values.map(({ position }) => position);

/**
 * After so many times a recording of short loops is one program, which runs faster. Where the loops have come with other numbers of rounds,
 * as those over sequences of any length do, each recording comes seldom: it is one only when stages have lost what compiling it takes.
 */
const [SETTLED, OFTEN] = [2, 64];

interface Staged {
  readonly length: number;
  /** Both as positions; empty where nothing repeats. */
  readonly stages: readonly (readonly number[])[];
  readonly joins: readonly (readonly number[])[];
  /** The hashes of its rounds, if all loops are short. */
  readonly short: readonly number[];
  /** How often it was computed. */
  times: number;
}

/** The stages of long recordings by hash. */
const known = new LruCache<number, Staged>();
known.setLimits(4_096, 2 ** 20);

/** Loops by the hash of a round. */
const loops = new LruCache<number, KnownLoop>();
loops.setLimits(1_024, 2 ** 16);
const BYTES = 64;

const loopOf = (round: number): KnownLoop | undefined => loops.find(round, () => true);

function noteLoop({ round, count, each }: Loop): void {
  const before = loopOf(round);
  if (before === undefined) loops.add(round, { count, each, varies: false }, BYTES);
  else before.varies ||= before.count !== count;
}

const varies = (round: number): boolean => loopOf(round)?.varies === true;

export function clearStaged(): void {
  known.clear();
  loops.clear();
}
