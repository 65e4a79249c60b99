/** A loop over one axis around a straight-line body; cut into pieces where the tests of the body change along it. */
import type { Cut, Integer } from "@fuseau/ir";
import type { Steps } from "../../../tactics/lane-steps.ts";
import type { StraightBody } from "../../../tactics/straight.ts";
import type { Local } from "../encode/function.ts";
import type { Register } from "../lanes/straight.ts";
import { keep } from "../sites/keep.ts";
import { Site } from "../sites/site.ts";
import { type Carried, StraightLoop } from "../sites/straight-loop.ts";
import { writeStraight } from "./straight.ts";

export interface AxisLoop {
  /** Where the axis stands. */
  readonly at: Local;
  /** Puts it where a register of a site in front of the loop says. */
  start(site: Site, from: Register): void;
  /** Walks on to `end`. Of rows that follow each other, `rowStart` is what a place is more than the axis. */
  run(site: Site, end: Local, rowStart?: Local): void;
}

export interface AxisLoopOptions {
  readonly axis: number;
  readonly steps: Steps;
  /** Steps of several elements begin at places that are multiples of this, or of their number; 1 where any will do. */
  readonly lanes: number;
  /** Where it is cut. */
  readonly cut: Cut | null;
  readonly body: StraightBody;
  /** What is carried from step to step. */
  carried(site: Site): readonly Carried[];
}

export function axisLoop(block: Site, options: AxisLoopOptions): AxisLoop {
  const { axis, steps, lanes, cut, body, carried } = options;
  if (cut !== null) return new PiecedLoop(block, cut, options);
  const loop = new StraightLoop(block, axis, steps, (site) => {
    writeStraight(site, body);
    return carried(site);
  });
  return {
    at: loop.at,
    start: (site, from) => loop.start(site, from),
    run: (_, end, rowStart) => {
      // A loop that is not cut and is all of its row begins at a multiple.
      if (rowStart === undefined || lanes === 1) loop.run(end);
      else loop.runPlaced(end, lanes, rowStart);
    },
  };
}

class PiecedLoop implements AxisLoop {
  readonly at: Local;
  readonly #loop: StraightLoop;
  /** Where the piece at hand starts. */
  readonly #first: Local;
  readonly #cuts: readonly { readonly value: Integer; readonly local: Local }[];
  readonly #lanes: number;

  constructor(block: Site, cut: Cut, { axis, steps, lanes, body, carried }: AxisLoopOptions) {
    const { target } = block.fn;
    this.#first = target.local("i32");
    this.#cuts = cut.at.map((value) => ({ value, local: target.local("i32") }));
    this.#lanes = lanes;
    block.axes.set(cut.first, this.#first);
    this.#loop = new StraightLoop(block, axis, steps, (site) => {
      writeStraight(site, body);
      return carried(site);
    });
    this.at = this.#loop.at;
  }

  start(site: Site, from: Register): void {
    for (const { value, local } of this.#cuts) keep(site, local, site.integer(value));
    keep(site, this.at, from);
  }

  run(outside: Site, end: Local, rowStart?: Local): void {
    const { target } = outside.fn;
    const piece = target.local("i32");
    target.whileBelow(this.at, end, () => {
      target.get(this.at).set(this.#first).get(end).set(piece);
      for (const { local } of this.#cuts) this.#cutAt(outside, local, piece);
      const site = new Site(outside.fn, outside);
      this.#loop.start(site, site.input(this.at, "i32"));
      if (this.#lanes === 1) this.#loop.run(piece);
      else this.#loop.runPlaced(piece, this.#lanes, rowStart ?? null);
    });
  }

  /** A cut behind the start of the piece ends it. */
  #cutAt({ fn: { target } }: Site, cut: Local, piece: Local): void {
    target.get(cut).get(piece);
    target.get(this.#first).get(cut).op("i32.lt_s").get(cut).get(piece).op("i32.lt_s").op("i32.and");
    target.select().set(piece);
  }
}
