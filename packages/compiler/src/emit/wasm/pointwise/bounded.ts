/**
 * The greater or the lesser of values and one that is the same for all of them. f32x4.max and min respect NaN and the sign of zeros, and
 * take many instructions. pmax and pmin take one, and give the value itself where neither is greater or one is NaN: so NaN among the values
 * stays. What is left to correct follows from the bound alone, in front of the loop.
 */
import type { FloatDType } from "@fuseau/ir";
import { constantValue, type Lanes, type LaneValue, widthOf } from "../values/value.ts";
import { lanewise } from "./lanewise.ts";

export function bounded(
  lanes: Lanes,
  fn: "maximum" | "minimum",
  dtype: FloatDType,
  [a, b]: readonly [LaneValue, LaneValue],
): LaneValue {
  const [x, bound] = b.uniform ? [a, b] : [b, a];
  const { code } = lanes;
  const type = dtype === "float64" ? "f64x2" : "f32x4";
  const on = (op: Parameters<typeof code.op>[0], ...args: LaneValue[]): LaneValue =>
    lanewise(lanes, (_, ...registers) => code.op(op, ...registers), dtype, widthOf[dtype], args);
  const sign = constantValue(code, -0, dtype);
  const isZero = on(`${type}.eq`, bound, constantValue(code, 0, dtype));
  const lost = on(`${type}.ne`, bound, bound);
  const signIfZero = on("v128.and", isZero, sign);
  // Of a bound of −0 no lesser value has another sign; of +0 no greater one has a sign.
  if (fn === "minimum")
    return on(
      "v128.or",
      on(`${type}.pmin`, x, bound),
      on("v128.or", lost, on("v128.and", signIfZero, bound)),
    );
  const cleared = on("v128.andnot", signIfZero, bound);
  return on("v128.or", on("v128.andnot", on(`${type}.pmax`, x, bound), cleared), lost);
}
