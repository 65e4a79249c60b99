/** Straight-line code as a list of instructions, in which equal pure operations are one. */
import { type Operation, type Traits, traitsOf } from "../encode/operations.ts";
import { type Constant, constantKey, joined, spread } from "./constant.ts";
import type { Helper, Instruction, LaneType, Register, RegisterType, Straight } from "./straight.ts";

/** A number outside of lanes. */
export interface Scalar {
  readonly type: Exclude<RegisterType, "v128">;
  readonly value: number | bigint;
}

/** Registers and immediates below these, nearly all, make keys that are small integers unless there are three operands. */
const REGISTERS = 2 ** 13;
const IMMEDIATES = 2 ** 5;

export class StraightCode implements Straight {
  readonly instructions: Instruction[] = [];
  /** Constants that want a local, and those that stand where they are used. Neither is among the instructions. */
  readonly constants: Map<Register, Constant> = new Map();
  readonly scalars: Map<Register, Scalar> = new Map();
  readonly #types: RegisterType[] = [];
  /** By register; null of those that are not written where they are used. */
  readonly #written: (Scalar | null)[] = [];
  /** Registers by the constant that they hold. */
  readonly #splats: { [L in LaneType]?: Map<Key, Register> } = {};
  readonly #constants = new Map<number | string, Register>();
  readonly #scalars: { [T in Scalar["type"]]?: Map<Key, Register> } = {};
  /** Results of helpers. */
  readonly #helped = new Map<string, Register>();
  /** Results of pure operations, by the operation's number and then by operands and immediate. */
  readonly #results: Map<number | string, Register>[] = [];

  /** How many registers there are. */
  get registers(): number {
    return this.#types.length;
  }

  /** What is written wherever the register is used; null where it has a local. */
  scalarOf(register: Register): Scalar | null {
    return this.#written[register]!;
  }

  typeOf(register: Register): RegisterType {
    return this.#types[register]!;
  }

  /** A register that is written elsewhere: an address, a value from outside of the code, a parameter. */
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

  /** The result of an imported function, by the name of the import. Equal calls stay apart: it may be random. */
  import(name: string, type: Scalar["type"], ...args: Register[]): Register {
    const result = this.input(type);
    this.instructions.push({ kind: "import", name, args, result });
    return result;
  }

  #append(op: Operation, immediate: number | readonly number[] | null, args: Register[]): Register {
    const traits = traitsOf(op);
    const { number, pure } = traits;
    if (!pure) return this.#add(op, traits, immediate, args);
    let results = this.#results[number];
    if (results === undefined) {
      results = new Map();
      this.#results[number] = results;
    }
    const key = resultKey(immediate, args);
    let result = results.get(key);
    if (result === undefined) {
      result = this.#add(op, traits, immediate, args);
      results.set(key, result);
    }
    return result;
  }

  #add(
    op: Operation,
    traits: Traits,
    immediate: number | readonly number[] | null,
    args: Register[],
  ): Register {
    const result = this.input(traits.result!);
    this.instructions.push({ kind: "operation", op, traits, args, immediate, result });
    return result;
  }
}

/** The key of a result of one operation: equal keys mean equal operands and immediates. */
function resultKey(immediate: number | readonly number[] | null, args: readonly Register[]): number | string {
  const a = args[0] ?? 0;
  const b = args[1] ?? 0;
  const c = args[2] ?? 0;
  const first = immediate ?? 0;
  if (typeof first !== "number") return `${textOf(first)} ${a} ${b}`;
  if (first >= IMMEDIATES || Math.max(a, b, c) >= REGISTERS) return `${immediate} ${args}`;
  return ((c * IMMEDIATES + first) * REGISTERS + a) * REGISTERS + b;
}

const texts = new WeakMap<readonly number[], string>();

/** The bytes of a shuffle as text; most lists are used again and again. */
function textOf(list: readonly number[]): string {
  let text = texts.get(list);
  if (text === undefined) {
    text = list.join();
    texts.set(list, text);
  }
  return text;
}

type Key = number | bigint | "-0";

/** To a map 0 and −0 are the same. */
const keyOf = (value: number | bigint): Key => (Object.is(value, -0) ? "-0" : value);
