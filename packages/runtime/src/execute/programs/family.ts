/** What is known of a family: all graphs of one structure, and the programs for many of their sizes. */
import type { Box, KernelCall, LateProgram, Point, Refusal } from "@fuseau/compiler";
import type { Kernel, Loaded } from "../../backends/backend.ts";
import type { Choice } from "../../backends/choose.ts";
import type { Held } from "../../cache/lru.ts";
import type { Recorded } from "../extract/extract.ts";
import type { Recurring } from "../sizes/recurring.ts";
import type { Room } from "../sizes/rooms.ts";
import type { Surface } from "../sizes/surfaces.ts";
import type { BoundExecutable } from "./executable.ts";
import type { Expected } from "./expected.ts";
import type { Purpose } from "./purpose.ts";
import type { Sliced } from "./slices.ts";

/** Graphs of one structure, computed for one purpose. */
export interface Family {
  readonly recorded: Recorded;
  readonly purpose: Purpose;
  /** The different sizes of graphs that were compiled singly, the latest first. */
  readonly seen: (readonly number[])[];
  readonly rooms: readonly Room[];
  /** How many graphs were compiled singly, or were new and ran op by op. */
  singles: number;
  /** Nanoseconds that compilations and runs op by op have lost. */
  lost: number;
  /** Bytes that instances of its programs take. */
  bound: number;
  /** True once one was computed in parts that have sizes of their own. */
  isInParts: boolean;
  /** The lists of sizes for which it was. */
  readonly recurring: Recurring;
  readonly sized: Sized[];
  /** Its entry in the cache, while it is there. */
  held: Held<number, Family> | null;
  /** How often the attempt to make a program of many sizes failed, for which surfaces, and why it did the last time. */
  refusals: number;
  readonly refused: Surface[];
  /** The program of many sizes that is being made; null if none is. */
  learning: Learning | null;
  /** How often graphs were compiled to make programs of many sizes. */
  spent: number;
  /** How many graphs had been compiled singly, and what they had lost, when a surface was last looked for in vain. */
  lookedAt: number;
  lostThen: number;
  why: string | null;
}

/** A program of many sizes in the making: around a point, or else on one of other surfaces. */
export interface Learning {
  readonly sized: Sized;
  readonly point: Point;
  readonly others: readonly Sized[];
  readonly sliced: Sliced<Late | Refusal | null>;
}

/** The programs for the sizes on one surface. */
export interface Sized {
  readonly family: Family;
  readonly surface: Surface;
  /** The graph at the surface's origin. */
  readonly recorded: Recorded;
  /** Their boxes do not overlap. */
  readonly late: Late[];
  /** On a line: how often each small size, which a program of its own would unroll, may still run in a program of many. */
  readonly small: number[];
  /** Some programs that are already bound to their sizes. */
  readonly executables: (BoundExecutable | undefined)[];
  readonly expected: Expected;
}

/** A program for the sizes of a box on a surface. */
export interface Late extends Box {
  readonly sized: Sized;
  readonly unrolledBelow: number;
  readonly program: LateProgram;
  /** The calls, with the loop IR of kernels that other programs may share. */
  readonly calls: readonly KernelCall[];
  readonly kernels: readonly Kernel[];
  readonly choice: Choice;
  /** The program at one point, loaded by the chosen backend. */
  readonly loaded: Loaded<unknown>;
}
