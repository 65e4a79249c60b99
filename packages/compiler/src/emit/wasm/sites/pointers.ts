/** Addresses that advance with a loop: one for each sequence of elements that the body accesses in a buffer. */
import type { Integer } from "@fuseau/ir";
import { add, asNumber, factor, multiply, type Polynomial, textOf } from "../../../tactics/polynomial.ts";
import type { FunctionBuilder, Local } from "../encode/function.ts";
import type { Register } from "../lanes/straight.ts";
import type { Site } from "./site.ts";

export interface Pointer {
  readonly local: Local;
  readonly slot: number;
  /** The index of the element at iteration 0, and the difference between iterations, in elements. */
  readonly base: Polynomial;
  readonly step: Polynomial;
  /** The bytes of one element. */
  readonly bytes: number;
  /** The step in bytes, if it is not constant. */
  readonly stride: Local | null;
  /** The pointer that it keeps a constant distance from. Its local then holds the distance in bytes, and does not advance. */
  readonly from: Pointer | null;
}

/**
 * From so many advancing pointers on, one that moves by as much as another is computed of it. What does not fit the registers would be
 * advanced in memory, and each access would wait for that: rows that were stored while four of them were folded took 1.3 times as long.
 */
const FEW = 3;

export class Pointers {
  readonly #axis: Integer & { readonly kind: "axis" };
  readonly #target: FunctionBuilder;
  readonly #known = new Map<string, Pointer>();

  constructor(target: FunctionBuilder, axis: number) {
    this.#target = target;
    this.#axis = { kind: "axis", axis };
  }

  get(slot: number, base: Polynomial, step: Polynomial, bytes: number): Pointer {
    const key = `${slot} ${bytes} ${textOf(base)} ${textOf(step)}`;
    let pointer = this.#known.get(key);
    if (pointer === undefined) {
      const target = this.#target;
      const from = this.#alongside(step, bytes);
      const stride =
        from === null && asNumber(step) === undefined ? target.local("i32") : (from?.stride ?? null);
      pointer = { local: target.local("i32"), slot, base, step, bytes, stride, from };
      this.#known.set(key, pointer);
    }
    return pointer;
  }

  /** The first pointer that advances by as much, where enough do. */
  #alongside(step: Polynomial, bytes: number): Pointer | null {
    const moving = [...this.#known.values()].filter(
      (each) => each.from === null && asNumber(each.step) !== 0,
    );
    if (moving.length < FEW || asNumber(step) === 0) return null;
    return moving.find((each) => each.bytes === bytes && textOf(each.step) === textOf(step)) ?? null;
  }

  /** Sets the pointers to the iteration in a local, in code of a site in front of the loop. */
  start(site: Site, at: Local): void {
    site.axes.set(this.#axis.axis, at);
    const set: [Local, Register][] = [];
    const starts = new Map<Pointer, Register>();
    for (const pointer of this.#known.values()) {
      const { local, slot, base, step, bytes, stride, from } = pointer;
      const start = site.addressOf(slot, add(base, multiply(step, factor(this.#axis))), bytes);
      starts.set(pointer, start);
      set.push([local, from === null ? start : site.code.op("i32.sub", start, starts.get(from)!)]);
      if (stride !== null && from === null) set.push([stride, site.times(site.valueOf(step), bytes)]);
    }
    site.flush();
    for (const [local, register] of set) {
      site.get(register);
      this.#target.set(local);
    }
  }

  /** Advances by `count` iterations, or by as many as a local says. */
  advance(count: number, live: Local | null): void {
    const target = this.#target;
    for (const { local, step, bytes, stride, from } of this.#known.values()) {
      const constant = asNumber(step);
      if (constant === 0 || from !== null) continue;
      target.get(local);
      if (stride !== null) target.get(stride);
      else target.i32(constant! * bytes * (live === null ? count : 1));
      if (live !== null) target.get(live).op("i32.mul");
      else if (stride !== null && count > 1) target.i32(count).op("i32.mul");
      target.op("i32.add").set(local);
    }
  }
}
