/** Finds equal pure operations in some code. */
import type { Traits } from "../encode/operations.ts";
import type { Instruction, Register } from "./straight.ts";

type Operation = Extract<Instruction, { readonly kind: "operation" }>;
type Immediate = Operation["immediate"];

/** A hash table by the contents of operations, at most half full. A Map would need a key string for each lookup. */
export class PureOperations {
  readonly #all: Operation[] = [];
  /** Indices into `#all`, counted from 1; 0 is free. The length is a power of two. */
  #places: number[] = [];

  find(traits: Traits, immediate: Immediate, args: readonly Register[]): Register | null {
    const places = this.#places;
    const mask = places.length - 1;
    if (mask < 0) return null;
    for (let at = hashOf(traits, immediate, args) & mask; places[at] !== 0; at = (at + 1) & mask) {
      const found = this.#all[places[at]! - 1]!;
      if (
        found.traits === traits &&
        isSameList(found.args, args) &&
        isSameImmediate(found.immediate, immediate)
      )
        return found.result;
    }
    return null;
  }

  /** Adds an operation that {@link find} did not find. */
  keep(operation: Operation): void {
    if (2 * this.#all.push(operation) > this.#places.length) {
      this.#places = new Array<number>(Math.max(64, 4 * this.#places.length)).fill(0);
      for (let k = 0; k < this.#all.length; k++) this.#place(k);
    } else this.#place(this.#all.length - 1);
  }

  #place(k: number): void {
    const { traits, immediate, args } = this.#all[k]!;
    const places = this.#places;
    const mask = places.length - 1;
    let at = hashOf(traits, immediate, args) & mask;
    while (places[at] !== 0) at = (at + 1) & mask;
    places[at] = k + 1;
  }
}

function hashOf({ number }: Traits, immediate: Immediate, args: readonly Register[]): number {
  let hash = number;
  if (typeof immediate === "number") hash = Math.imul(hash, 31) + immediate;
  else if (immediate !== null)
    for (let k = 0; k < immediate.length; k++) hash = Math.imul(hash, 31) + immediate[k]!;
  for (let k = 0; k < args.length; k++) hash = Math.imul(hash, 0x9e3779b1) + args[k]!;
  return hash ^ (hash >>> 15);
}

const isSameImmediate = (a: Immediate, b: Immediate): boolean =>
  a === b || (a !== null && b !== null && typeof a !== "number" && typeof b !== "number" && isSameList(a, b));

function isSameList(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}
