/** Records the code of a lane function once and repeats it for other registers. A lane function always gives the same code. */
import { InternalError } from "@fuseau/ir";
import { StraightCode } from "./code.ts";
import type { LaneFunction } from "./lane-function.ts";
import type { Register, Straight } from "./straight.ts";

/** A lane function that calls `build` once and then repeats its code. All calls must have as many operands as the first. */
export function recorded(build: LaneFunction): LaneFunction {
  let recording: Recording | undefined;
  return (code, ...args) => {
    recording ??= new Recording(build, args.length);
    return recording.repeat(code, args);
  };
}

class Recording {
  readonly #code = new StraightCode();
  readonly #inputs: readonly Register[];
  readonly #result: Register;
  /** By other code: the registers of the recording's constants there. */
  readonly #constants = new WeakMap<Straight, readonly Register[]>();

  constructor(build: LaneFunction, arity: number) {
    this.#inputs = Array.from({ length: arity }, () => this.#code.input("v128"));
    this.#result = build(this.#code, ...this.#inputs);
  }

  repeat(code: Straight, args: readonly Register[]): Register {
    const registers = (this.#constants.get(code) ?? this.#placeConstants(code)).slice();
    this.#inputs.forEach((input, k) => {
      registers[input] = args[k]!;
    });
    const at = (register: Register): Register => registers[register]!;
    for (const instruction of this.#code.instructions) {
      const operands = instruction.args.map(at);
      if (instruction.kind === "operation" && instruction.result !== null) {
        const { op, immediate, result } = instruction;
        registers[result] =
          immediate === null ? code.op(op, ...operands) : code.with(op, immediate, ...operands);
      } else if (instruction.kind === "rarely") {
        const { mask, usual, helper, result } = instruction;
        registers[result] = code.rarely(at(mask), at(usual), helper, ...operands);
      } else throw new InternalError("a lane function neither stores nor calls");
    }
    return at(this.#result);
  }

  #placeConstants(code: Straight): readonly Register[] {
    const { constants, scalars } = this.#code;
    const placed: Register[] = [];
    for (const [register, constant] of constants) placed[register] = code.constant(constant);
    for (const [register, { type, value }] of scalars) placed[register] = code.scalar(type, value);
    this.#constants.set(code, placed);
    return placed;
  }
}
