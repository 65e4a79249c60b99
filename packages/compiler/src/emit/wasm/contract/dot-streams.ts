/** Sums of products in locals: those of several blocks, whose elements come in turns, and that of the blocks before them. */
import { type AccumulateStatement, InternalError } from "@fuseau/ir";
import type { Local } from "../encode/function.ts";
import type { Carried } from "../loops/straight-loop.ts";
import { applyOp } from "../pointwise/apply.ts";
import type { AccumulatorHome } from "../sites/accumulator-home.ts";
import { keep } from "../sites/keep.ts";
import type { Site } from "../sites/site.ts";
import { constantValue, type LaneValue, widthOf } from "../values/value.ts";
import { addProduct, type DotHome } from "./dot-home.ts";

export class DotStreams implements AccumulatorHome {
  readonly #home: DotHome;
  readonly #total: Local;
  readonly #blocks: readonly Local[];
  /** The sums after a step. */
  readonly #after = new Map<Local, LaneValue>();
  #present = 0;

  constructor(block: Site, home: DotHome, streams: number) {
    const { target } = block.fn;
    this.#home = home;
    this.#total = target.local("v128");
    this.#blocks = Array.from({ length: streams }, () => target.local("v128"));
    this.#clear(block, this.#total);
  }

  begin(site: Site): void {
    this.#after.clear();
    for (const local of this.#blocks) this.#clear(site, local);
  }

  /** What is added next belongs to a stream. */
  select(site: Site, stream: number): void {
    site.accumulators.set(this.#home.accumulator.accumulator, this);
    this.#present = stream;
  }

  accumulate(site: Site, { values }: AccumulateStatement): void {
    const local = this.#blocks[this.#present]!;
    const given = values.map((value) => site.value(value));
    const before = this.#read(site.varyingInput(local, "v128"));
    this.#after.set(local, addProduct(site, before, given, this.#home.dtype));
  }

  result(): never {
    throw new InternalError(`accumulator a${this.#home.accumulator.accumulator} is not finished`);
  }

  carried(): Carried[] {
    return [...this.#after].map(([local, { registers }]) => ({ local, register: registers[0]! }));
  }

  /** Adds the sums of the first streams to the total. */
  end(site: Site, streams: number): void {
    const { dtype } = this.#home;
    const sum = this.#blocks
      .slice(0, streams)
      .reduce(
        (total, local) => applyOp(site, "add", dtype, dtype, [total, this.#read(site.input(local, "v128"))]),
        this.#read(site.input(this.#total, "v128")),
      );
    keep(site, this.#total, sum.registers[0]!);
  }

  finish(site: Site): void {
    this.#home.set(site, this.#read(site.input(this.#total, "v128")));
  }

  #read(register: ReturnType<Site["input"]>): LaneValue {
    const { dtype } = this.#home;
    return { dtype, width: widthOf[dtype], uniform: true, registers: [register] };
  }

  #clear(site: Site, local: Local): void {
    keep(site, local, constantValue(site.code, 0, this.#home.dtype).registers[0]!);
  }
}
