/**
 * Stores of iterations that are unrolled, where those are neighbours in memory and the lanes are not, as in short rows: squares of
 * values are turned, so that four neighbours are stored at once for each lane.
 */
import { dtypes, type StoreStatement, statementsIn } from "@fuseau/ir";
import { gatheredIn } from "../../../tactics/gathers.ts";
import type { Polynomial } from "../../../tactics/polynomial.ts";
import type { StraightBody } from "../../../tactics/straight.ts";
import { isContiguous } from "../../../tactics/strides.ts";
import type { Register } from "../lanes/straight.ts";
import { turned } from "../lanes/turn.ts";
import type { EachPlace } from "../values/memory.ts";
import type { LaneValue } from "../values/value.ts";
import { placeOf } from "./places.ts";
import type { Site } from "./site.ts";

const SIDE = 4;

/** Squares at a time: the values of more would spill. */
const MOST = 2;

/** What a store has had of the iterations so far. */
interface Taken {
  readonly values: LaneValue[];
  readonly places: EachPlace[];
}

export class TurnedStores {
  readonly #site: Site;
  readonly #axis: number;
  readonly #extent: number;
  readonly #loaded: ReadonlySet<number>;
  readonly #isLookedUp: (place: Polynomial) => boolean;
  /** By store; null where it is not turned. */
  readonly #taken = new Map<StoreStatement, Taken | null>();

  /** For the iterations of an axis, each of which is the body; what is loaded in it is stored as it comes. */
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

  /** Keeps what an iteration stores until a square is full; false where it is not stored so. */
  take(statement: StoreStatement, iteration: number): boolean {
    let taken = this.#taken.get(statement);
    if (taken === undefined) {
      taken = this.#isTurned(statement, iteration) ? { values: [], places: [] } : null;
      this.#taken.set(statement, taken);
    }
    const rest = this.#extent % SIDE;
    const isLast = iteration === this.#extent - 1;
    // A single one that is left over is cheaper by itself; of more, the last square begins in the one before.
    if (taken === null || (rest === 1 && isLast)) return false;
    const place = placeOf(this.#site, statement.buffer, statement.at);
    if (place.kind !== "each") return false;
    taken.places.push(place);
    taken.values.push(this.#site.value(statement.value));
    if ((iteration + 1) % SIDE === 0 || isLast) this.#store(statement, taken, iteration + 1 - SIDE);
    return true;
  }

  #isTurned({ buffer, at, combine }: StoreStatement, iteration: number): boolean {
    const site = this.#site;
    const { bytes } = dtypes[site.fn.workspaces.dtypeOf(buffer)];
    if (combine !== "set" || bytes !== SIDE || this.#extent < SIDE || this.#loaded.has(buffer)) return false;
    if (site.count % SIDE !== 0 || site.count > MOST * SIDE) return false;
    if (placeOf(site, buffer, at).kind !== "each") return false;
    site.unbind(this.#axis);
    const unrolled = site.polynomial(at);
    const isTurned = isContiguous(unrolled, this.#axis) && !this.#isLookedUp(unrolled);
    site.bind(this.#axis, { kind: "literal", value: iteration });
    return isTurned;
  }

  #store({ buffer }: StoreStatement, { values, places }: Taken, first: number): void {
    const { code, count, stored, neighbours } = this.#site;
    stored.add(buffer);
    neighbours.delete(buffer);
    const square = values.slice(first, first + SIDE);
    const { address, offset } = places[first]!;
    const rows = Array.from({ length: count / SIDE }, (_, k): Register[] =>
      turned(
        code,
        SIDE,
        square.map(({ uniform, registers }) => registers[uniform ? 0 : k]!),
      ),
    ).flat();
    // Rows of lanes without an element go where the first one's does, in front of it.
    for (let row = rows.length - 1; row >= 0; row--)
      code.store("v128.store", offset, address(row), rows[row]!);
  }
}
