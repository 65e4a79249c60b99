/** The finished sums of a block of rows. The statements that follow the fold read them as its accumulator. */
import { type Integer, InternalError } from "@fuseau/ir";
import { plus } from "../../../tactics/integers.ts";
import type { Nest, Product } from "../../../tactics/products/nest.ts";
import { rowPlace } from "../../../tactics/products/plan.ts";
import type { AccumulatorHome } from "../sites/accumulator-home.ts";
import { placeOf } from "../sites/places.ts";
import type { Site } from "../sites/site.ts";
import { load } from "../sites/statements.ts";
import { castValue } from "../values/cast.ts";
import type { LaneValue } from "../values/value.ts";

export class TileHome implements AccumulatorHome {
  readonly #nest: Nest;
  readonly #product: Product;
  readonly #workspace: number;
  readonly #slid: Integer | null;

  /** `slid`: the distance of the current iteration's sums from the block's begin, if a block has those of several iterations. */
  constructor(nest: Nest, product: Product, workspace: number, slid: Integer | null = null) {
    this.#slid = slid;
    this.#nest = nest;
    this.#product = product;
    this.#workspace = workspace;
  }

  accumulate(): never {
    throw new InternalError(`accumulator a${this.#product.accumulator.accumulator} is finished`);
  }

  result(site: Site, cell: Integer): LaneValue {
    const { accumulator, cells, column, width } = this.#product;
    const own: Integer =
      column === null ? { kind: "literal", value: 0 } : { kind: "axis", axis: column.axis };
    const within = rowPlace(this.#nest, width, cells ? cell : own);
    const place = this.#slid === null ? within : plus(within, this.#slid);
    return castValue(
      site,
      load(site, this.#workspace, placeOf(site, this.#workspace, place)),
      accumulator.to,
    );
  }
}
