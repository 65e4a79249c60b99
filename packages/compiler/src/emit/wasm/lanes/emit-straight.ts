/**
 * Writes straight-line code into a function, as several copies at once: every instruction for all copies before the
 * next one, so that the copies' chains run side by side.
 */
import type { FunctionBuilder, FunctionType, Local } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { operations } from "../encode/operations.ts";
import { type Scalar, StraightCode } from "./code.ts";
import type { Helper, Instruction, Register } from "./straight.ts";

/** The module whose functions generated code imports under their own names. */
export const importsModule = "env";

/** Where the registers of some code stand among the locals of a function. */
export class Placement {
  readonly code: StraightCode;
  readonly target: FunctionBuilder;
  readonly #shared = new Map<Register, Local>();
  /** The locals of a register, by copy. */
  readonly #own = new Map<Register, Local[]>();

  constructor(code: StraightCode, target: FunctionBuilder) {
    this.code = code;
    this.target = target;
  }

  /** `register` is `local` in every copy. */
  share(register: Register, local: Local): void {
    this.#shared.set(register, local);
  }

  /** `register` is the local at the copy's place in `locals`. */
  bind(register: Register, locals: readonly Local[]): void {
    this.#own.set(register, [...locals]);
  }

  /** The local of a register in a copy; a new one when it is first asked for. */
  local(register: Register, copy: number): Local {
    const shared = this.#shared.get(register);
    if (shared !== undefined) return shared;
    let locals = this.#own.get(register);
    if (locals === undefined) {
      locals = [];
      this.#own.set(register, locals);
    }
    locals[copy] ??= this.target.local(this.code.typeOf(register));
    return locals[copy]!;
  }
}

/** Fills a local, the same for all copies, with each constant of the code. They belong in front of the loop. */
export function emitConstants(placement: Placement): void {
  const { code, target } = placement;
  for (const [register, { low, high }] of code.constants) {
    const local = target.local("v128");
    placement.share(register, local);
    target.v128(low, high).set(local);
  }
}

export interface Copies {
  readonly count: number;
  /** Bytes to be added to the offset of an access in a copy. */
  readonly offset?: (access: Instruction & { kind: "operation" }, copy: number) => number;
}

/** Writes the code. Its constants and inputs have their places already. */
export function emitStraight(placement: Placement, { count, offset }: Copies = { count: 1 }): void {
  for (const instruction of placement.code.instructions) {
    for (let copy = 0; copy < count; copy++) {
      emitInstruction(placement, instruction, copy, offset);
    }
  }
}

function emitInstruction(
  placement: Placement,
  instruction: Instruction,
  copy: number,
  offset: Copies["offset"],
): void {
  const { code, target } = placement;
  const { module } = target;
  const get = (register: Register): void => {
    const scalar = code.scalars.get(register);
    if (scalar === undefined) target.get(placement.local(register, copy));
    else emitScalar(scalar, target);
  };
  switch (instruction.kind) {
    case "operation": {
      const { op, args, immediate, result } = instruction;
      args.forEach(get);
      const moved = operations[op].access === undefined ? 0 : (offset?.(instruction, copy) ?? 0);
      target.op(op, moved === 0 ? immediate : withOffset(immediate, moved));
      if (result !== null) target.set(placement.local(result, copy));
      return;
    }
    case "rarely": {
      const { mask, usual, helper, args, result } = instruction;
      get(mask);
      target.op("v128.any_true");
      target.ifElse(
        "v128",
        () => {
          args.forEach(get);
          target.call(helperFunction(module, helper, args.length));
        },
        () => get(usual),
      );
      target.set(placement.local(result, copy));
      return;
    }
    case "import": {
      const { name, args, result } = instruction;
      args.forEach(get);
      const parameters = args.map((register) => code.typeOf(register));
      target.call(importedFunction(module, name, { parameters, results: [code.typeOf(result)] }));
      target.set(placement.local(result, copy));
      return;
    }
    default:
      instruction satisfies never;
  }
}

/** The immediate of an access that is so many bytes further on. */
function withOffset(immediate: number | readonly number[] | null, bytes: number): number | number[] {
  if (immediate === null) return bytes;
  if (typeof immediate === "number") return immediate + bytes;
  const [offset, ...lane] = immediate;
  return [offset! + bytes, ...lane];
}

function emitScalar(scalar: Scalar, target: FunctionBuilder): void {
  switch (scalar.type) {
    case "i32":
      target.i32(Number(scalar.value));
      return;
    case "i64":
      target.i64(BigInt(scalar.value));
      return;
    case "f32":
      target.f32(Number(scalar.value));
      return;
    case "f64":
      target.f64(Number(scalar.value));
      return;
    default: {
      scalar.type satisfies never;
    }
  }
}

/** The function of the module that a helper is, written when it is first called. */
function helperFunction(module: ModuleBuilder, helper: Helper, arity: number): FunctionIndex {
  return module.once(`helper ${helper.name}`, () => {
    const parameters = new Array<"v128">(arity).fill("v128");
    const target = module.function(helper.name, parameters, ["v128"]);
    const code = new StraightCode();
    const inputs = parameters.map((type) => code.input(type));
    const result = helper.build(code, ...inputs);
    const placement = new Placement(code, target);
    inputs.forEach((input, i) => {
      placement.share(input, i);
    });
    emitConstants(placement);
    emitStraight(placement);
    target.get(placement.local(result, 0));
    return target.index;
  });
}

function importedFunction(module: ModuleBuilder, name: string, type: FunctionType): FunctionIndex {
  return module.once(`import ${name}`, () => module.importFunction(importsModule, name, type));
}
