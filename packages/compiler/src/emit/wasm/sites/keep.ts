/** Sets locals that code outside of a site reads. */
import type { Local } from "../encode/function.ts";
import type { Register } from "../lanes/straight.ts";
import type { Site } from "./site.ts";

/** Sets a local to a register of the site. */
export function keep(site: Site, local: Local, register: Register): void {
  site.flush();
  site.get(register);
  site.fn.target.set(local);
}

/** The smaller of two integers. */
export function smaller({ code }: Pick<Site, "code">, a: Register, b: Register): Register {
  const less = code.op("i32.sub", code.scalar("i32", 0), code.op("i32.lt_s", a, b));
  return code.op("i32.xor", b, code.op("i32.and", code.op("i32.xor", a, b), less));
}

/** The place `by` behind another, but not behind `end`. The sum never exceeds `end`, which may be the largest integer. */
export function onward({ code }: Pick<Site, "code">, at: Register, by: number, end: Register): Register {
  const left = code.op("i32.sub", end, at);
  return code.op("i32.add", at, smaller({ code }, left, code.scalar("i32", by)));
}
