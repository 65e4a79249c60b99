/**
 * Reduce loops around straight-line bodies: accumulators in registers, blocks and chunks in the accumulation order. Scans too,
 * which take their elements one by one, but for those of extremes.
 */
import { cutOf, type ReduceStatement } from "@fuseau/ir";
import { SINGLE, stepsOf } from "../../../tactics/lane-steps.ts";
import type { StraightBody } from "../../../tactics/straight.ts";
import type { Local } from "../encode/function.ts";
import { combine, plain, type State } from "../folds/fold.ts";
import { RegisterFold } from "../folds/register-fold.ts";
import { WholeFold } from "../folds/whole-fold.ts";
import { keep, onward } from "../sites/keep.ts";
import { Site } from "../sites/site.ts";
import { constantValue } from "../values/value.ts";
import { AxisLoop } from "./axis-loop.ts";
import { byRows, countOf, inStretches, type Places } from "./places.ts";
import { writeStraight } from "./straight.ts";

/** A reduce loop in a block of statements; what it folds is known behind it. */
export function writeReduce(block: Site, statement: ReduceStatement): void {
  const reduction = new Reduction(block, statement);
  const totals = reduction.walkAll(block);
  for (const fold of reduction.folds) {
    const { accumulator } = fold;
    const whole = totals.get(fold)?.state(block) ?? fold.whole(block);
    block.flush();
    block.accumulators.set(accumulator.accumulator, new WholeFold(block, accumulator, whole));
  }
}

export class Reduction {
  readonly folds: readonly RegisterFold[];
  readonly #statement: ReduceStatement;
  readonly #places: Places;
  readonly #count: Local;

  constructor(block: Site, statement: ReduceStatement) {
    this.#statement = statement;
    const { run } = statement;
    const steps = run?.kind === "vector" ? stepsOf(run, statement.axes.at(-1)!) : SINGLE;
    const rowStart = statement.axes.length === 1 ? null : block.fn.numbering.local();
    this.folds = statement.accumulators.map((accumulator) => {
      const fold = new RegisterFold(block.fn, accumulator, statement.scan ? 1 : steps.counts[0], rowStart);
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
      body: statement.body as StraightBody,
      carried: (site: Site) => this.folds.flatMap((fold) => fold.carried(site)),
    };
    if (rowStart === null) writeStraight(block, statement.row as StraightBody);
    this.#places =
      rowStart === null ? new AxisLoop(block, options) : byRows(block, statement, options, rowStart);
  }

  /** All blocks, one after another; gives the totals of those folds that have one. */
  walkAll(block: Site): ReadonlyMap<RegisterFold, Total> {
    const totals = new Map<RegisterFold, Total>();
    for (const fold of this.folds) {
      if (this.#statement.blocked && fold.accumulation.total !== null)
        totals.set(fold, new Total(block, fold));
      else empty(block, fold);
    }
    this.#places.start(block, block.code.scalar("i32", 0));
    if (!this.#statement.blocked) {
      this.#walkBlock(block, this.#count);
      return totals;
    }
    inStretches(block, this.#places.at, this.#count, block.fn.kernel.order.block, (site, end) => {
      for (const fold of totals.keys()) empty(site, fold);
      this.#walkBlock(site, end);
      const behind = new Site(block.fn, block);
      for (const [fold, total] of totals) total.add(behind, fold.whole(behind));
    });
    return totals;
  }

  /** One block by its number; its results are then in the folds. */
  walkOne(site: Site, number: Local): void {
    const { block } = site.fn.kernel.order;
    const end = site.fn.target.local("i32");
    this.#places.start(site, site.times(site.input(number, "i32"), block));
    const at = site.input(this.#places.at, "i32");
    keep(site, end, onward(site, at, block, site.input(this.#count, "i32")));
    for (const fold of this.folds) empty(site, fold);
    this.#walkBlock(site, end);
  }

  #walkBlock(site: Site, end: Local): void {
    const chunked = this.folds.filter(({ accumulation }) => accumulation.chunked);
    site.flush();
    if (chunked.length === 0) {
      this.#places.advance(site, end);
      return;
    }
    inStretches(site, this.#places.at, end, site.fn.kernel.order.chunk, (inner, chunk) => {
      for (const fold of chunked) fold.reset(inner);
      this.#places.advance(inner, chunk);
      const behind = new Site(site.fn, site);
      for (const fold of chunked) fold.foldChunk(behind);
      behind.flush();
    });
  }
}

function empty(site: Site, fold: RegisterFold): void {
  if (fold.accumulation.chunked) fold.resetRunning(site);
  else fold.reset(site);
}

/** What the blocks of a float sum or product are folded into. */
class Total {
  readonly #fold: RegisterFold;
  readonly #local: Local;

  constructor(site: Site, fold: RegisterFold) {
    this.#fold = fold;
    this.#local = site.fn.target.local("v128");
    const start = fold.accumulator.fn === "prod" ? 1 : 0;
    keep(site, this.#local, constantValue(site.code, start, "float64").registers[0]!);
  }

  state(site: Site): State {
    return plain(site.held({ dtype: "float64", width: 8, local: this.#local }));
  }

  add(site: Site, block: State): void {
    const { accumulator, accumulation } = this.#fold;
    const plain = { ...accumulation, partial: "float64", compensated: false } as const;
    const { value } = combine(site, accumulator, plain, this.state(site), block.value, null);
    keep(site, this.#local, value.registers[0]!);
  }
}
