/** Builds the body of a function. Methods that append give the builder, so that a few of them read as one line. */
import type { FunctionIndex, Immediate, WasmInstruction } from "./instruction.ts";
import type { ModuleBuilder } from "./module.ts";
import type { Operation, ValueType } from "./operations.ts";

export interface FunctionType {
  readonly parameters: readonly ValueType[];
  readonly results: readonly ValueType[];
}

/** A parameter or local of a function, by number; parameters come first. */
export type Local = number;

/** A block or loop that code inside of it may jump to. */
export type Label = number & { readonly label: true };

export class FunctionBuilder {
  readonly module: ModuleBuilder;
  readonly index: FunctionIndex;
  /** What others may call it in a listing. */
  readonly name: string;
  readonly type: FunctionType;
  readonly instructions: WasmInstruction[] = [];
  /** The types of locals, without the parameters. In the binary they are grouped by type. */
  readonly locals: ValueType[] = [];
  #depth = 0;

  constructor(module: ModuleBuilder, index: FunctionIndex, name: string, type: FunctionType) {
    this.module = module;
    this.index = index;
    this.name = name;
    this.type = type;
  }

  /** A new local, 0 when the function is entered. */
  local(type: ValueType): Local {
    this.locals.push(type);
    return this.type.parameters.length + this.locals.length - 1;
  }

  get(local: Local): this {
    return this.#append({ kind: "local", access: "get", index: local });
  }

  set(local: Local): this {
    return this.#append({ kind: "local", access: "set", index: local });
  }

  tee(local: Local): this {
    return this.#append({ kind: "local", access: "tee", index: local });
  }

  i32(value: number): this {
    return this.#append({ kind: "number", type: "i32", value });
  }

  i64(value: bigint): this {
    return this.#append({ kind: "int64", value });
  }

  f32(value: number): this {
    return this.#append({ kind: "number", type: "f32", value });
  }

  f64(value: number): this {
    return this.#append({ kind: "number", type: "f64", value });
  }

  /** A v128 by its two halves. */
  v128(low: bigint, high: bigint): this {
    return this.#append({ kind: "bits", low, high });
  }

  op(op: Operation, immediate: Immediate = null): this {
    return this.#append({ kind: "operation", op, immediate });
  }

  call(callee: FunctionIndex): this {
    return this.#append({ kind: "call", callee });
  }

  return(): this {
    return this.#append({ kind: "plain", op: "return" });
  }

  drop(): this {
    return this.#append({ kind: "plain", op: "drop" });
  }

  /** Of two values and an i32 above them, the first if that is not 0, else the second. */
  select(): this {
    return this.#append({ kind: "plain", op: "select" });
  }

  unreachable(): this {
    return this.#append({ kind: "plain", op: "unreachable" });
  }

  /** Code with a label at its end. */
  block(body: (label: Label) => void): this {
    return this.#construct("block", null, body);
  }

  /** Code with a label at its start; whoever reaches its end leaves it. */
  loop(body: (label: Label) => void): this {
    return this.#construct("loop", null, body);
  }

  /** Takes an i32. Both branches leave a value of type `result`, or nothing where it is null. */
  ifElse(result: ValueType | null, then: () => void, otherwise: () => void): this {
    return this.#construct("if", result, () => {
      then();
      this.#append({ kind: "plain", op: "else" });
      otherwise();
    });
  }

  /** Takes an i32. */
  ifThen(then: () => void): this {
    return this.#construct("if", null, then);
  }

  br(label: Label): this {
    return this.#jump("br", label);
  }

  /** Takes an i32. */
  brIf(label: Label): this {
    return this.#jump("br_if", label);
  }

  /**
   * for (; index < end; index += step) body. `index` holds its first value already; both are i32 locals, compared as
   * signed numbers unless they are addresses.
   */
  forRange(
    index: Local,
    end: Local,
    step: number,
    body: () => void,
    less: "i32.lt_s" | "i32.lt_u" = "i32.lt_s",
  ): this {
    this.get(index).get(end).op(less);
    return this.ifThen(() => {
      this.loop((again) => {
        body();
        this.get(index).i32(step).op("i32.add").tee(index);
        this.get(end).op(less).brIf(again);
      });
    });
  }

  #append(instruction: WasmInstruction): this {
    this.instructions.push(instruction);
    return this;
  }

  #construct(op: "block" | "loop" | "if", result: ValueType | null, body: (label: Label) => void): this {
    this.#append({ kind: "open", op, result });
    this.#depth++;
    body(this.#depth as Label);
    this.#depth--;
    return this.#append({ kind: "plain", op: "end" });
  }

  #jump(op: "br" | "br_if", label: Label): this {
    return this.#append({ kind: "jump", op, depth: this.#depth - label });
  }
}
