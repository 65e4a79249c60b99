/**
 * Stores of unrolled iterations that are contiguous along the unrolled axis and strided along the lanes, as in short rows.
 * Squares of values are transposed, so that four contiguous elements are stored at once for each lane.
 */
import { dtypes, type StoreStatement, statementsIn } from "@fuseau/ir";
import { gatheredIn } from "../../../tactics/gathers.ts";
import type { Polynomial } from "../../../tactics/polynomial.ts";
import type { StraightBody } from "../../../tactics/straight.ts";
import { isContiguous } from "../../../tactics/strides.ts";
import type { Register } from "../lanes/straight.ts";
import { transposed } from "../lanes/transpose.ts";
import type { EachPlace } from "../values/memory.ts";
import type { LaneValue } from "../values/value.ts";
import { placeOf } from "./places.ts";
import type { Site } from "./site.ts";

const SIDE = 4;

/** The most squares at once; the values of more would spill. */
const MOST = 2;

/** The values of a store in the iterations so far, and their places. */
interface Taken {
  readonly values: LaneValue[];
  readonly places: EachPlace[];
}

export class TransposedStores {
  readonly #site: Site;
  readonly #axis: number;
  readonly #extent: number;
  readonly #loaded: ReadonlySet<number>;
  readonly #isLookedUp: (place: Polynomial) => boolean;
  /** By store; null if it is not transposed. */
  readonly #taken = new Map<StoreStatement, Taken | null>();

  /**
   * For a loop over an axis that is unrolled, each iteration of which is the body. Stores to a buffer that the body loads are not
   * delayed.
   */
  constructor(site: Site, axis: number, extent: number, body: StraightBody) {
    this.#site = site;
    this.#axis = axis;
    this.#extent = extent;
    this.#isLookedUp = gatheredIn(body);
    this.#loaded = new Set(
      statementsIn(body).flatMap((each) =>
        each.kind === "let" && each.value.kind === "load" ? [each.value.buffer] : [],
      ),
    );
  }

  /** Delays the store of an iteration until a square is full; false if it is not transposed. */
  take(statement: StoreStatement, iteration: number): boolean {
    let taken = this.#taken.get(statement);
    if (taken === undefined) {
      taken = this.#isTransposed(statement, iteration) ? { values: [], places: [] } : null;
      this.#taken.set(statement, taken);
    }
    const rest = this.#extent % SIDE;
    const isLast = iteration === this.#extent - 1;
    // One iteration that is left over is stored by itself, which is cheaper. Of more, the last square overlaps the one before.
    if (taken === null || (rest === 1 && isLast)) return false;
    const place = placeOf(this.#site, statement.buffer, statement.at);
    if (place.kind !== "each") return false;
    taken.places.push(place);
    taken.values.push(this.#site.value(statement.value));
    if ((iteration + 1) % SIDE === 0 || isLast) this.#store(statement, taken, iteration + 1 - SIDE);
    return true;
  }

  #isTransposed({ buffer, at, combine }: StoreStatement, iteration: number): boolean {
    const site = this.#site;
    const { bytes } = dtypes[site.fn.workspaces.dtypeOf(buffer)];
    if (combine !== "set" || bytes !== SIDE || this.#extent < SIDE || this.#loaded.has(buffer)) return false;
    if (site.count % SIDE !== 0 || site.count > MOST * SIDE) return false;
    if (placeOf(site, buffer, at).kind !== "each") return false;
    site.unbind(this.#axis);
    const unrolled = site.polynomial(at);
    const isTransposed = isContiguous(unrolled, this.#axis) && !this.#isLookedUp(unrolled);
    site.bind(this.#axis, { kind: "literal", value: iteration });
    return isTransposed;
  }

  #store({ buffer }: StoreStatement, { values, places }: Taken, first: number): void {
    const { code, count, stored, neighbours } = this.#site;
    stored.add(buffer);
    neighbours.delete(buffer);
    const square = values.slice(first, first + SIDE);
    const { address, offset } = places[first]!;
    const rows = Array.from({ length: count / SIDE }, (_, k): Register[] =>
      transposed(
        code,
        SIDE,
        square.map(({ uniform, registers }) => registers[uniform ? 0 : k]!),
      ),
    ).flat();
    // Lanes without an element have the address of the first lane. Storing the first lane last overwrites them.
    for (let row = rows.length - 1; row >= 0; row--)
      code.store("v128.store", offset, address(row), rows[row]!);
  }
}
