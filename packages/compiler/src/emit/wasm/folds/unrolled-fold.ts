/** The accumulator of an unrolled loop: each lane of its accumulation order is a value in the lanes of the site. */
import type { AccumulateStatement, Accumulator } from "@fuseau/ir";
import { isFloatDot } from "../../../lower/accumulators.ts";
import type { Register } from "../lanes/straight.ts";
import { columnsOf, transposed } from "../lanes/transpose.ts";
import { applyOp } from "../pointwise/apply.ts";
import type { AccumulatorHome } from "../sites/accumulator-home.ts";
import { indexValue } from "../sites/indexes.ts";
import type { Site } from "../sites/site.ts";
import { constantValue, type LaneValue } from "../values/value.ts";
import { upperHalf } from "../values/widths.ts";
import { type Accumulation, accumulationOf } from "./accumulation.ts";
import { combine, finish, lift, marksOf, plain, type State, settled } from "./fold.ts";
import { chunkOfStates, tree } from "./lanes.ts";
import { addProduct, productType } from "./products.ts";

export class UnrolledFold implements AccumulatorHome {
  readonly #accumulator: Accumulator;
  readonly #accumulation: Accumulation;
  readonly #states: State[] = [];
  /** Elements of a chunk; the two float64 sums of finished chunks. */
  readonly #chunk: number;
  #running: readonly (State | undefined)[] = [];
  #rows: readonly Register[] | null = null;
  #place = 0;

  /** `chunk`: elements of a chunk. */
  constructor(accumulator: Accumulator, chunk: number) {
    this.#accumulator = accumulator;
    const accumulation = accumulationOf(accumulator);
    this.#accumulation = { ...accumulation, marked: accumulation.signed };
    this.#chunk = chunk;
  }

  accumulate(site: Site, statement: AccumulateStatement): void {
    const accumulation = this.#accumulation;
    if (isFloatDot(this.#accumulator)) {
      const { value } = this.#states[0] ?? this.#start(site);
      this.#states[0] = plain(addProduct(site, value, statement, productType(this.#accumulator)));
      return;
    }
    const values = statement.values.map((value) => site.value(value));
    const x = lift(site, this.#accumulator, accumulation, values);
    if (accumulation.chunked && this.#place === this.#chunk) {
      this.#running = this.#withChunk(site);
      this.#states.length = 0;
      this.#place = 0;
    }
    const position = accumulation.positioned ? indexValue(site, statement.position, "int32") : null;
    const lane = this.#place++ % accumulation.lanes;
    // A lane starts with its first element, not with 0. That matters only for the sign of a zero, which {@link fromZero}
    // corrects.
    const { chunked, signed } = accumulation;
    const state = this.#states[lane] ?? (chunked || signed ? null : this.#start(site));
    if (state === null) this.#states[lane] = signed ? marksOf(site, x) : plain(x);
    else this.#states[lane] = combine(site, this.#accumulator, accumulation, state, x, position);
  }

  /** Takes folded rows in place of the elements: for each lane of the site a register of four float32, joined as {@link joining} says. */
  giveRows(rows: readonly Register[]): void {
    this.#rows = rows;
  }

  result(site: Site): LaneValue {
    return finish(site, this.#accumulator, this.#whole(site));
  }

  #start({ code }: Site): State {
    const { start, partial, compensated, positioned } = this.#accumulation;
    return {
      ...plain(constantValue(code, start, partial)),
      compensation: compensated ? constantValue(code, 0, "float64") : null,
      position: positioned ? constantValue(code, 0, "int32") : null,
    };
  }

  #whole(site: Site): State {
    const accumulation = this.#accumulation;
    if (this.#rows !== null)
      return accumulation.chunked
        ? fromZero(site, sumOfRows(site, this.#rows))
        : plain(extremumOfRows(site, joining(this.#accumulator), this.#rows));
    if (this.#states.length === 0) return this.#start(site);
    if (accumulation.chunked) {
      const { value } = tree(site, this.#accumulator, widened(accumulation), this.#withChunk(site))!;
      return fromZero(site, value);
    }
    const states = this.#states.map((state) => settled(site, this.#accumulator, state));
    return tree(site, this.#accumulator, accumulation, padded(states, accumulation.lanes))!;
  }

  /** The sums of finished chunks, with the current chunk added. */
  #withChunk(site: Site): readonly (State | undefined)[] {
    const chunk = chunkOfStates(site, this.#accumulator, this.#accumulation, this.#states);
    const wide = widened(this.#accumulation);
    return chunk.map((state, k) => tree(site, this.#accumulator, wide, [this.#running[k], state]));
  }
}

/** The instruction that joins float32 lanes of a sum or an extremum. */
export type Joining = "f32x4.add" | "f32x4.max" | "f32x4.min";

export const joining = ({ fn }: Accumulator): Joining =>
  fn === "sum" ? "f32x4.add" : fn === "max" ? "f32x4.max" : "f32x4.min";

/** The extremum of the four elements of each row; a row is a register. */
function extremumOfRows({ code }: Site, op: Joining, rows: readonly Register[]): LaneValue {
  const registers = Array.from({ length: rows.length / 4 }, (_, k) =>
    transposed(code, 4, rows.slice(4 * k, 4 * k + 4)).reduce((a, b) => code.op(op, a, b)),
  );
  return { dtype: "float32", width: 4, uniform: false, registers };
}

/** The sum of the four lanes of each row, in the order of {@link chunkOf}: as float64, first pairs of lanes, then both sums. */
function sumOfRows(site: Site, rows: readonly Register[]): LaneValue {
  const { code } = site;
  const pairs = rows.map((row) => {
    const [low, high] = [row, upperHalf(code, row)].map((half) => code.op("f64x2.promote_low_f32x4", half));
    return code.op("f64x2.add", low!, high!);
  });
  const registers = Array.from({ length: rows.length / 2 }, (_, k) => {
    const [firsts, seconds] = columnsOf(code, pairs.slice(2 * k, 2 * k + 2), 2);
    return code.op("f64x2.add", firsts!, seconds!);
  });
  return { dtype: "float64", width: 8, uniform: false, registers };
}

/** Adds 0: a sum that starts from 0 is never −0. */
const fromZero = (site: Site, value: LaneValue): State =>
  plain(applyOp(site, "add", "float64", "float64", [constantValue(site.code, 0, "float64"), value]));

const widened = (accumulation: Accumulation): Accumulation => ({ ...accumulation, partial: "float64" });

const padded = (states: readonly State[], count: number): (State | undefined)[] =>
  Array.from({ length: count }, (_, k) => states[k]);
