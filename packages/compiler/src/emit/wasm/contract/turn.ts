/** Vectors as rows and columns of a square. */
import type { Register, Straight } from "../lanes/straight.ts";

/** The first `count` columns of as many vectors as each has lanes: two or four. */
export function columnsOf(code: Straight, rows: readonly Register[], count: number): Register[] {
  if (rows.length === 2) return halves(code, 8, rows[0]!, rows[1]!).slice(0, count);
  const [a, b, c, d] = rows as [Register, Register, Register, Register];
  const [even, odd] = [halves(code, 4, a, b), halves(code, 4, c, d)];
  if (count === 1) return halves(code, 8, even[0], odd[0]).slice(0, 1);
  return [0, 1].flatMap((k) => halves(code, 8, even[k]!, odd[k]!));
}

/** One lane in all lanes. */
export const spread = (code: Straight, vector: Register, lanes: number, lane: number): Register => {
  const bytes = 16 / lanes;
  const chosen = Array.from({ length: 16 }, (_, i) => lane * bytes + (i % bytes));
  return code.with("i8x16.shuffle", chosen, vector, vector);
};

/** The lower and the upper halves of two vectors in turns: so many bytes of the one, as many of the other … */
const halves = (code: Straight, bytes: number, a: Register, b: Register): [Register, Register] => {
  const half = (first: number): Register => {
    const lanes = Array.from({ length: 16 }, (_, i) => {
      const turn = Math.floor(i / bytes);
      return first + (turn % 2) * 16 + Math.floor(turn / 2) * bytes + (i % bytes);
    });
    return code.with("i8x16.shuffle", lanes, a, b);
  };
  return [half(0), half(8)];
};
