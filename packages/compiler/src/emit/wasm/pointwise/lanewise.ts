/** An operation on each register of values in lanes. */
import type { DType } from "@fuseau/ir";
import type { LaneFunction } from "../lanes/lane-function.ts";
import type { Register } from "../lanes/straight.ts";
import { interleaved } from "../values/interleave.ts";
import { elementsOf, type Lanes, type LaneValue, registersFor, type Width } from "../values/value.ts";

/** Computes each register of the result from one register of each operand. All operands have the same width. */
export function lanewise(
  lanes: Lanes,
  run: LaneFunction,
  dtype: DType,
  width: Width,
  args: readonly { readonly uniform: boolean; readonly registers: readonly Register[] }[],
): LaneValue {
  const uniform = args.every((arg) => arg.uniform);
  const count = registersFor(elementsOf(lanes, { uniform }), width);
  const registers = interleaved(lanes.code, count, (k) =>
    run(lanes.code, ...args.map((arg) => arg.registers[arg.uniform ? 0 : k]!)),
  );
  return { dtype, width, uniform, registers };
}
