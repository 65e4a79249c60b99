/** Vectors as rows and columns of a square. */
import type { Register, Straight } from "./straight.ts";

/** Which bytes of two vectors a shuffle takes, each list made once: equal shuffles are then found by their list. */
const lists = new Map<number, readonly number[]>();

function listOf(key: number, byte: (i: number) => number): readonly number[] {
  let list = lists.get(key);
  if (list === undefined) {
    list = Array.from({ length: 16 }, (_, i) => byte(i));
    lists.set(key, list);
  }
  return list;
}

/** The lower or the upper halves of two vectors, interleaved: so many bytes of the one, as many of the other … */
export function inTurns(
  code: Straight,
  bytes: 1 | 2 | 4 | 8,
  half: "lower" | "upper",
  a: Register,
  b: Register,
): Register {
  return code.with("i8x16.shuffle", turns(bytes, half), a, b);
}

/** The bytes that such a shuffle takes. */
export function turns(bytes: 1 | 2 | 4 | 8, half: "lower" | "upper"): readonly number[] {
  const first = half === "lower" ? 0 : 8;
  return listOf(1000 + 10 * bytes + first, (i) => {
    const turn = Math.floor(i / bytes);
    return first + (turn % 2) * 16 + Math.floor(turn / 2) * bytes + (i % bytes);
  });
}

/**
 * The columns of a square: as many rows as each has elements of so many bytes, at the start of a register. The first half of the
 * elements is interleaved with the second until all stand in their places; columns that share a register are then taken from it.
 */
export function turned(code: Straight, bytes: 1 | 2 | 4 | 8, rows: readonly Register[]): Register[] {
  const side = rows.length;
  let registers = rows;
  for (let filled = side * bytes, round = 1; round < side; round *= 2) {
    const half = registers.length / 2;
    const halves = filled < 16 ? (["lower"] as const) : (["lower", "upper"] as const);
    registers = Array.from({ length: half }, (_, k) =>
      halves.map((each) => inTurns(code, bytes, each, registers[k]!, registers[k + half]!)),
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

/** A column of as many vectors as each has lanes: two or four. */
export function columnOf(code: Straight, rows: readonly Register[], k: number): Register {
  const half = k % 2 === 0 ? "lower" : "upper";
  const [a, b, c, d] = rows as readonly [Register, Register, Register?, Register?];
  if (c === undefined || d === undefined) return inTurns(code, 8, half, a, b);
  const pair = k < 2 ? "lower" : "upper";
  return inTurns(code, 8, half, inTurns(code, 4, pair, a, b), inTurns(code, 4, pair, c, d));
}

/** The first `count` columns. */
export const columnsOf = (code: Straight, rows: readonly Register[], count: number): Register[] =>
  Array.from({ length: count }, (_, k) => columnOf(code, rows, k));

/** One lane in all lanes. */
export const spread = (code: Straight, vector: Register, lanes: number, lane: number): Register => {
  const bytes = 16 / lanes;
  const chosen = listOf(16 * lanes + lane, (i) => lane * bytes + (i % bytes));
  return code.with("i8x16.shuffle", chosen, vector, vector);
};
