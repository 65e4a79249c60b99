/** Programs of many sizes where a rule asks for any of several conditions: what held at both ends of an interval need not hold between. */
import { type AnyTensor, arange, cat, clearCaches, pad, zeros } from "fuseau";
import { beforeEach, describe, expect, it } from "vitest";

beforeEach(() => clearCaches());

const LENGTH = 266;
const x = arange(LENGTH).float().add(1).compute();
const within = (place: number): number => (place < 0 || place >= LENGTH ? 0 : place + 1);

const programs: Readonly<Record<string, readonly [(place: number) => AnyTensor, (place: number) => number]>> =
  {
    "a place of a pad": [(p) => pad(x, [3, 500]).narrow(0, p, 1), (p) => within(p - 3)],
    "a place of what is made of a pad": [
      (p) => pad(x, [3, 500]).add(1).narrow(0, p, 1),
      (p) => within(p - 3) + 1,
    ],
    "a place of a pad of a pad": [
      (p) => pad(pad(x, [3, 500]).mul(2), [7, 9]).narrow(0, p, 1),
      (p) => 2 * within(p - 10),
    ],
    "a place of what is joined": [
      (p) => cat([zeros([3]), x, zeros([500])]).narrow(0, p, 1),
      (p) => within(p - 3),
    ],
    "a place of what is made of parts": [
      (p) =>
        cat([zeros([3]), x, zeros([500])])
          .mul(2)
          .narrow(0, p, 1),
      (p) => 2 * within(p - 3),
    ],
    "where a counter is a number": [
      (p) => arange(100, 300).eq(p).sum().float(),
      (p) => (p >= 100 && p < 300 ? 1 : 0),
    ],
  };

describe.each(Object.entries(programs))("%s", (_, [of, expected]) => {
  it.each([
    [[100, 254, 268, 215, 300, 50]],
    [[300, 400, 350, 100, 50, 268]],
    [[1, 2, 300, 100, 0, 280, 400]],
    [[600, 100, 700, 750, 720, 200, 299]],
  ])("at %j", (places) => {
    for (const place of places) expect(of(place).sum().item()).toBe(expected(place));
  });
});

it("a place of a pad whose widths change with it", () => {
  const table = arange(35).float().reshape([5, 7]).add(1).compute();
  const drawn = [
    ...[
      [3, 0, 0],
      [0, 1, 3],
      [1, 2, 2],
      [2, 0, 0],
      [0, 3, 7],
      [1, 0, 4],
      [2, 0, 2],
      [3, 0, 3],
      [1, 0, 2],
      [1, 2, 0],
    ],
    ...[
      [0, 1, 2],
      [0, 1, 0],
      [0, 2, 3],
      [2, 2, 6],
      [1, 2, 7],
      [2, 0, 2],
      [0, 2, 2],
      [3, 0, 2],
      [1, 0, 5],
      [3, 0, 5],
    ],
    ...[
      [3, 2, 2],
      [2, 2, 1],
      [2, 3, 9],
      [1, 3, 8],
      [1, 0, 3],
      [0, 2, 5],
      [3, 2, 6],
      [2, 3, 5],
      [3, 3, 7],
      [1, 3, 3],
    ],
  ] as [number, number, number][];
  for (const [k, [before, behind, place]] of drawn.entries()) {
    const column = table.select(1, (3 * k) % 7);
    const at = place - before;
    const expected = at < 0 || at >= 5 ? 0 : 7 * at + ((3 * k) % 7) + 1;
    expect(pad(column, [before, behind]).narrow(0, place, 1).add(1).item()).toBe(expected + 1);
  }
});
