/** The questions asked of the airports, as expressions that are recorded anew each time. */
import { type AnyTensor, fromTypedArray } from "fuseau";
import { meanWithinGroups, nearest, nearestByHand } from "./great-circle.ts";
import type { Airport } from "./load.ts";

export interface Survey {
  /** In alphabetical order: the groups of `means`. */
  readonly states: readonly string[];
  /** Of each airport, the index of the nearest other and its distance. */
  readonly nearest: () => { readonly index: AnyTensor; readonly distance: AnyTensor };
  /** Of each state, the mean distance between two different airports. */
  readonly means: () => { readonly mean: AnyTensor };
  /** `nearest` without fuseau. */
  readonly nearestByHand: () => { readonly index: Int32Array; readonly distance: Float32Array };
}

export function surveyOf(airports: readonly Airport[]): Survey {
  const latitude = Float32Array.from(airports, (airport) => airport.latitude);
  const longitude = Float32Array.from(airports, (airport) => airport.longitude);
  const states = [...new Set(airports.flatMap(({ state }) => state ?? []))].sort();
  const group = Int32Array.from(airports, ({ state }) => (state === null ? -1 : states.indexOf(state)));

  const places = { latitude: fromTypedArray(latitude), longitude: fromTypedArray(longitude) };
  const groups = fromTypedArray(group);
  return {
    states,
    nearest: () => nearest(places),
    means: () => ({ mean: meanWithinGroups(places, groups, states.length) }),
    nearestByHand: () => nearestByHand(latitude, longitude),
  };
}
