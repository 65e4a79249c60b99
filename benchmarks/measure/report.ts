/** What was measured, as plain data: what --json writes. */
import type { Role } from "../case.ts";
import type { Throughput } from "./benny.ts";

export interface Row {
  readonly name: string;
  readonly role: Role;
  /** Of one call: the median, and the quartiles. Null where nothing could be measured, and the note says why. */
  readonly nanoseconds: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** This row's time over the fused one's, round by round: above 1, fused is faster. */
  readonly ratio: number | null;
  readonly note?: string;
}

export interface CaseReport {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** Kernels that one call runs. */
  readonly kernels: { readonly fused: number; readonly eager: number } | null;
  readonly rows: readonly Row[];
  readonly benny: readonly Throughput[];
  /** Why there are no rows. */
  readonly failure?: string;
}

/** A number that is no comparison of variants. */
export interface Figure {
  readonly name: string;
  readonly figure: number;
  readonly unit: string;
  readonly note?: string;
}

export interface FigureReport {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly figures: readonly Figure[];
  readonly failure?: string;
}

export interface Target {
  readonly name: string;
  readonly asked: string;
  readonly reached: string;
  /** Null where it was not measured. */
  readonly met: boolean | null;
}

export interface Report {
  readonly host: {
    readonly node: string;
    readonly v8: string;
    readonly processor: string;
    readonly cores: number;
    readonly date: string;
  };
  readonly quick: boolean;
  readonly cases: readonly CaseReport[];
  readonly figures: readonly FigureReport[];
  readonly targets: readonly Target[];
}

export const rowOf = (report: CaseReport | undefined, role: Role): Row | undefined =>
  report?.rows.find((row) => row.role === role && row.nanoseconds !== null);

/** The fastest of the loops that do the same arithmetic. */
export const bestLoop = (report: CaseReport | undefined): Row | undefined =>
  report?.rows
    .filter((row) => row.role === "hand" && row.nanoseconds !== null)
    .sort((a, b) => a.nanoseconds! - b.nanoseconds!)[0];
