import type { Register, Straight } from "./straight.ts";

/** A function on the lanes of registers, which appends straight-line code. Lanes do not see each other. */
export type LaneFunction = (code: Straight, ...args: Register[]) => Register;
