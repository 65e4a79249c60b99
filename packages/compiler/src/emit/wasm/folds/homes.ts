/**
 * Where partial results are kept between the steps of a loop: in locals or, if they are spilled, in memory. A local that is
 * carried from step to step takes a machine register throughout the step.
 */
import type { OfSizes } from "@fuseau/ir";
import type { Local } from "../encode/function.ts";
import type { Register } from "../lanes/straight.ts";
import type { PhaseFunction } from "../sites/phase-function.ts";
import type { Site } from "../sites/site.ts";
import type { Carried } from "../sites/straight-loop.ts";

/** A local, or the offset in the workspace in bytes. */
export type Home = { readonly local: Local } | { readonly offset: number };

const BYTES = 16;

/** The workspace is as large as it has become when all is written. It is kept, and the homes are not. */
const bytesOf =
  (room: { readonly bytes: number }): OfSizes =>
  () =>
    room.bytes;

export class Homes {
  readonly #fn: PhaseFunction;
  /** The workspace; null if the homes are locals. */
  readonly #slot: number | null;
  readonly #room = { bytes: 0 };

  constructor(fn: PhaseFunction, inMemory: boolean) {
    this.#fn = fn;
    this.#slot = inMemory ? fn.workspaces.add("uint8", bytesOf(this.#room)) : null;
  }

  get areMemory(): boolean {
    return this.#slot !== null;
  }

  add(): Home {
    if (this.#slot === null) return { local: this.#fn.target.local("v128") };
    this.#room.bytes += BYTES;
    return { offset: this.#room.bytes - BYTES };
  }

  read(site: Site, home: Home): Register {
    if ("local" in home) return site.varyingInput(home.local, "v128");
    const register = site.code.with("v128.load", home.offset, this.#start(site));
    site.loads.set(register, this.#slot!);
    return register;
  }

  /** Writes a register between loops. */
  write(site: Site, home: Home, register: Register): void {
    if ("offset" in home) this.#store(site, home.offset, register);
    site.flush();
    if ("offset" in home) return;
    site.get(register);
    site.fn.target.set(home.local);
  }

  /** Writes a register at the end of a step. If its home is a local, the loop has to carry it. */
  carry(site: Site, home: Home, register: Register): readonly Carried[] {
    if ("local" in home) return [{ local: home.local, register }];
    this.#store(site, home.offset, register);
    return [];
  }

  #store(site: Site, offset: number, register: Register): void {
    site.code.store("v128.store", offset, this.#start(site), register);
  }

  #start(site: Site): Register {
    // Marked as stored to, so that loads from it are not hoisted.
    site.stored.add(this.#slot!);
    return site.input(this.#fn.buffer(this.#slot!), "i32");
  }
}
