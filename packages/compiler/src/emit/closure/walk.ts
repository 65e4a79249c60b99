/** What statements are compiled for: runs along one loop, or the single steps of the code around all runs. */
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
  /** The loop that the runs walk; null for single steps. */
  readonly loop: Loop | null;
  readonly columns: Columns;
  readonly axes: ReadonlyMap<number, Places>;
  readonly locals: Map<number, Places> = new Map();
  /** Accumulators by number. `scanned` has those of scans along the run: they have a value for each element. */
  readonly accumulations: Map<number, Accumulation>;
  readonly scanned: Map<number, { readonly held: Column; readonly positions: Numbers | null }> = new Map();
  readonly #around: Walk | null;
  readonly #values = new Map<number, { readonly column: Column; readonly dtype: DType }>();
  /** Columns filled with a value that is the same for all elements, by the text of that value. */
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

  /** A walk in runs along a loop; `axes` are those that change along a run. */
  along(loop: Loop, axes: ReadonlyMap<number, Places>): Walk {
    return new Walk(this.kernel, this.runs, this.bits, this, loop, axes);
  }

  /** Called before the first run: fills the columns of values that are the same for all elements. */
  enter(frame: Frame): void {
    for (const fill of this.#enter) fill(frame);
  }

  /** An integer that is the same for all elements, such as an extent or a size. */
  same(integer: Integer): ReadInteger {
    const places = placesOf(integer, this);
    // choose-runs.ts takes no loop where this fails.
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
