/** The function that runs one phase: its parameters in the frame, its constants, and how it fails. */
import type { DType, LoopKernel } from "@fuseau/ir";
import type { Held } from "../../../tactics/lane-steps.ts";
import type { Machine } from "../../../tactics/machine.ts";
import type { Numbering } from "../../../tactics/numbering.ts";
import type { ProductElement } from "../../../tactics/products/nest.ts";
import type { FunctionBuilder, Local } from "../encode/function.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import type { Operation } from "../encode/operations.ts";
import { type Constant, constantKey } from "../lanes/constant.ts";
import type { Kind } from "../matmul/kinds.ts";
import type { Frame } from "../plan/frame.ts";
import type { Workspaces } from "../plan/workspaces.ts";
import { type Width, widthOf } from "../values/value.ts";

/** A uniform value in a local. */
export interface HeldValue {
  readonly dtype: DType;
  readonly width: Width;
  readonly local: Local;
}

/** The parameters of a phase's function. */
export const parameters = { frame: 0, begin: 1, end: 2 } as const;

/** How a slot of the frame becomes a uniform value. Narrow integers are in range already. */
const scalarLoads: Readonly<Record<DType, readonly Operation[]>> = {
  bool: ["f64.load", "i32.trunc_sat_f64_s", "i8x16.splat", "i8x16.neg"],
  uint8: ["f64.load", "i32.trunc_sat_f64_s", "i8x16.splat"],
  int8: ["f64.load", "i32.trunc_sat_f64_s", "i8x16.splat"],
  int16: ["f64.load", "i32.trunc_sat_f64_s", "i16x8.splat"],
  int32: ["f64.load", "i32.trunc_sat_f64_s", "i32x4.splat"],
  int64: ["v128.load64_splat"],
  float16: ["f64.load", "f32.demote_f64", "f32x4.splat"],
  float32: ["f64.load", "f32.demote_f64", "f32x4.splat"],
  float64: ["v128.load64_splat"],
};

export class PhaseFunction {
  readonly target: FunctionBuilder;
  readonly kernel: LoopKernel;
  readonly workspaces: Workspaces;
  readonly frame: Frame;
  readonly numbering: Numbering;
  /** For loops that are scheduled while they are written. */
  readonly held: Held;
  /** How products are summed. */
  readonly kinds: Readonly<Record<ProductElement, Kind>>;
  /** The locals that are loaded at the start of the function, by name; constants by their bits. */
  readonly #prologue = new Map<string | number, { readonly local: Local; readonly load: () => void }>();

  constructor(
    module: ModuleBuilder,
    name: string,
    kernel: LoopKernel,
    workspaces: Workspaces,
    frame: Frame,
    kinds: Readonly<Record<ProductElement, Kind>>,
    numbering: Numbering,
    machine: Machine,
  ) {
    this.kinds = kinds;
    this.target = module.function(name, ["i32", "i32", "i32"], ["i32"]);
    this.kernel = kernel;
    this.workspaces = workspaces;
    this.frame = frame;
    this.numbering = numbering;
    this.held = { machine, dtypeOf: (slot) => workspaces.dtypeOf(slot) };
  }

  /** The address of a buffer or a workspace. */
  buffer(slot: number): Local {
    const own = slot - this.workspaces.bound;
    const offset = own < 0 ? this.frame.buffers + 8 * slot : this.frame.workspaces + 8 * own;
    return this.#once(`buffer ${slot}`, "i32", () => this.#fromFrame("i32.load", offset));
  }

  size(slot: number): Local {
    return this.#once(`size ${slot}`, "i32", () => this.#fromFrame("i32.load", this.frame.sizes + 8 * slot));
  }

  scalar(slot: number): HeldValue {
    const dtype = this.kernel.scalars[slot]!;
    const [load, ...rest] = scalarLoads[dtype] as readonly [Operation, ...Operation[]];
    const local = this.#once(`scalar ${slot}`, "v128", () => {
      this.#fromFrame(load, this.frame.scalars + 8 * slot);
      for (const op of rest) this.target.op(op);
    });
    return { dtype, width: widthOf[dtype], local };
  }

  constant(constant: Constant): Local {
    return this.#once(constantKey(constant), "v128", () => this.target.words(constant));
  }

  /** An address of zeros. */
  zeros(): Local {
    return this.#once("zeros", "i32", () =>
      this.target.get(parameters.frame).i32(this.frame.zeros).op("i32.add"),
    );
  }

  /** Ends the function, which returns 0: no failure. The loads of all locals that the code needs are put at its start. */
  finish(): void {
    this.target.i32(0);
    this.target.begin(() => {
      for (const { local, load } of this.#prologue.values()) {
        load();
        this.target.set(local);
      }
    });
  }

  #fromFrame(op: Operation, offset: number): void {
    this.target.get(parameters.frame).op(op, offset);
  }

  #once(name: string | number, type: "i32" | "v128", load: () => void): Local {
    let known = this.#prologue.get(name);
    if (known === undefined) {
      known = { local: this.target.local(type), load };
      this.#prologue.set(name, known);
    }
    return known.local;
  }
}
