/** A loop over one axis around a straight-line body. It is cut into pieces where tests of the body change along the axis. */
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
  /** Steps of several elements begin at multiples of this, or of their number; 1 if they may begin anywhere. */
  readonly lanes: number;
  /** Null if the loop is not cut. */
  readonly cut: Cut | null;
  readonly body: Body;
}

export class AxisLoop {
  /** The axis. */
  readonly at: Local;
  readonly #loop: StraightLoop;
  readonly #lanes: number;
  /** Null if the loop is not cut. */
  readonly #pieces: Pieces | null;

  constructor(block: Site, { axis, steps, lanes, cut, body }: AxisLoopOptions) {
    this.#lanes = lanes;
    this.#pieces = cut && piecesOf(block, cut);
    this.#loop = new StraightLoop(block, axis, steps, body);
    this.at = this.#loop.at;
  }

  /** Sets the axis to a register of a site in front of the loop. */
  start(site: Site, from: Register): void {
    if (this.#pieces === null) {
      this.#loop.start(site, from);
      return;
    }
    for (const { value, local } of this.#pieces.cuts) keep(site, local, site.integer(value));
    keep(site, this.at, from);
  }

  /** Advances to `end`. With several rows, `rowStart` is the row-major place of the row's first element. */
  advance(outside: Site, end: Local, rowStart: Local | null = null): void {
    if (this.#pieces === null) {
      // A loop that is not cut and walks a single row begins at a multiple already.
      if (rowStart === null || this.#lanes === 1) this.#loop.run(end);
      else this.#loop.runPlaced(end, this.#lanes, rowStart);
      return;
    }
    const { first, cuts } = this.#pieces;
    const { target } = outside.fn;
    const piece = target.local("i32");
    target.whileBelow(this.at, end, () => {
      target.get(this.at).set(first).get(end).set(piece);
      // The piece ends at the first cut behind its start.
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
  /** The first iteration of the current piece. */
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
