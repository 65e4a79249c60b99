import type { Register, Straight } from "./straight.ts";

/** A function from registers to a register, which appends straight-line code. It acts on each lane by itself. */
export type LaneFunction = (code: Straight, ...args: Register[]) => Register;
