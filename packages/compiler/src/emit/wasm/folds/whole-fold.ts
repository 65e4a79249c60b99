/** A finished fold: a uniform value that the sites within the fold's own site may read. */
import { type Accumulator, InternalError } from "@fuseau/ir";
import type { AccumulatorHome } from "../sites/accumulator-home.ts";
import type { HeldValue } from "../sites/phase-function.ts";
import type { Site } from "../sites/site.ts";
import type { LaneValue } from "../values/value.ts";
import { finish, plain, type State } from "./fold.ts";

export class WholeFold implements AccumulatorHome {
  readonly #accumulator: Accumulator;
  readonly #value: HeldValue;
  readonly #position: HeldValue | null;

  /** `whole` is uniform; its code must have been written at `site`. */
  constructor(site: Site, accumulator: Accumulator, whole: State) {
    this.#accumulator = accumulator;
    this.#value = site.hold(whole.value);
    this.#position = whole.position && site.hold(whole.position);
  }

  accumulate(): never {
    throw new InternalError(`accumulator a${this.#accumulator.accumulator} is finished`);
  }

  result(site: Site): LaneValue {
    const position = this.#position && site.held(this.#position);
    return finish(site, this.#accumulator, { ...plain(site.held(this.#value)), position });
  }
}
