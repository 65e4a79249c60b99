/** Vectors as rows and columns of a square. */
import type { Register, Straight } from "./straight.ts";

/** The lower or the upper halves of two vectors in turns: so many bytes of the one, as many of the other … */
export function inTurns(
  code: Straight,
  bytes: 4 | 8,
  half: "lower" | "upper",
  a: Register,
  b: Register,
): Register {
  const lanes = Array.from({ length: 16 }, (_, i) => {
    const turn = Math.floor(i / bytes);
    return (half === "lower" ? 0 : 8) + (turn % 2) * 16 + Math.floor(turn / 2) * bytes + (i % bytes);
  });
  return code.with("i8x16.shuffle", lanes, a, b);
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
  const chosen = Array.from({ length: 16 }, (_, i) => lane * bytes + (i % bytes));
  return code.with("i8x16.shuffle", chosen, vector, vector);
};
