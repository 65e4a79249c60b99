/** Builds the body of a function, in bytes. Methods that append return the builder, so that calls can be chained. */
import { ByteWriter } from "./bytes.ts";
import { Code, declareLocals } from "./code.ts";
import { add, type Expression, type Variable } from "./expression.ts";
import {
  callCode,
  constantCodes,
  emptyType,
  type FunctionIndex,
  type Immediate,
  jumpCodes,
  laneConstant,
  lanePrefix,
  localCodes,
  openCodes,
  plainCodes,
  valueTypeCodes,
} from "./instruction.ts";
import type { ModuleBuilder } from "./module.ts";
import { type Operation, type Traits, traitsOf, type ValueType } from "./operations.ts";
import type { ModuleFunction } from "./shared-function.ts";

export interface FunctionType {
  readonly parameters: readonly ValueType[];
  readonly results: readonly ValueType[];
}

/** The number of a parameter or local; parameters come first. */
export type Local = number;

/** A block or loop that the code inside may jump to. */
type Label = number & { readonly label: true };

/** Bytes of a function, and the function that is called after them. */
interface Piece {
  readonly bytes: ByteWriter;
  /** Null for the last piece. */
  readonly callee: FunctionIndex | null;
}

export class FunctionBuilder implements ModuleFunction {
  readonly module: ModuleBuilder;
  readonly index: FunctionIndex;
  /** The name in a listing; it need not be unique. */
  readonly name: string;
  readonly type: FunctionType;
  /** The types of locals, without the parameters. */
  readonly locals: ValueType[] = [];
  /** Code in front of all other. */
  #prologue: Code | null = null;
  #code: Code = new Code();
  /** Where code is appended. */
  #out: ByteWriter = this.#code.bytes;
  #depth = 0;
  /** Locals that were given back, by type. */
  readonly #idle: { [T in ValueType]?: Local[] } = {};

  constructor(module: ModuleBuilder, index: FunctionIndex, name: string, type: FunctionType) {
    this.module = module;
    this.index = index;
    this.name = name;
    this.type = type;
  }

  /** A new local; it is 0 when the function is entered. */
  local(type: ValueType): Local {
    return this.type.parameters.length + this.locals.push(type) - 1;
  }

  /** A local with any content: one that was given back, else a new one. Functions with few locals are compiled faster. */
  borrow(type: ValueType): Local {
    return this.#idle[type]?.pop() ?? this.local(type);
  }

  /** Gives a borrowed local back: its value is dead. */
  giveBack(local: Local): void {
    const type = this.locals[local - this.type.parameters.length]!;
    this.#idle[type] ??= [];
    this.#idle[type].push(local);
  }

  get(local: Local): this {
    this.#out.coded(localCodes.get, local);
    return this;
  }

  set(local: Local): this {
    this.#out.coded(localCodes.set, local);
    return this;
  }

  tee(local: Local): this {
    this.#out.coded(localCodes.tee, local);
    return this;
  }

  i32(value: number): this {
    this.#out.byte(constantCodes.i32);
    this.#out.signed(value);
    return this;
  }

  i64(value: bigint): this {
    this.#out.byte(constantCodes.i64);
    this.#out.signed64(value);
    return this;
  }

  f32(value: number): this {
    this.#out.byte(constantCodes.f32);
    this.#out.float32(value);
    return this;
  }

  f64(value: number): this {
    this.#out.byte(constantCodes.f64);
    this.#out.float64(value);
    return this;
  }

  /** A v128 constant, by its two halves. */
  v128(low: bigint, high: bigint): this {
    this.#out.coded(lanePrefix, laneConstant);
    this.#out.uint64(low);
    this.#out.uint64(high);
    return this;
  }

  /** A v128 constant, by its words, the lowest first. */
  words(words: readonly number[]): this {
    this.#out.coded(lanePrefix, laneConstant);
    for (const word of words) this.#out.word(word);
    return this;
  }

  op(op: Operation, immediate: Immediate = null): this {
    return this.operation(traitsOf(op), immediate);
  }

  /** An operation given by its properties. */
  operation({ prefix, code, alignment, immediate: kind, zeros }: Traits, immediate: Immediate): this {
    const out = this.#out;
    if (prefix > 0) out.coded(prefix, code);
    else out.byte(code);
    if (alignment >= 0) {
      out.coded(alignment, typeof immediate === "number" ? immediate : (immediate?.[0] ?? 0));
      if (kind === "lane") out.byte((immediate as readonly number[])[1]!);
    } else if (kind === "lane") out.byte(typeof immediate === "number" ? immediate : immediate![0]!);
    else if (kind === "bytes") out.bytes(immediate as readonly number[]);
    else for (let k = 0; k < zeros; k++) out.byte(0);
    return this;
  }

  call(callee: FunctionIndex, args: readonly Expression[] = []): this {
    for (const arg of args) this.push(arg);
    this.#code.call(callee);
    this.#out = this.#code.bytes;
    return this;
  }

  return(): this {
    return this.#plain("return");
  }

  drop(): this {
    return this.#plain("drop");
  }

