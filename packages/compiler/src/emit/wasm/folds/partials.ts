/** Results of blocks, for a fold at the top of a kernel. One phase writes them, in any order; the next joins them in their order. */
import { type Accumulator, type Integer, integerOfSizes, type ReduceStatement } from "@fuseau/ir";
import { itemsOf } from "../../../tactics/of-sizes.ts";
import type { Local } from "../encode/function.ts";
import type { Workspaces } from "../plan/workspaces.ts";
import { keep } from "../sites/keep.ts";
import { placeOf } from "../sites/places.ts";
import { Site } from "../sites/site.ts";
import { load, store } from "../sites/statements.ts";
import { constantValue, widthOf } from "../values/value.ts";
import { type Accumulation, accumulationOf } from "./accumulation.ts";
import { combine, join, plain, type State } from "./fold.ts";
import { WholeFold } from "./whole-fold.ts";

export class Partials {
  readonly #accumulator: Accumulator;
  readonly #count: Integer;
  readonly #block: number;
  readonly #values: number;
  readonly #positions: number | null;
  readonly #accumulation: Accumulation;

  /** `block`: elements of a block. */
  constructor(workspaces: Workspaces, { axes }: ReduceStatement, accumulator: Accumulator, block: number) {
    const accumulation = accumulationOf(accumulator);
    this.#accumulator = accumulator;
    this.#block = block;
    this.#accumulation = {
      ...accumulation,
      partial: accumulation.chunked ? "float64" : accumulation.partial,
      compensated: false,
      marked: false,
      signed: false,
    };
    this.#count = axes
      .map(({ extent }) => extent)
      .reduce((left, right): Integer => ({ kind: "mul", left, right }));
    const blocks = itemsOf(integerOfSizes(this.#count), block);
    this.#values = workspaces.add(this.#accumulation.partial, blocks);
    this.#positions = accumulation.positioned ? workspaces.add("int32", blocks) : null;
  }

  /** Stores the result of the block whose number is in a local. */
  write(site: Site, block: Local, { value, position }: State): void {
    const number = site.fn.numbering.local();
    site.integers.set(number.local, site.input(block, "i32"));
    store(site, this.#values, placeOf(site, this.#values, number), value);
    if (this.#positions !== null)
      store(site, this.#positions, placeOf(site, this.#positions, number), position!);
  }

  /** Joins the results of all blocks. The sites within `site` then know the result. */
  read(site: Site): void {
    const { target } = site.fn;
    const accumulator = this.#accumulator;
    const { start, partial } = this.#accumulation;
    const value = target.local("v128");
    const position = target.local("v128");
    const state = (inner: Site): State => ({
      ...plain(inner.held({ dtype: partial, width: widthOf[partial], local: value })),
      position: this.#positions === null ? null : inner.held({ dtype: "int32", width: 4, local: position }),
    });
    keep(site, value, constantValue(site.code, start, partial).registers[0]!);
    keep(site, position, site.code.splat("i64x2", 0));
    const at = target.local("i32");
    const end = target.local("i32");
    keep(site, at, site.code.scalar("i32", 0));
    keep(site, end, this.#blocks(site));
    target.forRange(at, end, 1, () => {
      const inner = new Site(site.fn, site);
      const joined = this.#join(inner, state(inner), at);
      keep(inner, value, joined.value.registers[0]!);
      if (joined.position !== null) keep(inner, position, joined.position.registers[0]!);
    });
    site.accumulators.set(accumulator.accumulator, new WholeFold(site, accumulator, state(site)));
  }

  #join(site: Site, before: State, block: Local): State {
    const number = site.fn.numbering.local();
    site.integers.set(number.local, site.input(block, "i32"));
    const value = load(site, this.#values, placeOf(site, this.#values, number));
    if (this.#positions === null)
      return combine(site, this.#accumulator, this.#accumulation, before, value, null);
    const position = load(site, this.#positions, placeOf(site, this.#positions, number));
    return join(site, this.#accumulator, this.#accumulation, before, { ...plain(value), position });
  }

  #blocks(site: Site): ReturnType<Site["integer"]> {
    const { code } = site;
    const rounded = code.op("i32.add", site.integer(this.#count), code.scalar("i32", this.#block - 1));
    return code.op("i32.shr_u", rounded, code.scalar("i32", Math.log2(this.#block)));
  }
}
