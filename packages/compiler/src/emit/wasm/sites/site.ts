/**
 * A place in a function where straight-line code is written: the body of a loop, or what stands between loops. It knows
 * which registers hold the locals of the loop IR; what sites around it know, it reads from WebAssembly's locals.
 */
import {
  type Expression,
  type Integer,
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
import type { TurnedLoads } from "./turned-loads.ts";

/** The loop whose iterations a site works on, several at once. */
export interface Walk {
  readonly axis: number;
  /** Where the axis stands in the first lane. */
  readonly at: Local;
  readonly count: number;
  readonly pointers: Pointers;
  /** What integers are: the same in the steps of all lengths. */
  readonly polynomials: Map<Integer, Polynomial>;
  /** How many elements of a step are there, in its first lanes; null where all are. What the other lanes hold is nothing's. */
  readonly live: Local | null;
}

/** What writes other code between instructions. */
export interface Interruption {
  /** The registers that it reads. */
  readonly reads: readonly Register[];
  readonly write: () => void;
}

export type Part = readonly Instruction[] | Interruption;

/** True of instructions. */
export const isCode = (part: Part): part is readonly Instruction[] => Array.isArray(part);

export class Site implements Lanes {
  readonly fn: PhaseFunction;
  readonly parent: Site | null;
  readonly walk: Walk | null;
  readonly count: number;
  readonly code: StraightCode = new StraightCode();
  readonly placement: Placement;
  /** The loop axes that are opened here. */
  readonly axes: Map<number, Local> = new Map();
  /** Integers by what they are, and those that are computed here. */
  readonly definitions: Map<number, Integer> = new Map();
  readonly integers: Map<number, Register> = new Map();
  /** Integers read from data, one for each lane. */
  readonly laneIntegers: Map<number, readonly Register[]> = new Map();
  readonly values: Map<number, LaneValue> = new Map();
  /** What the values of its own are made of. */
  readonly expressions: Map<number, Expression> = new Map();
  readonly accumulators: Map<number, AccumulatorHome> = new Map();
  /** Not 0 where a lane cannot go on; asked before anything is handed on. Of a single lane it is asked at once. */
  failed: Register | null = null;
  /** The buffers that loads read, by their results, and those that are stored to. */
  readonly loads: Map<Register, number> = new Map();
  readonly stored: Set<number> = new Set();
  /** What has been loaded around elements that stand apart. */
  readonly neighbours: Neighbours = new Map();
  /** How loads go across iterations, where several of a loop around are written into one body. */
  turned: TurnedLoads | null = null;
  /** What is to be written at the end of the body. */
  readonly endings: (() => void)[] = [];
  /** Registers from outside that are not the same in every step. */
  readonly varying: Set<Register> = new Set();
  readonly #inputs = new Map<Local, Register>();
  readonly #parts: Part[] = [];
  /** What axes stand for while a body is written more than once. */
  readonly #bindings = new Map<number, Integer>();
  /** What integers are, as long as those stay as they are. */
  readonly #polynomials: Map<Integer, Polynomial>;

  constructor(fn: PhaseFunction, parent: Site | null, walk: Walk | null = null) {
    this.fn = fn;
    this.parent = parent;
    this.walk = walk;
    this.count = walk?.count ?? 1;
    this.#polynomials = walk?.polynomials ?? new Map();
    this.placement = new Placement(this.code, fn.target);
  }

  /** What a local holds where the code begins. */
  input(local: Local, type: RegisterType): Register {
    let register = this.#inputs.get(local);
    if (register === undefined) {
      register = this.code.input(type);
      this.placement.share(register, local);
      this.#inputs.set(local, register);
    }
    return register;
  }

  /** The same, of a local that changes from step to step. */
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

  /** The polynomial of the inlined integer; parts of it are found again by what they are. */
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

  /** The axis stands for something else from here on, in terms of what is known outside and of itself. */
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

  /** The integer, in terms of what is known outside of the site and of the axis that it walks. */
  inline(integer: Integer): Integer {
    return substitute(integer, (name) => {
      // What an axis stands for is in terms of what is known outside, the axis itself among them.
      if (name.kind === "axis") return this.#find((site) => site.#bindings.get(name.axis)) ?? name;
      const definition = this.#find((site) => site.definitions.get(name.local));
      return definition === undefined ? name : this.inline(definition);
    });
  }

  /** A sum of products in one of the lanes. */
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

  /** How many of the lanes have elements; null where all have. */
  get live(): Register | null {
    return this.walk?.live == null ? null : this.varyingInput(this.walk.live, "i32");
  }

  /** A distance of a lane from the first; of one without an element, none. */
  onward(distance: Register, lane: number): Register {
    const { code, live } = this;
    if (live === null) return distance;
    return code.op("i32.mul", code.op("i32.lt_s", code.scalar("i32", lane), live), distance);
  }

  /** The address of an element, given its place in a buffer. */
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
        // Inlined already: an axis may stand for itself and more.
        return this.#binary(
          integer.kind,
          this.valueOf(polynomialOf(integer.left), lane),
          this.valueOf(polynomialOf(integer.right), lane),
        );
    }
  }

  #binary(kind: "add" | "mul" | "div" | "mod" | "min", left: Register, right: Register): Register {
    const { code } = this;
    if (kind !== "min") {
      const ops = { add: "i32.add", mul: "i32.mul", div: "i32.div_s", mod: "i32.rem_s" } as const;
      return code.op(ops[kind], left, right);
    }
    const less = code.op("i32.sub", code.scalar("i32", 0), code.op("i32.lt_s", left, right));
    return code.op("i32.xor", right, code.op("i32.and", code.op("i32.xor", left, right), less));
  }

  /** True when the integer, inlined, is not the same in all lanes, or not in all steps. */
  varies(integer: Integer): boolean {
    return someInteger(
      integer,
      (leaf) =>
        (leaf.kind === "axis" && leaf.axis === this.walk?.axis) ||
        (leaf.kind === "local" && this.laneIntegers.has(leaf.local)),
    );
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

  /** A uniform value that stands in a local. */
  held({ dtype, width, local }: HeldValue): LaneValue {
    return { dtype, width, uniform: true, registers: [this.input(local, "v128")] };
  }

  /** Where a uniform value of this site stands, for sites within it. Its code must have been written. */
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

  /** Something else is to be written between what has been appended and what will be. */
  interrupt(interruption: Interruption): void {
    this.#parts.push(this.code.instructions.splice(0), interruption);
  }

  /** Writes the code so far; registers stay what they are. */
  flush(): void {
    this.write(this.takeParts());
  }

  /** The code so far: instructions, and what stands between them. It is then the caller's to write. */
  takeParts(): Part[] {
    return [...this.#parts.splice(0), this.code.instructions.splice(0)];
  }

  /** Where the last reads are told, registers end with them: nothing behind this code asks for those that it makes. */
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