  /** Pops an i32 and two values below it. Leaves the first value if the i32 is nonzero, else the second. */
  select(): this {
    return this.#plain("select");
  }

  unreachable(): this {
    return this.#plain("unreachable");
  }

  /** Code with a label at its end. */
  block(body: (label: Label) => void): this {
    return this.#construct("block", null, body);
  }

  /** Code with a label at its start. It repeats only if it jumps to the label. */
  loop(body: (label: Label) => void): this {
    return this.#construct("loop", null, body);
  }

  /** Pops an i32. Both branches leave a value of type `result`, or nothing if that is null. */
  ifElse(result: ValueType | null, then: () => void, otherwise: () => void): this {
    return this.#construct("if", result, () => {
      then();
      this.#plain("else");
      otherwise();
    });
  }

  /** Pops an i32. */
  ifThen(then: () => void): this {
    return this.#construct("if", null, then);
  }

  br(label: Label): this {
    this.#out.coded(jumpCodes.br, this.#depth - label);
    return this;
  }

  /** Pops an i32. */
  brIf(label: Label): this {
    this.#out.coded(jumpCodes.br_if, this.#depth - label);
    return this;
  }

  /**
   * for (; index < end; index += step) body. `index` is set already. Both are i32 locals, compared as signed numbers, or as
   * unsigned ones if they are addresses.
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

  /** Repeats `body`, which advances `at`, while `at` is below `end`, as signed numbers. */
  whileBelow(at: Local, end: Local, body: () => void): this {
    this.get(at).get(end).op("i32.lt_s");
    return this.ifThen(() => {
      this.loop((again) => {
        body();
        this.get(at).get(end).op("i32.lt_s").brIf(again);
      });
    });
  }

  /** Pushes the value of a formula. */
  push(formula: Expression): this {
    if (typeof formula === "number") return this.i32(formula);
    if ("local" in formula) return this.get(formula.local);
    if ("op" in formula) {
      for (const arg of formula.args) this.push(arg);
      return this.op(formula.op);
    }
    return this.push(formula.then).push(formula.otherwise).push(formula.condition).select();
  }

  assign(variable: Variable, formula: Expression): this {
    return this.push(formula).set(variable.local);
  }

  /** A new local, set to a value. */
  define(formula: Expression, type: ValueType = "i32"): Variable {
    const variable = { local: this.local(type) };
    this.assign(variable, formula);
    return variable;
  }

  /** variable += step */
  advance(variable: Variable, step: Expression): this {
    return this.assign(variable, add(variable, step));
  }

  store(op: Operation, at: Expression, value: Expression, offset = 0): this {
    return this.push(at).push(value).op(op, offset);
  }

  /** Sets `bytes` bytes to 0. */
  clear(at: Expression, bytes: Expression): this {
    return this.push(at).i32(0).push(bytes).op("memory.fill");
  }

  when(condition: Expression, then: () => void, otherwise: (() => void) | null = null): this {
    this.push(condition);
    return otherwise === null ? this.ifThen(then) : this.ifElse(null, then, otherwise);
  }

  /** for (variable = begin; variable < end; variable += step) body. `end` and `step` are evaluated once. */
  forEach(begin: Expression, end: Expression, step: number, body: (variable: Variable) => void): this {
    const variable = this.define(begin);
    return this.forRange(variable.local, this.define(end).local, step, () => body(variable));
  }

  /** do body while the value that it returns is nonzero. */
  repeat(body: () => Expression): this {
    return this.loop((again) => this.push(body()).brIf(again));
  }

  /** Puts the code that `write` appends in front of all other code. */
  begin(write: () => void): void {
    const body = this.#code;
    this.#code = this.#prologue ?? new Code();
    this.#out = this.#code.bytes;
    write();
    this.#prologue = this.#code;
    this.#code = body;
    this.#out = body.bytes;
  }

  /** The function's entry in the code section, split at its calls. */
  pieces(): Piece[] {
    const pieces: Piece[] = [];
    let bytes = new ByteWriter();
    declareLocals(this.locals, bytes);
    for (const code of this.#prologue === null ? [this.#code] : [this.#prologue, this.#code]) {
      for (const { before, callee } of code.calls) {
        bytes.append(before);
        pieces.push({ bytes, callee });
        bytes = new ByteWriter();
      }
      bytes.append(code.bytes);
    }
    bytes.byte(plainCodes.end);
    pieces.push({ bytes, callee: null });
    return pieces;
  }

  encode(): ByteWriter {
    const out = new ByteWriter();
    for (const { bytes, callee } of this.pieces()) {
      out.append(bytes);
      if (callee !== null) out.coded(callCode, callee);
    }
    return out;
  }

  #plain(op: keyof typeof plainCodes): this {
    this.#out.byte(plainCodes[op]);
    return this;
  }

  #construct(op: keyof typeof openCodes, result: ValueType | null, body: (label: Label) => void): this {
    this.#out.byte(openCodes[op]);
    this.#out.byte(result === null ? emptyType : valueTypeCodes[result]);
    this.#depth++;
    body(this.#depth as Label);
    this.#depth--;
    return this.#plain("end");
  }
}
