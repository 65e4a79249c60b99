/**
 * A place in a function where straight-line code is written: the body of a loop, or the code between loops. It knows which
 * registers hold the locals of the loop IR. Values of the sites around it are read from WebAssembly's locals.
 */
import {
  type Expression,
  type Integer,
  type IntegerOperator,
  InternalError,
  type Operand,
  printInteger,
  someInteger,
  substitute,
} from "@fuseau/ir";
import { add, factor, multiply, type Polynomial, polynomialOf } from "../../../tactics/polynomial.ts";
import type { Local } from "../encode/function.ts";
import { StraightCode } from "../lanes/code.ts";
import { emitOnce, emitStraight, Placement } from "../lanes/emit-straight.ts";
import type { LastReads } from "../lanes/last-reads.ts";
import type { Instruction, Register, RegisterType } from "../lanes/straight.ts";
import { constantValue, type Lanes, type LaneValue } from "../values/value.ts";
import type { AccumulatorHome } from "./accumulator-home.ts";
import { refuseDivision } from "./failures.ts";
import type { Neighbours } from "./neighbours.ts";
import type { HeldValue, PhaseFunction } from "./phase-function.ts";
import type { Pointers } from "./pointers.ts";
import type { TransposedLoads } from "./transposed-loads.ts";

/** The loop whose iterations a site computes, several at once. */
interface Walk {
  readonly axis: number;
  /** The iteration of the first lane. */
  readonly at: Local;
  readonly count: number;
  readonly pointers: Pointers;
  /** Integers as polynomials, shared by the steps of all lengths. */
  readonly polynomials: Map<Integer, Polynomial>;
  /** How many of the first lanes have an element; null if all lanes have one. The other lanes hold any values. */
  readonly live: Local | null;
}

/** Code written between instructions that straight-line code cannot express, such as a branch. */
interface Interruption {
  /** The registers that the code reads. */
  readonly reads: readonly Register[];
  readonly write: () => void;
}

export type Part = readonly Instruction[] | Interruption;

/** True of instructions, false of an interruption. */
export const isCode = (part: Part): part is readonly Instruction[] => Array.isArray(part);

export class Site implements Lanes {
  readonly fn: PhaseFunction;
  readonly parent: Site | null;
  readonly walk: Walk | null;
  readonly count: number;
  readonly code: StraightCode = new StraightCode();
  readonly placement: Placement;
  /** The locals of the loop axes that this site introduces. */
  readonly axes: Map<number, Local> = new Map();
  /** `definitions`: integers that are computed where they are used. `integers`: those that this site has computed. */
  readonly definitions: Map<number, Integer> = new Map();
  readonly integers: Map<number, Register> = new Map();
  /** Integers read from data, a register for each lane. */
  readonly laneIntegers: Map<number, readonly Register[]> = new Map();
  readonly values: Map<number, LaneValue> = new Map();
  /** The expressions that define this site's values. */
  readonly expressions: Map<number, Expression> = new Map();
  readonly accumulators: Map<number, AccumulatorHome> = new Map();
  /**
   * Nonzero if a lane fails. The loop checks it at the end of a step, before locals and the axis advance, and then repeats the
   * step in single elements. With a single lane failures are checked at once instead.
   */
  failed: Register | null = null;
  /** The buffer that each load reads, by the load's result; the buffers that are stored to. */
  readonly loads: Map<Register, number> = new Map();
  readonly stored: Set<number> = new Set();
  /** Vectors loaded around elements with a stride (neighbours.ts). */
  readonly neighbours: Neighbours = new Map();
  /** Transposes loads, if this is the body of a jammed loop. */
  transposed: TransposedLoads | null = null;
  /** Code to be written at the end of the body. */
  readonly endings: (() => void)[] = [];
  /** Registers from outside that may change from step to step. */
  readonly varying: Set<Register> = new Set();
  readonly #inputs = new Map<Local, Register>();
  readonly #parts: Part[] = [];
  /** The integers that replace axes while a body is written more than once. */
  readonly #bindings = new Map<number, Integer>();
  /** Integers as polynomials, as long as no binding changes. */
  readonly #polynomials: Map<Integer, Polynomial>;

  constructor(fn: PhaseFunction, parent: Site | null, walk: Walk | null = null) {
    this.fn = fn;
    this.parent = parent;
    this.walk = walk;
    this.count = walk?.count ?? 1;
    this.#polynomials = walk?.polynomials ?? new Map();
    this.placement = new Placement(this.code, fn.target);
  }

  /** The value of a local where the code begins. */
  input(local: Local, type: RegisterType): Register {
    let register = this.#inputs.get(local);
    if (register === undefined) {
      register = this.code.input(type);
      this.placement.share(register, local);
      this.#inputs.set(local, register);
    }
    return register;
  }

