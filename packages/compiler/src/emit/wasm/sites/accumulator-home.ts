/** The accumulator of a fold, wherever its partial results are kept. */
import type { AccumulateStatement, Integer } from "@fuseau/ir";
import type { LaneValue } from "../values/value.ts";
import type { Site } from "./site.ts";

export interface AccumulatorHome {
  accumulate(site: Site, statement: AccumulateStatement): void;
  /** The value of the accumulator, in the result's dtype. */
  result(site: Site, cell: Integer): LaneValue;
}
