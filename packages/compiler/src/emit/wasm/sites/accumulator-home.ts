/** Where an accumulator lives. */
import type { AccumulateStatement, Integer } from "@fuseau/ir";
import type { LaneValue } from "../values/value.ts";
import type { Site } from "./site.ts";

export interface AccumulatorHome {
  accumulate(site: Site, statement: AccumulateStatement): void;
  /** What it holds, in the result's dtype. */
  result(site: Site, cell: Integer): LaneValue;
}