  /** {@link input} of a local that changes from step to step. */
  varyingInput(local: Local, type: RegisterType): Register {
    const register = this.input(local, type);
    this.varying.add(register);
    return register;
  }

  refuse(op: string, mask: LaneValue): void {
    refuseDivision(this, op, mask);
  }

  // Integers

  /** An integer in one of the lanes. */
  integer(integer: Integer, lane = 0): Register {
    return this.valueOf(this.polynomial(integer), lane);
  }

  polynomial(integer: Integer): Polynomial {
    let polynomial = this.#polynomials.get(integer);
    if (polynomial === undefined) {
      polynomial = this.#expanded(integer);
      this.#polynomials.set(integer, polynomial);
    }
    return polynomial;
  }

  /** The polynomial of the inlined integer. Its parts are looked up, too. */
  #expanded(integer: Integer): Polynomial {
    switch (integer.kind) {
      case "add":
        return add(this.polynomial(integer.left), this.polynomial(integer.right));
      case "mul":
        return multiply(this.polynomial(integer.left), this.polynomial(integer.right));
      case "local": {
        const definition = this.#find((site) => site.definitions.get(integer.local));
        return definition === undefined ? factor(integer) : this.polynomial(definition);
      }
      default:
        return polynomialOf(this.inline(integer));
    }
  }

  /** Replaces an axis from here on. The integer may use names known outside, and the axis itself. */
  bind(axis: number, integer: Integer): void {
    this.#bindings.set(axis, integer);
    this.#polynomials.clear();
  }

  unbind(axis: number): void {
    this.#bindings.delete(axis);
    this.#polynomials.clear();
  }

  get isBound(): boolean {
    return this.#bindings.size > 0;
  }

  /** Replaces names by what they stand for, so that the integer uses only names known outside and the site's own axis. */
  inline(integer: Integer): Integer {
    return substitute(integer, (name) => {
      // A binding uses names known outside and the axis itself, so it is not inlined again.
      if (name.kind === "axis") return this.#find((site) => site.#bindings.get(name.axis)) ?? name;
      const definition = this.#find((site) => site.definitions.get(name.local));
      return definition === undefined ? name : this.inline(definition);
    });
  }

  /** A polynomial in one of the lanes. */
  valueOf(polynomial: Polynomial, lane = 0): Register {
    const { code } = this;
    let sum: Register | null = null;
    for (const { coefficient, factors } of polynomial) {
      let product: Register | null = null;
      for (const each of factors) {
        const register = this.#factor(each, lane);
        product = product === null ? register : code.op("i32.mul", product, register);
      }
      const term = product === null ? code.scalar("i32", coefficient) : this.times(product, coefficient);
      sum = sum === null ? term : code.op("i32.add", sum, term);
    }
    return sum ?? code.scalar("i32", 0);
  }

  times(register: Register, by: number): Register {
    return by === 1 ? register : this.code.op("i32.mul", register, this.code.scalar("i32", by));
  }

  /** How many of the lanes have elements; null if all have. */
  get live(): Register | null {
    return this.walk?.live == null ? null : this.varyingInput(this.walk.live, "i32");
  }

  /** The distance of a lane from the first one; 0 if the lane has no element. */
  onward(distance: Register, lane: number): Register {
    const { code, live } = this;
    if (live === null) return distance;
    return code.op("i32.mul", code.op("i32.lt_s", code.scalar("i32", lane), live), distance);
  }

  /** The address of an element, given its index in a buffer. */
  addressOf(slot: number, place: Polynomial, bytes: number, lane = 0): Register {
    const start = this.input(this.fn.buffer(slot), "i32");
    if (place.length === 0) return start;
    return this.code.op("i32.add", start, this.times(this.valueOf(place, lane), bytes));
  }

  #factor(integer: Integer, lane: number): Register {
    const { code, walk } = this;
    switch (integer.kind) {
      case "literal":
        return code.scalar("i32", integer.value);
      case "size":
        return this.input(this.fn.size(integer.slot), "i32");
      case "axis": {
        if (integer.axis !== walk?.axis) return this.input(this.#axis(integer.axis), "i32");
        const first = this.varyingInput(walk.at, "i32");
        return lane === 0 ? first : code.op("i32.add", first, this.onward(code.scalar("i32", lane), lane));
      }
      case "local": {
        const lanes = this.laneIntegers.get(integer.local);
        if (lanes !== undefined) return lanes[lane % lanes.length]!;
        return this.integers.get(integer.local) ?? this.input(this.#integerLocal(integer.local), "i32");
      }
      default:
        // Inlined already: inlining again would replace an axis twice.
        return this.#binary(
          integer.kind,
          this.valueOf(polynomialOf(integer.left), lane),
          this.valueOf(polynomialOf(integer.right), lane),
        );
    }
  }

  #binary(kind: IntegerOperator, left: Register, right: Register): Register {
    const { code } = this;
    if (kind !== "min") {
      const ops = { add: "i32.add", mul: "i32.mul", div: "i32.div_s", mod: "i32.rem_s" } as const;
      return code.op(ops[kind], left, right);
    }
    const less = code.op("i32.sub", code.scalar("i32", 0), code.op("i32.lt_s", left, right));
    return code.op("i32.xor", right, code.op("i32.and", code.op("i32.xor", left, right), less));
  }

  /** True when the inlined integer differs between lanes or between steps. */
  varies(integer: Integer): boolean {
    return this.#someLanes(integer, () => true);
  }

  /** True when the inlined integer differs between lanes. */
  differs(integer: Integer): boolean {
    return this.#someLanes(integer, ({ length }) => length > 1);
  }

  /** True if the integer has the walked axis in it, or one read from data whose lanes pass the test. */
  #someLanes(integer: Integer, passes: (lanes: readonly Register[]) => boolean): boolean {
    return someInteger(integer, (leaf) => {
      if (leaf.kind === "axis") return leaf.axis === this.walk?.axis;
      const lanes = leaf.kind === "local" ? this.laneIntegers.get(leaf.local) : undefined;
      return lanes !== undefined && passes(lanes);
    });
  }

  #axis(axis: number): Local {
    return this.#find((site) => site.axes.get(axis)) ?? unknown(`x${axis}`);
  }

  #integerLocal(local: number): Local {
    const found = this.#find((site) => {
      const register = site.integers.get(local);
      return register === undefined ? undefined : site.placement.local(register, 0);
    });
    return found ?? unknown(printInteger({ kind: "local", local }));
  }

  // Values

  value(operand: Operand): LaneValue {
    switch (operand.kind) {
      case "constant":
        return constantValue(this.code, operand.value, operand.dtype);
      case "scalar":
        return this.held(this.fn.scalar(operand.slot));
      case "local":
        return this.values.get(operand.local) ?? this.held(this.#heldValue(operand.local));
      default:
        return operand satisfies never;
    }
  }

  /** A uniform value that is in a local. */
  held({ dtype, width, local }: HeldValue): LaneValue {
    return { dtype, width, uniform: true, registers: [this.input(local, "v128")] };
  }

  /** The local of a uniform value of this site, for sites within it. Its code must have been written. */
  hold({ dtype, width, registers }: LaneValue): HeldValue {
    this.#placeConstants();
    return { dtype, width, local: this.placement.local(registers[0]!, 0) };
  }

  #heldValue(local: number): HeldValue {
    const found = this.#find((site) => {
      const value = site === this ? undefined : site.values.get(local);
      return value === undefined ? undefined : site.hold(value);
    });
    return found ?? unknown(`v${local}`);
  }

  accumulator(id: number): AccumulatorHome {
    return this.#find((site) => site.accumulators.get(id)) ?? unknown(`a${id}`);
  }

  #find<T>(look: (site: Site) => T | undefined): T | undefined {
    for (let site: Site | null = this; site !== null; site = site.parent) {
      const found = look(site);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  // Writing

  /** Writes other code between the instructions so far and those to come. */
  interrupt(interruption: Interruption): void {
    this.#parts.push(this.code.instructions.splice(0), interruption);
  }

  /** Writes the code so far. Its registers stay valid. */
  flush(): void {
    this.write(this.takeParts());
  }

  /** Takes the code so far, which the caller then has to write: instructions, and the interruptions between them. */
  takeParts(): Part[] {
    return [...this.#parts.splice(0), this.code.instructions.splice(0)];
  }

  /** With `ending`, registers are dead after their last reads: no later code may read those that this code computes. */
  write(parts: readonly Part[], ending: LastReads | null = null): void {
    this.#placeConstants();
    for (const part of parts) {
      if (!isCode(part)) part.write();
      else if (ending === null) emitStraight(this.placement, undefined, part);
      else emitOnce(this.placement, part, ending);
    }
  }

  /** Pushes a register whose code has been written. */
  get(register: Register): void {
    const scalar = this.code.scalarOf(register);
    if (scalar === null) this.fn.target.get(this.placement.local(register, 0));
    else this.fn.target.i32(Number(scalar.value));
  }

  #placeConstants(): void {
    for (const [register, constant] of this.code.constants)
      if (!this.placement.isShared(register)) this.placement.share(register, this.fn.constant(constant));
  }
}

function unknown(name: string): never {
  throw new InternalError(`${name} is not known here`);
}
