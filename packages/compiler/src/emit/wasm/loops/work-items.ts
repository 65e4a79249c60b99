/** The work items of a phase: the iterations of nested parallel loops, flattened. */
import type { ParallelNest } from "../../../tactics/work-items.ts";
import { keep } from "../sites/keep.ts";
import { parameters } from "../sites/phase-function.ts";
import { Site } from "../sites/site.ts";
import { writeBlock } from "./block.ts";
import { openAxes } from "./places.ts";

/** Runs the work items from the phase's `begin` to its `end`. */
export function writeParallel(block: Site, { axes, body }: ParallelNest): void {
  const { target } = block.fn;
  const item = target.local("i32");
  block.flush();
  target.get(parameters.begin).tee(item).get(parameters.end).op("i32.lt_s");
  target.ifThen(() => {
    const site = new Site(block.fn, block);
    const at = openAxes(site, axes, site.input(item, "i32"));
    const end = axes.map(({ extent }, k) => {
      const local = target.local("i32");
      if (k > 0) keep(site, local, site.integer(extent));
      return local;
    });
    // At the end of an inner axis, that axis starts again and the next outer one advances.
    const next = (k: number): void => {
      target.get(at[k]!).i32(1).op("i32.add").set(at[k]!);
      if (k === 0) return;
      target.get(at[k]!).get(end[k]!).op("i32.eq");
      target.ifThen(() => {
        target.i32(0).set(at[k]!);
        next(k - 1);
      });
    };
    target.forRange(item, parameters.end, 1, () => {
      const inner = new Site(site.fn, site);
      writeBlock(inner, body);
      inner.flush();
      next(axes.length - 1);
    });
  });
}
