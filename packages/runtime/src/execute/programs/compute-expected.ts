/** Computes what comes next in a loop by the program that followed before. */
import type { Options } from "../../options.ts";
import type { Value } from "../../value.ts";
import { watching } from "../../watch/watching.ts";
import { resetPlaces } from "../places/places.ts";
import { givesResultsOf } from "./executable.ts";
import { followers, runExpected } from "./expected.ts";
import { arePlaced, outlinedBy, pointIn } from "./outline.ts";
import { isFor } from "./purpose.ts";

const none: readonly never[] = [];

/** Runs the expected program if it computes `wanted`, alone or together with pending writes. False if no expected program does. */
export function computeExpected(
  wanted: readonly Value[],
  written: readonly Value[],
  options: Options,
): boolean {
  const next = watching === null ? followers() : none;
  for (const expected of next) {
    const { outline, source } = expected;
    if (outline === null || !isFor(source.purpose, options)) continue;
    const { asked, outputs } = outline;
    const isAll = written.length > 0 && asked === wanted.length + written.length;
    if (!isAll && written.length > 0 && outputs.length > asked && !expected.isAlone) continue;
    const order = outlinedBy(outline, isAll ? [...wanted, ...written] : wanted);
    if (order === null) continue;
    const point = outline.sizes === null ? none : pointIn(outline, order);
    if (point === null) continue;
    try {
      const executable = arePlaced(outline, order, point) ? source.at(point, options) : null;
      if (executable === null) continue;
      if (executable.late !== null && !givesResultsOf(order, outline.outputs, executable.late)) continue;
      source.use();
      runExpected(expected, outline, executable, order);
      return true;
    } finally {
      if (outline.places !== null) resetPlaces();
    }
  }
  return false;
}
