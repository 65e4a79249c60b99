/**
 * The sums of a float dot in locals. Several blocks are summed at once, each in a lane of its own, with their elements
 * interleaved; the sum of earlier blocks is in another local.
 */
import { type AccumulateStatement, InternalError } from "@fuseau/ir";
import type { Local } from "../encode/function.ts";
import { factorsOf, multiplyAdd, productType } from "../folds/products.ts";
import type { RowFold } from "../folds/row-fold.ts";
import type { Register } from "../lanes/straight.ts";
import { columnsOf, splatLane } from "../lanes/transpose.ts";
import { applyOp } from "../pointwise/apply.ts";
import type { AccumulatorHome } from "../sites/accumulator-home.ts";
import { keep } from "../sites/keep.ts";
import type { Site } from "../sites/site.ts";
import type { Carried } from "../sites/straight-loop.ts";
import { interleaved } from "../values/interleave.ts";
import { constantValue, type LaneValue, widthOf } from "../values/value.ts";

export class DotStreams implements AccumulatorHome {
  readonly #fold: RowFold;
  readonly #dtype: "float32" | "float64";
  readonly #total: Local;
  readonly #blocks: readonly Local[];
  /** The factors of each stream in the current step, in a vector each. */
  #factors: (readonly [Register, Register])[] = [];

  /** `streams`: the most blocks that are summed at once. The fold gets the result. */
  constructor(block: Site, fold: RowFold, streams: number) {
    const { target } = block.fn;
    this.#fold = fold;
    this.#dtype = productType(fold.accumulator);
    this.#total = target.local("v128");
    this.#blocks = Array.from({ length: streams / this.lanes }, () => target.local("v128"));
    this.#clear(block, this.#total);
  }

  get lanes(): 2 | 4 {
    return this.#dtype === "float64" ? 2 : 4;
  }

  begin(site: Site): void {
    for (const local of this.#blocks) this.#clear(site, local);
  }

  /** From here on, elements are added to the streams, from the first on. */
  select(site: Site): void {
    site.accumulators.set(this.#fold.accumulator.accumulator, this);
    this.#factors = [];
  }

  accumulate(site: Site, statement: AccumulateStatement): void {
    const [x, y] = factorsOf(site, statement, this.#dtype);
    this.#factors.push([x.registers[0]!, y.registers[0]!]);
  }

  result(): never {
    throw new InternalError(`accumulator a${this.#fold.accumulator.accumulator} is not finished`);
  }

  /** The sums after a step. */
  carried(site: Site): Carried[] {
    const { lanes } = this;
    const kind = site.fn.kinds[this.#dtype];
    const factors = this.#factors;
    const before = this.#blocks.map((local) => site.varyingInput(local, "v128"));
    const after = interleaved(site.code, Math.ceil(factors.length / lanes), (k) => {
      const own = factors.slice(k * lanes, (k + 1) * lanes);
      return this.#added(site, kind, before[k]!, own);
    });
    return after.map((register, k) => ({ local: this.#blocks[k]!, register }));
  }

  #added(
    { code, count }: Site,
    kind: Site["fn"]["kinds"]["float32"],
    before: Register,
    factors: readonly (readonly [Register, Register])[],
  ): Register {
    if (factors.length === 1) {
      const [x, y] = factors[0]!;
      return multiplyAdd(code, kind, x, y, before);
    }
    const { multiplyAdd: op } = kind;
    if (typeof op !== "string") {
      const products = factors.map(([x, y]) => code.op(op.multiply, x, y));
      const columns = columnsOf(code, products, count);
      return columns.reduce((sum, each) => code.op(op.add, sum, each), before);
    }
    const [x, y] = [0, 1].map((k) =>
      columnsOf(
        code,
        factors.map((each) => each[k]!),
        count,
      ),
    ) as [Register[], Register[]];
    return x.reduce((sum, each, k) => multiplyAdd(code, kind, each, y[k]!, sum), before);
  }

  /** Adds the sums of the first `streams` blocks to the total. */
  end(site: Site, streams: number): void {
    const dtype = this.#dtype;
    let total = this.#read(site.input(this.#total, "v128"));
    for (let stream = 0; stream < streams; stream++) {
      const sums = site.input(this.#blocks[Math.floor(stream / this.lanes)]!, "v128");
      const sum = splatLane(site.code, sums, this.lanes, stream % this.lanes);
      total = applyOp(site, "add", dtype, dtype, [total, this.#read(sum)]);
    }
    keep(site, this.#total, total.registers[0]!);
  }

  finish(site: Site): void {
    this.#fold.setTotal(site, this.#read(site.input(this.#total, "v128")));
  }

  #read(register: Register): LaneValue {
    const dtype = this.#dtype;
    return { dtype, width: widthOf[dtype], uniform: true, registers: [register] };
  }

  #clear(site: Site, local: Local): void {
    keep(site, local, constantValue(site.code, 0, this.#dtype).registers[0]!);
  }
}
