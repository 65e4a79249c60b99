/** Straight-line code as a list of instructions. Equal pure operations are one instruction. */
import { type Operation, traitsOf } from "../encode/operations.ts";
import { type Constant, constantKey, joined, spread } from "./constant.ts";
import { PureOperations } from "./pure-operations.ts";
import type { Callee, Helper, Instruction, LaneType, Register, RegisterType, Straight } from "./straight.ts";

/** A scalar constant. */
export interface Scalar {
  readonly type: Exclude<RegisterType, "v128">;
  readonly value: number | bigint;
}

export class StraightCode implements Straight {
  readonly instructions: Instruction[] = [];
  /** Constants that need a local, and scalars, which are written where they are used. Neither is an instruction. */
  readonly constants: Map<Register, Constant> = new Map();
  readonly scalars: Map<Register, Scalar> = new Map();
  readonly #types: RegisterType[] = [];
  /** By register: the scalar that is written in its place, or null. */
  readonly #written: (Scalar | null)[] = [];
  /** Registers by their constant. */
  readonly #splats: { [L in LaneType]?: Map<Key, Register> } = {};
  readonly #constants = new Map<number | string, Register>();
  readonly #scalars: { [T in Scalar["type"]]?: Map<Key, Register> } = {};
  /** Results of {@link rarely}, by helper and operands. */
  readonly #helped = new Map<string, Register>();
  readonly #pure = new PureOperations();

  /** How many registers there are. */
  get registers(): number {
    return this.#types.length;
  }

  /** The scalar that is written wherever the register is used; null if the register has a local. */
  scalarOf(register: Register): Scalar | null {
    return this.#written[register]!;
  }

  typeOf(register: Register): RegisterType {
    return this.#types[register]!;
  }

  /** A register that this code does not compute: an address, a value from outside, a parameter. */
  input(type: RegisterType): Register {
    this.#written.push(null);
    return (this.#types.push(type) - 1) as Register;
  }

  op(op: Operation, ...args: Register[]): Register {
    return this.#append(op, null, args);
  }

  with(op: Operation, immediate: number | readonly number[], ...args: Register[]): Register {
    return this.#append(op, immediate, args);
  }

  /** An operation without a result. */
  store(op: Operation, immediate: number | readonly number[], ...args: Register[]): void {
    this.instructions.push({ kind: "operation", op, traits: traitsOf(op), args, immediate, result: null });
  }

  splat(lanes: LaneType, value: number | bigint): Register {
    this.#splats[lanes] ??= new Map();
    const splats = this.#splats[lanes];
    const key = keyOf(value);
    let register = splats.get(key);
    if (register === undefined) {
      register = this.constant(spread(lanes, value));
      splats.set(key, register);
    }
    return register;
  }

  bits(low: bigint, high: bigint): Register {
    return this.constant(joined(low, high));
  }

  constant(constant: Constant): Register {
    const key = constantKey(constant);
    let register = this.#constants.get(key);
    if (register === undefined) {
      register = this.input("v128");
      this.constants.set(register, constant);
      this.#constants.set(key, register);
    }
    return register;
  }

  scalar(type: Scalar["type"], value: number | bigint): Register {
    this.#scalars[type] ??= new Map();
    const scalars = this.#scalars[type];
    const key = keyOf(value);
    let register = scalars.get(key);
    if (register === undefined) {
      register = this.input(type);
      const written = { type, value };
      this.scalars.set(register, written);
      this.#written[register] = written;
      scalars.set(key, register);
    }
    return register;
  }

  rarely(mask: Register, usual: Register, helper: Helper, ...args: Register[]): Register {
    const key = `rarely ${mask} ${usual} ${helper.name} ${args}`;
    let result = this.#helped.get(key);
    if (result === undefined) {
      result = this.input("v128");
      this.instructions.push({ kind: "rarely", mask, usual, helper, args, result });
      this.#helped.set(key, result);
    }
    return result;
  }

  call(callee: Callee, ...args: Register[]): Register {
    const result = this.input(callee.result);
    this.instructions.push({ kind: "call", callee, args, result });
    return result;
  }

  #append(op: Operation, immediate: number | readonly number[] | null, args: Register[]): Register {
    const traits = traitsOf(op);
    const known = traits.pure ? this.#pure.find(traits, immediate, args) : null;
    if (known !== null) return known;
    const result = this.input(traits.result!);
    const instruction = { kind: "operation", op, traits, args, immediate, result } as const;
    this.instructions.push(instruction);
    if (traits.pure) this.#pure.keep(instruction);
    return result;
  }
}

type Key = number | bigint | "-0";

/** Map keys do not distinguish 0 and −0. */
const keyOf = (value: number | bigint): Key => (Object.is(value, -0) ? "-0" : value);
