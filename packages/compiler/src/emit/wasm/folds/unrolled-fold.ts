/** An accumulator of a loop that is written out: each lane of its law is a value of the site's own lanes. */
import type { AccumulateStatement, Accumulator } from "@fuseau/ir";
import type { AccumulatorHome } from "../sites/accumulator-home.ts";
import { indexValue } from "../sites/indexes.ts";
import type { Site } from "../sites/site.ts";
import { castValue } from "../values/cast.ts";
import { constantValue, type LaneValue } from "../values/value.ts";
import { combine, finish, lift, plain, type State, settled } from "./fold.ts";
import { tree } from "./lanes.ts";
import { type Law, lawOf } from "./law.ts";

export class UnrolledFold implements AccumulatorHome {
  readonly #accumulator: Accumulator;
  readonly #law: Law;
  readonly #states: State[] = [];
  #place = 0;

  constructor(accumulator: Accumulator) {
    this.#accumulator = accumulator;
    this.#law = { ...lawOf(accumulator), marked: false };
  }

  accumulate(site: Site, statement: AccumulateStatement): void {
    const law = this.#law;
    const values = statement.values.map((value) => site.value(value));
    const x = lift(site, this.#accumulator, law, values);
    const position = law.positioned ? indexValue(site, statement.position, "int32") : null;
    const lane = this.#place++ % law.lanes;
    const state = this.#states[lane] ?? this.#start(site);
    this.#states[lane] = combine(site, this.#accumulator, law, state, x, position);
  }

  result(site: Site): LaneValue {
    return finish(site, this.#accumulator, this.#whole(site));
  }

  #start({ code }: Site): State {
    const { start, partial, compensated, positioned } = this.#law;
    return {
      ...plain(constantValue(code, start, partial)),
      compensation: compensated ? constantValue(code, 0, "float64") : null,
      position: positioned ? constantValue(code, 0, "int32") : null,
    };
  }

  #whole(site: Site): State {
    const law = this.#law;
    const states = this.#states.map((state) => settled(site, state));
    if (states.length === 0) return this.#start(site);
    if (!law.chunked) return tree(site, this.#accumulator, law, padded(states, law.lanes))!;
    // Sixteen lanes join as the registers that hold them would, and go on as float64.
    const four = Array.from({ length: 4 }, (_, k) =>
      tree(site, this.#accumulator, law, [states[k], states[k + 4], states[k + 8], states[k + 12]]),
    );
    const wide = { ...law, partial: "float64" } as const;
    const doubles = four.map(
      (state) => state && { ...state, value: castValue(site, state.value, "float64") },
    );
    const two = [0, 1].map((k) => tree(site, this.#accumulator, wide, [doubles[k], doubles[k + 2]]));
    return tree(site, this.#accumulator, wide, two)!;
  }
}

const padded = (states: readonly State[], count: number): (State | undefined)[] =>
  Array.from({ length: count }, (_, k) => states[k]);
