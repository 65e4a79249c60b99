/** Partial results as lanes: some of them, a single one, or all joined to one. */
import type { Accumulator } from "@fuseau/ir";
import type { StraightCode } from "../lanes/code.ts";
import type { Register } from "../lanes/straight.ts";
import { applyOp } from "../pointwise/apply.ts";
import { castValue } from "../values/cast.ts";
import { lane, withCount } from "../values/lanes.ts";
import type { Lanes, LaneValue } from "../values/value.ts";
import type { Accumulation } from "./accumulation.ts";
import { eachField, join, type State, settled } from "./fold.ts";

/** `count` elements from place `from` on; both are multiples of the lanes of a register, unless all fit one register. */
export function group(value: LaneValue, from: number, count: number): LaneValue {
  if (value.uniform) return value;
  const perRegister = 16 / value.width;
  const first = from / perRegister;
  return { ...value, registers: value.registers.slice(first, first + Math.max(1, count / perRegister)) };
}

/** Joins states pairwise, level by level. An absent state is skipped; the result is undefined if all are absent. */
export function tree(
  lanes: Lanes,
  accumulator: Accumulator,
  accumulation: Accumulation,
  states: readonly (State | undefined)[],
): State | undefined {
  let level = states;
  while (level.length > 1) {
    const next: (State | undefined)[] = [];
    for (let k = 0; k < level.length; k += 2) {
      const [a, b] = [level[k], level[k + 1]];
      next.push(a !== undefined && b !== undefined ? join(lanes, accumulator, accumulation, a, b) : (a ?? b));
    }
    level = next;
  }
  return level[0];
}

/** Joins the first `count` partial results to one, in the accumulation order. */
export function whole(
  lanes: Lanes,
  accumulator: Accumulator,
  accumulation: Accumulation,
  state: State,
  count: number,
): State {
  const single = withCount(lanes, 1);
  const alone = (left: State): State => eachField(left, (value) => lane(lanes.code, value, 0));
  // What an extremum of float32 records is joined as it is, and applied to the one value that is left. Of float64, with half the lanes, that
  // made the loop in front of it twice as slow on Node 20.
  if (state.signs !== null && state.value.width === 4)
    return alone(settled(single, accumulator, halved(lanes, accumulator, accumulation, state, count)));
  const ready = settled(withCount(lanes, count), accumulator, state);
  if (count === 1) return ready;
  if (accumulation.free) return alone(halved(lanes, accumulator, accumulation, ready, count));
  const states = Array.from({ length: count }, (_, k) =>
    eachField(ready, (value) => lane(lanes.code, value, k)),
  );
  return tree(single, accumulator, accumulation, states)!;
}

/** Joins the lower half to the upper half, repeatedly, until one lane has all. For folds whose result is the same in any order. */
function halved(
  lanes: Lanes,
  accumulator: Accumulator,
  accumulation: Accumulation,
  state: State,
  count: number,
): State {
  const { code } = lanes;
  let left = state;
  for (let half = count / 2; half >= 1; half /= 2) {
    const low = eachField(left, (value) => group(value, 0, half));
    const high = eachField(left, (value) => upper(code, value, half));
    left = join(withCount(lanes, half), accumulator, accumulation, low, high);
  }
  return left;
}

/** The `count` elements that follow the first `count`. */
function upper(code: StraightCode, value: LaneValue, count: number): LaneValue {
  if (count * value.width >= 16) return group(value, count, count);
  const register = value.registers[0]!;
  const bytes = Array.from({ length: 16 }, (_, byte) => (byte + count * value.width) % 16);
  return { ...value, registers: [code.with("i8x16.shuffle", bytes, register, register)] };
}

/** Joins the sixteen float32 lanes of a chunk to two float64 lanes, which are added to the block. */
export function chunkOf(lanes: Lanes, value: LaneValue): LaneValue {
  const { code } = lanes;
  const [a, b, c, d] = value.registers as readonly [Register, Register, Register, Register];
  const four = code.op("f32x4.add", code.op("f32x4.add", a, b), code.op("f32x4.add", c, d));
  const doubles = castValue(withCount(lanes, 4), { ...value, registers: [four] }, "float64");
  return applyOp(withCount(lanes, 2), "add", "float64", "float64", [
    group(doubles, 0, 2),
    group(doubles, 2, 2),
  ]);
}

/** {@link chunkOf} where each of the sixteen lanes is a value of its own; missing ones are skipped. They are joined in the same order. */
export function chunkOfStates(
  lanes: Lanes,
  accumulator: Accumulator,
  accumulation: Accumulation,
  states: readonly (State | undefined)[],
): readonly (State | undefined)[] {
  const joined = (dtype: "float32" | "float64", parts: readonly (State | undefined)[]): State | undefined =>
    tree(lanes, accumulator, { ...accumulation, partial: dtype }, parts);
  const doubles = [0, 1, 2, 3].map((k) => {
    const four = joined("float32", [states[k], states[k + 4], states[k + 8], states[k + 12]]);
    return four && { ...four, value: castValue(lanes, four.value, "float64") };
  });
  return [0, 1].map((k) => joined("float64", [doubles[k], doubles[k + 2]]));
}
