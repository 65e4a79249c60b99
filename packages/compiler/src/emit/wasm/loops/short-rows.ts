/**
 * Sums and extrema of short contiguous rows, one for each lane of the loop around: points in a few dimensions. The elements of a
 * row are loaded as lanes and folded row by row; the results are transposed, so that the rows are lanes again. The results are
 * the bits of the unrolled loop, in fewer instructions.
 */
import type { Accumulator, Operand, ReduceStatement, Statement } from "@fuseau/ir";
import { asNumber } from "../../../tactics/polynomial.ts";
import { stepAlong } from "../../../tactics/strides.ts";
import { type Joining, joining, UnrolledFold } from "../folds/unrolled-fold.ts";
import type { Register } from "../lanes/straight.ts";
import { applyOp } from "../pointwise/apply.ts";
import { placeOf } from "../sites/places.ts";
import type { Site } from "../sites/site.ts";
import { load } from "../sites/statements.ts";
import { lane, withCount } from "../values/lanes.ts";
import type { Place } from "../values/memory.ts";
import type { LaneValue } from "../values/value.ts";

const LANES = 4;
const BYTES = 4;

/** Writes a fold of short rows, for as many rows as the site has lanes. */
export function writeShortRows(site: Site, { accumulators, axes, body }: ReduceStatement): void {
  for (const each of body) if (each.kind === "integer") site.definitions.set(each.local, each.value);
  const axis = axes[0]!;
  const length = (axis.extent as { readonly value: number }).value;
  site.bind(axis.axis, { kind: "literal", value: 0 });
  const rows = new Rows(site, axis.axis, length, body, accumulators);
  const folds = Array.from({ length: site.count }, (_, row) => rows.folds(row));
  site.unbind(axis.axis);
  for (const accumulator of accumulators) {
    const fold = new UnrolledFold(accumulator, site.fn.kernel.order.chunk);
    fold.giveRows(folds.map((each) => each.get(accumulator.accumulator)!));
    site.accumulators.set(accumulator.accumulator, fold);
  }
}

/** The rows of a site's lanes. */
class Rows {
  readonly #site: Site;
  readonly #axis: number;
  readonly #length: number;
  /** The places in a row where registers begin. The last register may repeat some elements of the one before. */
  readonly #starts: number[] = [];
  readonly #body: readonly Statement[];
  /** The joining instruction, by accumulator. */
  readonly #joining: ReadonlyMap<number, Joining>;
  /** What has been loaded, by its place; rows may share it. */
  readonly #loaded = new Map<string, LaneValue>();

  constructor(
    site: Site,
    axis: number,
    length: number,
    body: readonly Statement[],
    accumulators: readonly Accumulator[],
  ) {
    this.#joining = new Map(accumulators.map((each) => [each.accumulator, joining(each)]));
    this.#site = site;
    this.#axis = axis;
    this.#length = length;
    for (let start = 0; start < length; start += LANES) this.#starts.push(Math.min(start, length - LANES));
    this.#body = body;
  }

  /** By accumulator: the row folded to four lanes, each of every fourth element. */
  folds(row: number): ReadonlyMap<number, Register> {
    const site = this.#site;
    const lanes = withCount(site, LANES * this.#starts.length);
    const values = new Map<number, LaneValue>();
    const folds = new Map<number, Register>();
    const operand = (value: Operand): LaneValue => {
      const own = value.kind === "local" ? values.get(value.local) : undefined;
      if (own !== undefined) return own;
      const outer = site.value(value);
      return outer.uniform ? outer : lane(site.code, outer, row);
    };
    for (const statement of this.#body) {
      if (statement.kind === "accumulate") {
        const x = operand(statement.values[0]!);
        folds.set(statement.accumulator, this.#join(x, this.#joining.get(statement.accumulator)!));
      } else if (statement.kind === "let") {
        const { value, local } = statement;
        if (value.kind === "load") values.set(local, this.#load(value.buffer, value.at, row));
        else if (value.kind === "pointwise")
          values.set(local, applyOp(lanes, value.fn, "float32", "float32", value.args.map(operand)));
      }
    }
    return folds;
  }

  #load(slot: number, at: Parameters<Site["polynomial"]>[0], row: number): LaneValue {
    const site = this.#site;
    site.unbind(this.#axis);
    const isRun = asNumber(stepAlong(site.polynomial(at), this.#axis)!) === 1;
    site.bind(this.#axis, { kind: "literal", value: 0 });
    const place = placeOf(site, slot, at);
    const { address, offset } = ofLane(place, row, site.count);
    const key = `${slot} ${isRun} ${address} ${offset}`;
    let value = this.#loaded.get(key);
    if (value === undefined) {
      value = isRun
        ? this.#loadRow(slot, address, offset)
        : load(site, slot, { kind: "one", address, offset }, this.#length);
      this.#loaded.set(key, value);
    }
    return value;
  }

  #loadRow(slot: number, address: Register, offset: number): LaneValue {
    const loads = this.#starts.map((start) =>
      load(this.#site, slot, { kind: "run", address, offset: offset + start * BYTES }, LANES),
    );
    return { ...loads[0]!, registers: loads.flatMap(({ registers }) => registers) };
  }

  #join({ uniform, registers }: LaneValue, joining: Joining): Register {
    const { code } = this.#site;
    const four = this.#starts.map((_, k) => registers[uniform ? 0 : k]!);
    const pair = (a: Register, b: Register | undefined): Register =>
      b === undefined ? a : code.op(joining, a, b);
    const low = pair(four[0]!, four[1]);
    return four.length > 2 ? pair(low, pair(four[2]!, four[3])) : low;
  }
}

/** The address of one lane's element. */
function ofLane(
  place: Place,
  row: number,
  count: number,
): { readonly address: Register; readonly offset: number } {
  switch (place.kind) {
    case "each":
      return { address: place.address(row), offset: place.offset };
    case "run":
      return { address: place.address, offset: place.offset + row * BYTES };
    case "reversed":
      return { address: place.address, offset: place.offset + (count - 1 - row) * BYTES };
    case "one":
      return place;
    default:
      return place satisfies never;
  }
}
