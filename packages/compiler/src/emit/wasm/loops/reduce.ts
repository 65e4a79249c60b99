/**
 * Reduce loops around straight-line bodies: accumulators in registers, blocks and chunks in the accumulation order. Scans too,
 * which take their elements one by one unless they are extrema.
 */
import { cutOf, type ReduceStatement } from "@fuseau/ir";
import { SINGLE, stepsOf } from "../../../tactics/lane-steps.ts";
import type { StraightBody } from "../../../tactics/straight.ts";
import type { Local } from "../encode/function.ts";
import { walkBlocks } from "../folds/in-order.ts";
import { RegisterFold } from "../folds/register-fold.ts";
import { WholeFold } from "../folds/whole-fold.ts";
import { keep, onward } from "../sites/keep.ts";
import type { Site } from "../sites/site.ts";
import { AxisLoop } from "./axis-loop.ts";
import { byRows, countOf, type Places } from "./places.ts";
import { writeStraight } from "./straight.ts";

/** Writes a reduce loop in a sequence of statements. The statements behind it may read its results. */
export function writeReduce(block: Site, statement: ReduceStatement): void {
  const reduction = new Reduction(block, statement, statement.blocked);
  reduction.walkAll(block);
  for (const fold of reduction.folds) {
    const whole = fold.whole(block);
    block.flush();
    block.accumulators.set(fold.accumulator.accumulator, new WholeFold(block, fold.accumulator, whole));
  }
}

export class Reduction {
  readonly folds: readonly RegisterFold[];
  readonly #places: Places;
  readonly #count: Local;

  /** `blocked`: blocks are folded one after another. */
  constructor(block: Site, statement: ReduceStatement, blocked: boolean) {
    const { run } = statement;
    const steps = run?.kind === "vector" ? stepsOf(run, statement.axes.at(-1)!) : SINGLE;
    const isSpilled = run?.kind === "vector" && run.spilled === true;
    const rowStart = statement.axes.length === 1 ? null : block.fn.numbering.local();
    this.folds = statement.accumulators.map((accumulator) => {
      const step = statement.scan ? 1 : steps.counts[0];
      const fold = new RegisterFold(block.fn, accumulator, step, rowStart, blocked, isSpilled);
      block.accumulators.set(accumulator.accumulator, fold);
      return fold;
    });
    this.#count = countOf(block, statement.axes);
    const lanes = Math.max(
      ...this.folds.map(({ accumulation }) => (accumulation.free ? 1 : accumulation.lanes)),
    );
    const options = {
      axis: statement.axes.at(-1)!.axis,
      steps,
      lanes,
      cut: cutOf(run),
      body: (site: Site) => {
        writeStraight(site, statement.body as StraightBody);
        return this.folds.flatMap((fold) => fold.carried(site));
      },
    };
    if (rowStart === null) writeStraight(block, statement.row as StraightBody);
    this.#places =
      rowStart === null ? new AxisLoop(block, options) : byRows(block, statement, options, rowStart);
  }

  walkAll(block: Site): void {
    this.#places.start(block, block.code.scalar("i32", 0));
    walkBlocks(block, this.folds, this.#places, this.#count, block.fn.kernel.order.block);
  }

  /** Folds the block with the number in a local. The folds then hold its result. */
  walkOne(site: Site, number: Local): void {
    const { block } = site.fn.kernel.order;
    const end = site.fn.target.local("i32");
    this.#places.start(site, site.times(site.input(number, "i32"), block));
    const at = site.input(this.#places.at, "i32");
    keep(site, end, onward(site, at, block, site.input(this.#count, "i32")));
    walkBlocks(site, this.folds, this.#places, end, block);
  }
}
