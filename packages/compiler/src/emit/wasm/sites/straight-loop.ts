/**
 * A loop whose body is straight-line code: steps of many elements, then steps of fewer, then single elements. All of them are
 * the same code for other numbers of lanes, and share the pointers that walk with the axis.
 */
import type { FunctionBuilder, Local } from "../encode/function.ts";
import { type LastReads, lastReads } from "../lanes/last-reads.ts";
import type { Register } from "../lanes/straight.ts";
import { type Hoisted, hoist } from "./hoist.ts";
import { Pointers } from "./pointers.ts";
import { isCode, type Part, Site } from "./site.ts";

/** Writes the body for the lanes of a site; gives the locals that are to hold other registers after the step. */
export type Body = (site: Site) => readonly Carried[];

export interface Carried {
  readonly local: Local;
  readonly register: Register;
}

interface Level extends Hoisted {
  readonly site: Site;
  readonly carried: readonly Carried[];
  /** Where the registers of a step are read for the last time. */
  readonly ending: LastReads;
}

export class StraightLoop {
  /** Where the axis stands. */
  readonly at: Local;
  readonly #target: FunctionBuilder;
  readonly #pointers: Pointers;
  readonly #levels: readonly Level[];

  /** `counts` are the elements of a step, descending to 1. */
  constructor(block: Site, axis: number, counts: readonly number[], body: Body) {
    this.#target = block.fn.target;
    this.at = this.#target.local("i32");
    this.#pointers = new Pointers(this.#target, axis);
    this.#levels = counts.map((count): Level => {
      const site = new Site(block.fn, block, { axis, at: this.at, count, pointers: this.#pointers });
      const carried = body(site);
      for (const write of site.endings) write();
      const hoisted = hoist(site, site.takeParts());
      return { site, carried, ...hoisted, ending: endingOf(hoisted.step, site, carried) };
    });
  }

  /** Puts the axis where a register of a site in front of the loop says. */
  start(site: Site, from: Register): void {
    site.flush();
    site.get(from);
    this.#target.set(this.at);
    this.#pointers.start(site, this.at);
  }

  /** Walks on to `end`. */
  run(end: Local): void {
    const target = this.#target;
    const steps = this.#levels.slice(0, -1);
    // A step that fails is left to the single elements, which tell why.
    if (steps.length > 0) {
      target.block((elements) => {
        for (const level of steps) this.#walk(level, end, () => target.brIf(elements));
      });
    }
    this.elements(end);
  }

  /** Walks on to `end` by single elements. */
  elements(end: Local): void {
    this.#walk(this.#levels.at(-1)!, end, () => {});
  }

  #walk({ site, before, step, carried, ending }: Level, end: Local, leave: () => void): void {
    const target = this.#target;
    const { count } = site;
    const last = count === 1 ? end : target.local("i32");
    if (count > 1) target.get(end).i32(count).op("i32.sub").set(last);
    const more = (): void => {
      target
        .get(this.at)
        .get(last)
        .op(count === 1 ? "i32.lt_s" : "i32.le_s");
    };
    more();
    target.ifThen(() => {
      site.write([before]);
      target.loop((again) => {
        site.write(step, ending);
        if (count > 1 && site.failed !== null) {
          site.get(site.failed);
          leave();
        }
        for (const { register } of carried) site.get(register);
        for (let k = carried.length - 1; k >= 0; k--) target.set(carried[k]!.local);
        target.get(this.at).i32(count).op("i32.add").set(this.at);
        this.#pointers.advance(count);
        more();
        target.brIf(again);
      });
    });
  }
}

/** What is carried to the next step, and what is asked between instructions, stays to the end of a step. */
function endingOf(step: readonly Part[], { code, failed }: Site, carried: readonly Carried[]): LastReads {
  const kept = carried.map(({ register }) => register);
  if (failed !== null) kept.push(failed);
  for (const part of step) if (!isCode(part)) kept.push(...part.reads);
  return lastReads(step.filter(isCode).flat(), code.registers, kept);
}
