/** A loop over one axis around a straight-line body; cut into pieces where the tests of the body change along it. */
import type { Cut, Integer } from "@fuseau/ir";
import type { Steps } from "../../../tactics/lane-steps.ts";
import type { Local } from "../encode/function.ts";
import type { Register } from "../lanes/straight.ts";
import { keep } from "../sites/keep.ts";
import { Site } from "../sites/site.ts";
import { type Body, StraightLoop } from "../sites/straight-loop.ts";

export interface AxisLoopOptions {
  readonly axis: number;
  readonly steps: Steps;
  /** Steps of several elements begin at places that are multiples of this, or of their number; 1 where any will do. */
  readonly lanes: number;
  /** Where it is cut. */
  readonly cut: Cut | null;
  readonly body: Body;
}

export class AxisLoop {
  /** Where the axis stands. */
  readonly at: Local;
  readonly #loop: StraightLoop;
  readonly #lanes: number;
  /** Null where it is not cut. */
  readonly #pieces: Pieces | null;

  constructor(block: Site, { axis, steps, lanes, cut, body }: AxisLoopOptions) {
    this.#lanes = lanes;
    this.#pieces = cut && piecesOf(block, cut);
    this.#loop = new StraightLoop(block, axis, steps, body);
    this.at = this.#loop.at;
  }

  /** Puts the axis where a register of a site in front of the loop says. */
  start(site: Site, from: Register): void {
    if (this.#pieces === null) {
      this.#loop.start(site, from);
      return;
    }
    for (const { value, local } of this.#pieces.cuts) keep(site, local, site.integer(value));
    keep(site, this.at, from);
  }

  /** Walks on to `end`. Of rows that follow each other, `rowStart` is what a place is more than the axis. */
  advance(outside: Site, end: Local, rowStart: Local | null = null): void {
    if (this.#pieces === null) {
      // A loop that is not cut and is all of its row begins at a multiple.
      if (rowStart === null || this.#lanes === 1) this.#loop.run(end);
      else this.#loop.runPlaced(end, this.#lanes, rowStart);
      return;
    }
    const { first, cuts } = this.#pieces;
    const { target } = outside.fn;
    const piece = target.local("i32");
    target.whileBelow(this.at, end, () => {
      target.get(this.at).set(first).get(end).set(piece);
      // A cut behind the start of the piece ends it.
      for (const { local } of cuts) {
        target.get(local).get(piece);
        target.get(first).get(local).op("i32.lt_s").get(local).get(piece).op("i32.lt_s").op("i32.and");
        target.select().set(piece);
      }
      const site = new Site(outside.fn, outside);
      this.#loop.start(site, site.input(this.at, "i32"));
      if (this.#lanes === 1) this.#loop.run(piece);
      else this.#loop.runPlaced(piece, this.#lanes, rowStart);
    });
  }
}

interface Pieces {
  /** Where the piece at hand starts. */
  readonly first: Local;
  readonly cuts: readonly { readonly value: Integer; readonly local: Local }[];
}

function piecesOf(block: Site, { first: axis, at }: Cut): Pieces {
  const { target } = block.fn;
  const first = target.local("i32");
  const cuts = at.map((value) => ({ value, local: target.local("i32") }));
  block.axes.set(axis, first);
  return { first, cuts };
}
