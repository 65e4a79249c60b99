/** Unroll-and-jam: iterations of the outer loop are written into the body of the inner vector loop. */
import { cutOf, type ForStatement, type Run, type Statement } from "@fuseau/ir";
import { stepsOf } from "../../../tactics/lane-steps.ts";
import type { StraightBody } from "../../../tactics/straight.ts";
import type { Local } from "../encode/function.ts";
import { keep } from "../sites/keep.ts";
import { Site } from "../sites/site.ts";
import { TransposedLoads } from "../sites/transposed-loads.ts";
import { AxisLoop } from "./axis-loop.ts";
import { writeStraight } from "./straight.ts";

/** Walks `copies` iterations at a time, from the one in `at`. Afterwards `at` is the first of the remaining ones. */
export function writeJam(
  block: Site,
  axis: number,
  body: readonly Statement[],
  copies: number,
  at: Local,
  end: Local,
): void {
  const inner = body.at(-1) as ForStatement & { readonly run: Extract<Run, { readonly kind: "vector" }> };
  const whole = [...body.slice(0, -1), ...inner.body] as StraightBody;
  const { target } = block.fn;
  const last = target.local("i32");
  target
    .get(end)
    .i32(copies - 1)
    .op("i32.sub")
    .set(last);
  target.forRange(at, last, copies, () => {
    const site = new Site(block.fn, block);
    site.axes.set(axis, at);
    const columns = target.local("i32");
    keep(site, columns, site.integer(inner.axis.extent));
    const loop = new AxisLoop(site, {
      axis: inner.axis.axis,
      steps: stepsOf(inner.run),
      lanes: 1,
      cut: cutOf(inner.run),
      body: (steps) => {
        const transposed = new TransposedLoads(axis, copies, whole);
        steps.transposed = transposed;
        for (let copy = 0; copy < copies; copy++) {
          transposed.enter(steps, copy);
          writeStraight(steps, whole);
        }
        // Code written at the end of the body names the iteration itself.
        steps.unbind(axis);
        return [];
      },
    });
    loop.start(site, site.code.scalar("i32", 0));
    loop.advance(site, columns);
  });
}
