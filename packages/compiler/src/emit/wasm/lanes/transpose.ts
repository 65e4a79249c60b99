/** Transposes squares of vectors, and other shuffles. */
import type { Register, Straight } from "./straight.ts";

/** The bytes that shuffles take from two vectors. Each list is made once, so that equal shuffles have the same list. */
const lists = new Map<number, readonly number[]>();

function listOf(key: number, byte: (i: number) => number): readonly number[] {
  let list = lists.get(key);
  if (list === undefined) {
    list = Array.from({ length: 16 }, (_, i) => byte(i));
    lists.set(key, list);
  }
  return list;
}

/** Interleaves the lower or the upper halves of two vectors: `bytes` of `a`, as many of `b`, and so on. */
export function interleavedHalves(
  code: Straight,
  bytes: 1 | 2 | 4 | 8,
  half: "lower" | "upper",
  a: Register,
  b: Register,
): Register {
  return code.with("i8x16.shuffle", halvesBytes(bytes, half), a, b);
}

/** The bytes that such a shuffle takes. */
export function halvesBytes(bytes: 1 | 2 | 4 | 8, half: "lower" | "upper"): readonly number[] {
  const first = half === "lower" ? 0 : 8;
  return listOf(1000 + 10 * bytes + first, (i) => {
    const turn = Math.floor(i / bytes);
    return first + (turn % 2) * 16 + Math.floor(turn / 2) * bytes + (i % bytes);
  });
}

/**
 * Transposes a square. There are as many rows as elements in a row, each at the start of a register, in elements of `bytes`. The
 * first half of the registers is interleaved with the second, until the columns are complete. Columns that share a register are
 * then extracted.
 */
export function transposed(code: Straight, bytes: 1 | 2 | 4 | 8, rows: readonly Register[]): Register[] {
  const side = rows.length;
  let registers = rows;
  for (let filled = side * bytes, round = 1; round < side; round *= 2) {
    const half = registers.length / 2;
    const halves = filled < 16 ? (["lower"] as const) : (["lower", "upper"] as const);
    registers = Array.from({ length: half }, (_, k) =>
      halves.map((each) => interleavedHalves(code, bytes, each, registers[k]!, registers[k + half]!)),
    ).flat();
    filled = Math.min(16, 2 * filled);
  }
  return rows.map((_, k) => {
    const at = k * side * bytes;
    const register = registers[Math.floor(at / 16)]!;
    const first = at % 16;
    if (first === 0) return register;
    const from = listOf(2000 + first, (i) => (first + i) % 16);
    return code.with("i8x16.shuffle", from, register, register);
  });
}

/** A single column of a square of two or four rows, of as many lanes. */
export function columnOf(code: Straight, rows: readonly Register[], k: number): Register {
  const half = k % 2 === 0 ? "lower" : "upper";
  const [a, b, c, d] = rows as readonly [Register, Register, Register?, Register?];
  if (c === undefined || d === undefined) return interleavedHalves(code, 8, half, a, b);
  const pair = k < 2 ? "lower" : "upper";
  return interleavedHalves(
    code,
    8,
    half,
    interleavedHalves(code, 4, pair, a, b),
    interleavedHalves(code, 4, pair, c, d),
  );
}

/** The first `count` columns. */
export const columnsOf = (code: Straight, rows: readonly Register[], count: number): Register[] =>
  Array.from({ length: count }, (_, k) => columnOf(code, rows, k));

/** Splats one lane. */
export const splatLane = (code: Straight, vector: Register, lanes: number, lane: number): Register => {
  const bytes = 16 / lanes;
  const chosen = listOf(16 * lanes + lane, (i) => lane * bytes + (i % bytes));
  return code.with("i8x16.shuffle", chosen, vector, vector);
};
