/**
 * Encodes straight-line code into a function, in several copies at once: each instruction for all copies before the next one, so
 * that the copies hide each other's latency.
 */
import type { FunctionBuilder, Local } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { type Scalar, StraightCode } from "./code.ts";
import { type LastReads, readsOf } from "./last-reads.ts";
import type { Helper, Instruction, Register } from "./straight.ts";

/** Assigns the registers of some code to locals of a function. */
export class Placement {
  readonly code: StraightCode;
  readonly target: FunctionBuilder;
  /** By copy and register: the local, or {@link NONE}. Registers that all copies share are in the first. */
  readonly #locals: Local[][] = [[]];
  /** By register: 1 if all copies share it. */
  readonly #shared: number[] = [];

  constructor(code: StraightCode, target: FunctionBuilder) {
    this.code = code;
    this.target = target;
  }

  /** Assigns a register that all copies share to a local. */
  share(register: Register, local: Local): void {
    put(this.#locals[0]!, register, local, NONE);
    put(this.#shared, register, 1, 0);
  }

  isShared(register: Register): boolean {
    return this.#shared[register] === 1;
  }

  /** The local of a register in a copy; allocated on first use. */
  local(register: Register, copy: number): Local {
    while (this.#locals.length <= copy) this.#locals.push([]);
    const locals = this.#locals[this.isShared(register) ? 0 : copy]!;
    const known = register < locals.length ? locals[register]! : NONE;
    if (known !== NONE) return known;
    const local = this.target.borrow(this.code.typeOf(register));
    put(locals, register, local, NONE);
    return local;
  }

  /** Frees the local of a register in code of a single copy. If the register is written again, it gets another local. */
  release(register: Register): void {
    const locals = this.#locals[0]!;
    if (register >= locals.length || locals[register] === NONE || this.isShared(register)) return;
    this.target.giveBack(locals[register]!);
    locals[register] = NONE;
  }

  /** Appends code that pushes a register of a copy. */
  get(register: Register, copy: number): void {
    const scalar = this.code.scalarOf(register);
    if (scalar === null) this.target.get(this.local(register, copy));
    else emitScalar(scalar, this.target);
  }

  /** Appends code that pops the value of a register of a copy. */
  set(register: Register, copy: number): void {
    this.target.set(this.local(register, copy));
  }
}

const NONE = -1;

/** Sets an element of an array, which grows without holes: arrays with holes are slow. */
function put(array: number[], at: number, value: number, filling: number): void {
  while (array.length <= at) array.push(filling);
  array[at] = value;
}

/** Sets a shared local to each constant of the code. This code belongs in front of the loop. */
export function emitConstants(placement: Placement): void {
  const { code, target } = placement;
  for (const [register, constant] of code.constants) {
    const local = target.local("v128");
    placement.share(register, local);
    target.words(constant).set(local);
  }
}

interface Copies {
  readonly count: number;
  /** Bytes to add to the offset of a load or store in a copy. */
  readonly offset?: (access: Instruction & { kind: "operation" }, copy: number) => number;
}

/** Encodes instructions, by default those of the code. Constants and inputs must have locals. */
export function emitStraight(
  placement: Placement,
  { count, offset }: Copies = { count: 1 },
  instructions: readonly Instruction[] = placement.code.instructions,
): void {
  for (let at = 0; at < instructions.length; ) {
    const instruction = instructions[at]!;
    if (instruction.kind === "rarely") {
      const run = runOfRarely(instructions, at);
      emitRarely(placement, run, count);
      at += run.length;
    } else {
      for (let copy = 0; copy < count; copy++) {
        emitInstruction(placement, instruction, copy, offset);
        if (instruction.result !== null) placement.set(instruction.result, copy);
      }
      at++;
    }
  }
}

/**
 * Encodes a single copy of code whose registers are dead after their last reads, so that their locals are reused. A result that
 * the next instruction takes as its first operand stays on the stack.
 */
export function emitOnce(
  placement: Placement,
  instructions: readonly Instruction[],
  lastReads: LastReads,
): void {
  let stacked: Register | null = null;
  const release = (instruction: Instruction): void => {
    for (const register of readsOf(instruction))
      if (lastReads[register] === instruction) placement.release(register);
  };
  for (let at = 0; at < instructions.length; ) {
    const instruction = instructions[at]!;
    if (instruction.kind === "rarely") {
      const run = runOfRarely(instructions, at);
      emitRarely(placement, run, 1);
      run.forEach(release);
      at += run.length;
      continue;
    }
    emitInstruction(placement, instruction, 0, undefined, stacked);
    release(instruction);
    stacked = null;
    const { result } = instruction;
    if (result !== null) {
      const next = instructions[at + 1];
      if (next !== undefined && next.kind !== "rarely" && next.args[0] === result) {
        stacked = result;
        const readAgain = next.args.indexOf(result, 1) > 0 || lastReads[result] !== next;
        if (readAgain) placement.target.tee(placement.local(result, 0));
      } else placement.set(result, 0);
    }
    at++;
  }
}

type Rarely = Instruction & { readonly kind: "rarely" };

/** Consecutive calls of one helper, none of which reads the result of another. */
function runOfRarely(instructions: readonly Instruction[], start: number): Rarely[] {
  const run: Rarely[] = [];
  const results = new Set<Register>();
  for (let at = start; at < instructions.length; at++) {
    const next = instructions[at]!;
    if (next.kind !== "rarely" || (run.length > 0 && next.helper !== run[0]!.helper)) break;
    if ([next.mask, next.usual, ...next.args].some((register) => results.has(register))) break;
    run.push(next);
    results.add(next.result);
  }
  return run;
}

/** Writes one branch for all: if any lane of any mask is nonzero, the helper is called for each register. */
function emitRarely(placement: Placement, run: readonly Rarely[], count: number): void {
  const { target } = placement;
  const calls = run.flatMap((each) => Array.from({ length: count }, (_, copy) => ({ ...each, copy })));
  calls.forEach(({ mask, copy }, k) => {
    target.get(placement.local(mask, copy));
    if (k > 0) target.op("v128.or");
  });
  for (const { usual, result, copy } of calls) {
    target.get(placement.local(usual, copy)).set(placement.local(result, copy));
  }
  target.op("v128.any_true").ifThen(() => {
    for (const { helper, args, result, copy } of calls) {
      for (const register of args) target.get(placement.local(register, copy));
      target.call(helperFunction(target.module, helper, args.length)).set(placement.local(result, copy));
    }
  });
}

/** Leaves the result on the stack. `stacked` is the first operand, if it is on the stack already. */
function emitInstruction(
  placement: Placement,
  instruction: Exclude<Instruction, Rarely>,
  copy: number,
  offset: Copies["offset"],
  stacked: Register | null = null,
): void {
  const { target } = placement;
  const { args } = instruction;
  for (let k = stacked === null ? 0 : 1; k < args.length; k++) placement.get(args[k]!, copy);
  if (instruction.kind === "operation") {
    const { traits, immediate } = instruction;
    const moved = offset === undefined || traits.alignment < 0 ? 0 : offset(instruction, copy);
    target.operation(traits, moved === 0 ? immediate : withOffset(immediate, moved));
  } else {
    const { name, parameters, result, write } = instruction.callee;
    target.call(target.module.shared(`callee ${name}`, name, { parameters, results: [result] }, write));
  }
}

/** The immediate of a load or store, with `bytes` added to its offset. */
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

/** The WebAssembly function of a helper. */
function helperFunction(module: ModuleBuilder, helper: Helper, arity: number): FunctionIndex {
  const parameters = new Array<"v128">(arity).fill("v128");
  const type = { parameters, results: ["v128"] as const };
  return module.shared(`helper ${helper.name}`, helper.name, type, (target) => {
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
  });
}
