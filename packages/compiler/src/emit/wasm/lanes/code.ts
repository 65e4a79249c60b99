/** Straight-line code as a list of instructions, in which equal pure operations are one. */
import { isPure, type Operation, resultType, type ValueType } from "../encode/operations.ts";
import { spread } from "./constant.ts";
import type { Helper, Instruction, LaneType, Register, RegisterType, Straight } from "./straight.ts";

/** A v128 by its halves. */
export interface Constant {
  readonly low: bigint;
  readonly high: bigint;
}

/** A number outside of lanes. */
export interface Scalar {
  readonly type: Exclude<RegisterType, "v128">;
  readonly value: number | bigint;
}

export class StraightCode implements Straight {
  readonly instructions: Instruction[] = [];
  /** Constants that want a local, and those that stand where they are used. Neither is among the instructions. */
  readonly constants: Map<Register, Constant> = new Map();
  readonly scalars: Map<Register, Scalar> = new Map();
  readonly #types: RegisterType[] = [];
  /** Registers by what they hold. */
  readonly #known = new Map<string, Register>();

  typeOf(register: Register): RegisterType {
    return this.#types[register]!;
  }

  /** A register that is written elsewhere: an address, a value from outside of the code, a parameter. */
  input(type: RegisterType): Register {
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
    this.instructions.push({ kind: "operation", op, args, immediate, result: null });
  }

  splat(lanes: LaneType, value: number | bigint): Register {
    const half = spread(lanes, value);
    return this.bits(half, half);
  }

  bits(low: bigint, high: bigint): Register {
    const constant = { low: BigInt.asUintN(64, low), high: BigInt.asUintN(64, high) };
    return this.#once(`bits ${constant.low} ${constant.high}`, () => {
      const register = this.input("v128");
      this.constants.set(register, constant);
      return register;
    });
  }

  scalar(type: Scalar["type"], value: number | bigint): Register {
    const text = Object.is(value, -0) ? "-0" : String(value);
    return this.#once(`${type} ${text}`, () => {
      const register = this.input(type);
      this.scalars.set(register, { type, value });
      return register;
    });
  }

  rarely(mask: Register, usual: Register, helper: Helper, ...args: Register[]): Register {
    return this.#once(`rarely ${mask} ${usual} ${helper.name} ${args}`, () => {
      const result = this.input("v128");
      this.instructions.push({ kind: "rarely", mask, usual, helper, args, result });
      return result;
    });
  }

  /** The result of an imported function, by the name of the import. Equal calls stay apart: it may be random. */
  import(name: string, type: Scalar["type"], ...args: Register[]): Register {
    const result = this.input(type);
    this.instructions.push({ kind: "import", name, args, result });
    return result;
  }

  #append(op: Operation, immediate: number | readonly number[] | null, args: Register[]): Register {
    const make = (): Register => {
      const result = this.input(resultType(op) as ValueType);
      this.instructions.push({ kind: "operation", op, args, immediate, result });
      return result;
    };
    return isPure(op) ? this.#once(`${op} ${immediate} ${args}`, make) : make();
  }

  #once(key: string, make: () => Register): Register {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const register = make();
    this.#known.set(key, register);
    return register;
  }
}
