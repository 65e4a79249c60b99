/**
 * Products that are added as in the tiles of matrix products (docs/wasm.md): product and sum are each rounded to the dtype of the
 * sum, or once together where the host may.
 */
import type { AccumulateStatement, Accumulator } from "@fuseau/ir";
import type { LaneFunction } from "../lanes/lane-function.ts";
import type { Register, Straight } from "../lanes/straight.ts";
import type { Kind } from "../matmul/kinds.ts";
import { lanewise } from "../pointwise/lanewise.ts";
import type { Site } from "../sites/site.ts";
import { castValue } from "../values/cast.ts";
import { type LaneValue, widthOf } from "../values/value.ts";

type Single = "float32" | "float64";

export const productType = ({ from }: Accumulator): Single => (from === "float64" ? "float64" : "float32");

/** The factors of a product, in the dtype of the sum. */
export function factorsOf(
  site: Site,
  { values }: AccumulateStatement,
  dtype: Single,
): readonly [LaneValue, LaneValue] {
  const [x, y] = values.map((value) => castValue(site, site.value(value), dtype));
  return [x!, y!];
}

/** sum + x · y */
export function addProduct(
  site: Site,
  sum: LaneValue,
  statement: AccumulateStatement,
  dtype: Single,
): LaneValue {
  const run: LaneFunction = (code, a, b, c) => multiplyAdd(code, site.fn.kinds[dtype], a!, b!, c!);
  return lanewise(site, run, dtype, widthOf[dtype], [...factorsOf(site, statement, dtype), sum]);
}

export function multiplyAdd(
  code: Straight,
  { multiplyAdd: op }: Kind,
  x: Register,
  y: Register,
  sum: Register,
): Register {
  return typeof op === "string" ? code.op(op, x, y, sum) : code.op(op.add, sum, code.op(op.multiply, x, y));
}
