/**
 * A loop whose body is straight-line code: steps of many elements, then steps of fewer, then single elements. All steps are the
 * same code for different numbers of lanes, and share the pointers that advance with the axis.
 */

import type { Integer } from "@fuseau/ir";
import type { Steps } from "../../../tactics/lane-steps.ts";
import type { Polynomial } from "../../../tactics/polynomial.ts";
import type { FunctionBuilder, Local } from "../encode/function.ts";
import { type LastReads, lastReads } from "../lanes/last-reads.ts";
import type { Register } from "../lanes/straight.ts";
import { type Hoisted, hoist } from "./hoist.ts";
import { Pointers } from "./pointers.ts";
import { isCode, type Part, Site } from "./site.ts";

/** Writes the body for the lanes of a site; returns the locals that change with the step, and their new registers. */
export type Body = (site: Site) => readonly Carried[];

export interface Carried {
  readonly local: Local;
  readonly register: Register;
}

interface Level extends Hoisted {
  readonly site: Site;
  readonly carried: readonly Carried[];
  /** The last read of each register in a step. */
  readonly ending: LastReads;
}

export class StraightLoop {
  /** The axis: the first iteration of the next step. */
  readonly at: Local;
  readonly #target: FunctionBuilder;
  readonly #pointers: Pointers;
  readonly #levels: readonly Level[];

  constructor(block: Site, axis: number, { counts, masked }: Steps, body: Body) {
    this.#target = block.fn.target;
    this.at = this.#target.local("i32");
    this.#pointers = new Pointers(this.#target, axis);
    const pointers = this.#pointers;
    const polynomials = new Map<Integer, Polynomial>();
    this.#levels = counts.map((count, k): Level => {
      const live = masked && k === counts.length - 1 ? this.#target.local("i32") : null;
      const site = new Site(block.fn, block, { axis, at: this.at, count, pointers, polynomials, live });
      const carried = body(site);
      for (const write of site.endings) write();
      if (site.isBound) polynomials.clear();
      const hoisted = hoist(site, site.takeParts());
      return { site, carried, ...hoisted, ending: endingOf(hoisted.step, site, carried) };
    });
  }

  /** Sets the axis to a register of a site in front of the loop. */
  start(site: Site, from: Register): void {
    site.flush();
    site.get(from);
    this.#target.set(this.at);
    this.#pointers.start(site, this.at);
  }

  /** Advances to `end`. */
  run(end: Local): void {
    const target = this.#target;
    const steps = this.#levels.slice(0, -1);
    // A step that fails is left to the loop of single elements, which reports the failure.
    if (steps.length > 0) {
      target.block((elements) => {
        for (const level of steps) this.#walk(level, end, () => target.brIf(elements));
      });
    }
    const [last, before] = [this.#levels.at(-1)!, steps.at(-1)];
    // Behind whole steps of as many elements fewer are left than a masked step has.
    const isOne = before?.site.count === last.site.count && before.site.failed === null;
    this.#walk(last, end, () => {}, isOne);
  }

  /**
   * {@link run} for a fold in `lanes` lanes, where each element belongs to the lane of its place: a step of several elements
   * begins at a multiple of their number, or of `lanes` if that is less. The place is the axis plus `rowStart`. The steps are
   * tried in rounds, since shorter ones are needed in front of such a multiple as well as behind the last.
   */
  runPlaced(end: Local, lanes: number, rowStart: Local | null): void {
    const target = this.#target;
    const steps = this.#levels.slice(0, -1).map((level) => {
      const { count } = level.site;
      return { level, count, unit: Math.min(count, lanes) };
    });
    const shortest = steps.at(-1);
    if (shortest === undefined) {
      this.elements(end);
      return;
    }
    const [stop, single] = [target.local("i32"), target.local("i32")];
    /** The place modulo `unit`. */
    const behind = (unit: number): FunctionBuilder => {
      target.get(this.at);
      if (rowStart !== null) target.get(rowStart).op("i32.add");
      return target.i32(unit - 1).op("i32.and");
    };
    /** Sets `local` to the next multiple of `unit` behind the place, or to `end` if that comes first. */
    const upTo = (unit: number, local: Local): void => {
      target.i32(unit);
      behind(unit).op("i32.sub").get(this.at).op("i32.add").get(end);
      target.get(end).get(this.at).op("i32.sub").i32(unit);
      behind(unit).op("i32.sub").op("i32.gt_s").select().set(local);
    };
    target.whileBelow(this.at, end, () => {
      target.get(end).set(single);
      target.block((elements) => {
        steps.forEach(({ level, unit }, k) => {
          behind(unit).op("i32.eqz");
          target.ifThen(() => {
            const longer = steps[k - 1]?.unit ?? unit;
            target.get(end).set(stop);
            if (longer > unit) behind(longer).ifThen(() => upTo(longer, stop));
            this.#walk(level, stop, () => target.brIf(elements));
          });
        });
        // No single elements are needed where a longer step may begin.
        behind(shortest.unit);
        target.get(end).get(this.at).op("i32.sub").i32(shortest.count).op("i32.lt_s").op("i32.or");
        target.ifElse(
          null,
          () => upTo(shortest.unit, single),
          () => target.get(this.at).set(single),
        );
      });
      this.elements(single);
    });
  }

  /** Advances to `end` in single elements. */
  elements(end: Local): void {
    this.#walk(this.#levels.at(-1)!, end, () => {});
  }

  /** `isOne`: at most one step is left. */
  #walk({ site, before, step, carried, ending }: Level, end: Local, leave: () => void, isOne = false): void {
    const target = this.#target;
    const { count, walk } = site;
    const live = walk?.live ?? null;
    const isWhole = count > 1 && live === null;
    const last = isWhole ? target.local("i32") : end;
    if (isWhole) target.get(end).i32(count).op("i32.sub").set(last);
    const more = (): void => {
      target
        .get(this.at)
        .get(last)
        .op(isWhole ? "i32.le_s" : "i32.lt_s");
    };
    more();
    target.ifThen(() => {
      site.write([before]);
      const once = (): void => {
        if (live !== null) {
          target.get(end).get(this.at).op("i32.sub").set(live);
          if (!isOne) target.get(live).i32(count).get(live).i32(count).op("i32.lt_s").select().set(live);
        }
        site.write(step, ending);
        if (count > 1 && site.failed !== null) {
          site.get(site.failed);
          leave();
        }
        for (const { register } of carried) site.get(register);
        for (let k = carried.length - 1; k >= 0; k--) target.set(carried[k]!.local);
        target.get(this.at);
        if (live === null) target.i32(count);
        else target.get(live);
        target.op("i32.add").set(this.at);
        this.#pointers.advance(count, live);
      };
      if (isOne) once();
      else
        target.loop((again) => {
          once();
          more();
          target.brIf(again);
        });
    });
  }
}

/** Registers that are carried to the next step, or read between instructions, live to the end of the step. */
function endingOf(step: readonly Part[], { code, failed }: Site, carried: readonly Carried[]): LastReads {
  const kept = carried.map(({ register }) => register);
  if (failed !== null) kept.push(failed);
  for (const part of step) if (!isCode(part)) kept.push(...part.reads);
  return lastReads(step.filter(isCode), code.registers, kept);
}
