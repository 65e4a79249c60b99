/** What statements are compiled against: a run along one loop, or the single steps around all runs. */
import type { DType, Integer, Loop, LoopKernel, Operand } from "@fuseau/ir";
import type { Bits } from "./bits.ts";
import type { Runs } from "./choose-runs.ts";
import { type Column, Columns, type Numbers, RUN } from "./columns.ts";
import type { Frame, Run } from "./frame.ts";
import { type IntegerScope, type Places, placesOf, type ReadInteger } from "./integers.ts";
import type { Accumulation } from "./reduction.ts";

export class Walk implements IntegerScope {
  readonly kernel: LoopKernel;
  readonly runs: Runs;
  readonly bits: Bits;
  /** The loop that runs go along; null for the single steps. */
  readonly loop: Loop | null;
  readonly columns: Columns;
  readonly axes: ReadonlyMap<number, Places>;
  readonly locals: Map<number, Places> = new Map();
  /** Accumulators by number; those of scans that runs go along hold something else after each element. */
  readonly accumulations: Map<number, Accumulation>;
  readonly scanned: Map<number, { readonly held: Column; readonly positions: Numbers | null }> = new Map();
  readonly #around: Walk | null;
  readonly #values = new Map<number, { readonly column: Column; readonly dtype: DType }>();
  /** Columns of what is the same for all elements, by what it is. */
  readonly #spread = new Map<string, Column>();
  readonly #enter: Run[] = [];

  constructor(
    kernel: LoopKernel,
    runs: Runs,
    bits: Bits,
    around: Walk | null = null,
    loop: Loop | null = null,
    axes: ReadonlyMap<number, Places> = new Map(),
  ) {
    this.kernel = kernel;
    this.runs = runs;
    this.bits = bits;
    this.#around = around;
    this.loop = loop;
    this.axes = axes;
    this.columns = new Columns(loop === null ? 1 : RUN);
    this.accumulations = around?.accumulations ?? new Map();
  }

  /** Runs along a loop; which axes change along them. */
  along(loop: Loop, axes: ReadonlyMap<number, Places>): Walk {
    return new Walk(this.kernel, this.runs, this.bits, this, loop, axes);
  }

  /** To be called in front of the first run: fills the columns of what is the same for all elements. */
  enter(frame: Frame): void {
    for (const fill of this.#enter) fill(frame);
  }

  /** An integer that is the same for all elements: extents, sizes. */
  same(integer: Integer): ReadInteger {
    const places = placesOf(integer, this);
    // The choice of runs has seen to it.
    return (places as Places & { readonly kind: "even" }).base;
  }

  define(local: number, dtype: DType): Column {
    const column = this.columns.values(dtype);
    this.#values.set(local, { column, dtype });
    return column;
  }

  column(operand: Operand): Column {
    switch (operand.kind) {
      case "constant": {
        const { value, dtype } = operand;
        const key = `${dtype} ${Object.is(value, -0) ? "-0" : value}`;
        return this.#same(key, dtype, () => value);
      }
      case "scalar": {
        const { slot } = operand;
        return this.#same(
          `c${slot}`,
          this.kernel.scalars[slot] as DType,
          ({ scalars }) => scalars[slot] as number,
        );
      }
      case "local": {
        const { local } = operand;
        const own = this.#values.get(local);
        if (own !== undefined) return own.column;
        const { column, dtype } = (this.#around as Walk).#valueOf(local);
        return this.#same(`v${local}`, dtype, () => column[0] as number);
      }
      default:
        return operand satisfies never;
    }
  }

  #valueOf(local: number): { readonly column: Column; readonly dtype: DType } {
    return this.#values.get(local) as { readonly column: Column; readonly dtype: DType };
  }

  #same(key: string, dtype: DType, read: (frame: Frame) => number | bigint): Column {
    const known = this.#spread.get(key);
    if (known !== undefined) return known;
    const column = this.columns.values(dtype);
    this.#spread.set(key, column);
    this.#enter.push((frame) => {
      (column as Numbers).fill(read(frame) as number, 0, frame.n);
    });
    return column;
  }
}
