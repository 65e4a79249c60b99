/** The answers in the order in which they are told. */
import type { Airport } from "./load.ts";

export interface Remote {
  readonly airport: Airport;
  readonly nearest: Airport;
  readonly kilometres: number;
}

/** The `count` airports that are farthest from their nearest neighbours. */
export function remotest(
  airports: readonly Airport[],
  index: ArrayLike<number>,
  distance: ArrayLike<number>,
  count: number,
): Remote[] {
  return airports
    .map((airport, i) => ({ airport, nearest: airports[index[i]!]!, kilometres: distance[i]! }))
    .sort((a, b) => b.kilometres - a.kilometres)
    .slice(0, count);
}

export interface StateMean {
  readonly state: string;
  readonly airports: number;
  /** The mean distance between two different airports of the state; null when it has but one. */
  readonly kilometres: number | null;
}

/** The widest apart first, states with one airport last. */
export function widest(
  airports: readonly Airport[],
  states: readonly string[],
  means: ArrayLike<number>,
): StateMean[] {
  return states
    .map((state, k) => ({
      state,
      airports: airports.filter((airport) => airport.state === state).length,
      kilometres: Number.isNaN(means[k]!) ? null : means[k]!,
    }))
    .sort((a, b) => (b.kilometres ?? -1) - (a.kilometres ?? -1));
}
