/** The elements of a reduce loop in row-major order. */
import type { Integer, LoopAxis, ReduceStatement } from "@fuseau/ir";
import { factor } from "../../../tactics/polynomial.ts";
import type { StraightBody } from "../../../tactics/straight.ts";
import type { Local } from "../encode/function.ts";
import type { Elements } from "../folds/in-order.ts";
import type { Register } from "../lanes/straight.ts";
import { keep, smaller } from "../sites/keep.ts";
import { Site } from "../sites/site.ts";
import { AxisLoop, type AxisLoopOptions } from "./axis-loop.ts";
import { writeStraight } from "./straight.ts";

/** With a single axis this is the loop over that axis, since places are its iterations. */
export interface Places extends Elements {
  /** Sets the current place to a register of the site. */
  start(site: Site, place: Register): void;
}

/** An integer local of the emitter's own: the row-major place of a row's first element. */
type RowStart = Extract<Integer, { readonly kind: "local" }>;

/** Several axes that could not be merged: walked row by row along the last one. */
export function byRows(
  block: Site,
  statement: ReduceStatement,
  options: AxisLoopOptions,
  rowStart: RowStart,
): Places {
  const { target } = block.fn;
  const at = target.local("i32");
  const last = statement.axes.at(-1)!;
  const from = target.local("i32");
  const to = target.local("i32");
  const first = target.local("i32");

  const writeRow = (outside: Site, end: Local): void => {
    const site = new Site(outside.fn, outside);
    const { code } = site;
    const size = site.integer(last.extent);
    const place = site.input(at, "i32");
    const column = code.op("i32.rem_u", place, size);
    const start = code.op("i32.sub", place, column);
    site.integers.set(rowStart.local, start);
    keep(site, first, start);
    openAxes(site, statement.axes.slice(0, -1), code.op("i32.div_u", place, size));
    writeStraight(site, statement.row as StraightBody);
    const left = code.op("i32.sub", site.input(end, "i32"), start);
    keep(site, from, column);
    keep(site, to, smaller(site, size, left));
    const loop = new AxisLoop(site, options);
    loop.start(site, site.input(from, "i32"));
    loop.advance(site, to, first);
    const behind = new Site(site.fn, site);
    keep(behind, at, behind.code.op("i32.add", behind.input(to, "i32"), behind.valueOf(factor(rowStart))));
  };

  return {
    at,
    start: (site, place) => keep(site, at, place),
    advance: (site, end) => {
      target.whileBelow(at, end, () => writeRow(site, end));
    },
  };
}

/** The number of elements, in a local. */
export function countOf(block: Site, axes: readonly LoopAxis[]): Local {
  const count = block.fn.target.local("i32");
  const extents = axes.map(({ extent }) => block.integer(extent));
  keep(
    block,
    count,
    extents.reduce((a, b) => block.code.op("i32.mul", a, b)),
  );
  return count;
}

/** Sets the axes to the iteration with a row-major place; returns their locals. */
export function openAxes(site: Site, axes: readonly LoopAxis[], place: Register): readonly Local[] {
  const { code } = site;
  const locals = axes.map(() => site.fn.target.local("i32"));
  let rest = place;
  for (let k = axes.length - 1; k >= 0; k--) {
    const { axis, extent } = axes[k]!;
    const size = site.integer(extent);
    keep(site, locals[k]!, k === 0 ? rest : code.op("i32.rem_u", rest, size));
    site.axes.set(axis, locals[k]!);
    if (k > 0) rest = code.op("i32.div_u", rest, size);
  }
  return locals;
}
