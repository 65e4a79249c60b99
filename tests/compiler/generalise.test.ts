/** Programs of many sizes: where an interval ends. */
import { farthest, type Graph, generalise } from "@fuseau/compiler";
import { build, type Node } from "@fuseau/ir";
import { expect, it } from "vitest";

const everywhere = { low: 2, high: 1_022 };

/** Two places from the thirteenth column on, at whatever width: what is recorded from a width of 14 on. */
function graphAt(width: number): Graph {
  const x = build.input("float32", [2, width]);
  const two = { ...build.diagonal(x, 12, 0, 1), shape: [2] } as Node;
  return { nodes: [x, two, build.pointwise("exp", [two])], inputs: [[], [0], [1]], outputs: [2] };
}

it("an interval ends where the graph is none", () => {
  const found = generalise(graphAt, 20, everywhere, {});
  expect("why" in found ? found : [found.low, found.high]).toEqual([14, 1_022]);
});

it("a bound that is looked for roughly is near enough that the next program begins near the last size", () => {
  for (const [from, most] of [
    [17_005, 19_999],
    [19, 600],
    [5, 7],
    [2, 3],
  ] as const) {
    let found: number = from;
    let rounds = 0;
    while (found < most) {
      const start = found === from ? from : found + 1;
      found = farthest(start, 32_767, (size) => size <= most, 1 / 4);
      expect(found).toBeGreaterThanOrEqual(start);
      expect(found).toBeLessThanOrEqual(most);
      rounds++;
    }
    expect(rounds).toBeLessThan(12);
  }
});
