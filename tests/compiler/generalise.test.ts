/** Programs of many sizes: where an interval ends. */
import {
  elementCosts,
  finished,
  type Graph,
  generalise,
  numbersAt,
  type Point,
  type Program,
  samplesAround,
  through,
  throughProducts,
  widest,
} from "@fuseau/compiler";
import { build, type Node } from "@fuseau/ir";
import { expect, it } from "vitest";
import { asFound } from "../../packages/compiler/src/decisions.ts";
import { aroundInSteps, boxOf, cornersOf, isWithin } from "../../packages/compiler/src/late/box.ts";
import type { LoweredKernel } from "../../packages/compiler/src/lower/lower.ts";
import { planMemory } from "../../packages/compiler/src/plan/plan-memory.ts";
import type { Buffer } from "../../packages/compiler/src/schedule/tree.ts";
import { atOnce } from "../../packages/compiler/src/steps.ts";

const everywhere = { low: [2], high: [1_022] };

/** Two places from the thirteenth column on, at whatever width: what is recorded from a width of 14 on. */
function graphAt([width]: Point): Graph {
  const x = build.input("float32", [2, width as number]);
  const two = { ...build.diagonal(x, 12, 0, 1), shape: [2] } as Node;
  return { nodes: [x, two, build.pointwise("exp", [two])], inputs: [[], [0], [1]], outputs: [2] };
}

it("an interval ends where the graph is none", () => {
  const found = finished(generalise(graphAt, [20], everywhere, {}));
  expect("why" in found ? found : [found.low, found.high]).toEqual([[14], [1_022]]);
});

it("a result shares no place with what is as large as it at some sizes only", () => {
  const x = build.input("float32", [128]);
  const nodes = [x];
  for (let k = 0; k < 5; k++) nodes.push(build.pointwise("exp", [nodes[k] as Node]));
  const graph = { nodes, inputs: [[], [0], [1], [2], [3], [4]], outputs: [5] };
  // The first of 128 is gone when the one of the free size is made, and that is gone when the result is.
  const placesAt = (size: number, varies: boolean): Program["arena"] => {
    const cells = [128, 128, 4, size, 4, 128];
    const roles = [
      "input",
      "intermediate",
      "intermediate",
      "intermediate",
      "intermediate",
      "output",
    ] as const;
    const buffers = roles.map(
      (role, node): Buffer => ({ role, dtype: "float32", cells: cells[node] as number, node }),
    );
    const kernels = buffers
      .slice(1)
      .map((buffer, k) => ({ buffers: [buffers[k], buffer] }) as unknown as LoweredKernel);
    const none = { donated: new Set<Buffer>(), inPlace: new Map<Buffer, Buffer>(), safe: 0 };
    return planMemory(graph, kernels, { buffers, ...none }, asFound, varies).arena;
  };
  expect(placesAt(60, false).length).toBe(1);
  expect(placesAt(60, true).length).toBe(2);
  expect(placesAt(200, true).length).toBe(2);
});

it("what is added to a list in memory is what the list costs, however short it is", () => {
  const [list, x, w] = [
    [2, 32],
    [1, 32],
    [32, 32],
  ].map((shape) => build.input("float32", shape)) as [Node, Node, Node];
  const added = build.contract(x, w);
  const nodes = [list, x, w, added, build.concat([list, added], 0)];
  const graph = { nodes, inputs: [[], [], [], [1, 2], [0, 3]], outputs: [4] };
  const costs = elementCosts(graph, 1 / 16);
  expect(costs[3]).toBeGreaterThan(50);
  expect(costs[4]).toBeLessThan(10);
});

it("polynomials of several sizes go through their samples, and are what they say elsewhere", () => {
  const at = ([n, m, k]: Point): number[] => [
    7,
    (n as number) * 3 - (m as number),
    (n as number) * (m as number) + (k as number) * (k as number),
    ((n as number) * ((n as number) - 1)) / 2 - (m as number) * (k as number),
  ];
  const origin = [5, 9, 20];
  const polynomials = through(origin, samplesAround(origin).map(at));
  expect(polynomials.varying.map(({ place }) => place)).toEqual([1, 2, 3]);
  for (const point of [origin, [2, 2, 2], [100, 3, 1_000], [7, 31, 8]])
    expect(numbersAt(polynomials, point)).toEqual(at(point));
});

it("products of free sizes and a polynomial are what they say elsewhere", () => {
  const at = ([n, m]: Point): number[] => {
    const [a, b] = [n as number, m as number];
    return [a * b * b, 4 * a * a * b * b, a ** 4, b * (a * a + 3 * b), a * b + 5, a * b * b + 30, 12];
  };
  const origin = [17, 24];
  const products = throughProducts(origin, samplesAround(origin).map(at));
  expect(products.varying.filter(({ times }) => times.length > 0).map(({ place }) => place)).toEqual([
    0, 1, 2, 3,
  ]);
  for (const point of [origin, [2, 2], [1_022, 3], [3, 1_022]])
    for (const [k, value] of at(point).entries())
      if (k !== 5) expect(numbersAt(products, point)[k]).toBe(value);
});

it("a box holds at each of its corners", () => {
  const isBelow = ([n, m]: Point): boolean => (n as number) < (m as number);
  const within = { low: [2, 2], high: [1_022, 1_022] };
  const { low, high } = widest([20, 40], within, isBelow);
  expect([low, high]).toEqual([
    [2, 40],
    [39, 1_022],
  ]);
});

it.each([
  ["whose product is bounded", ([n, m]: Point) => (n as number) * (m as number) <= 32_768, true],
  ["of any kind", () => true, true],
  ["one of which is the less", ([n, m]: Point) => (n as number) < (m as number), false],
  ["of which there is one alone", ([n, m]: Point) => n === 85 && m === 155, false],
] as const)("a box around sizes %s is found in a few attempts", (_, isProgram, isThere) => {
  const within = { low: [2, 2], high: [1_022, 1_022] };
  const came: Point[] = [
    [85, 155],
    [64, 139],
    [149, 157],
    [100, 152],
  ];
  let attempts = 0;
  const box = finished(
    aroundInSteps(boxOf(came), within, (point) => {
      attempts++;
      return atOnce(isProgram)(point);
    }),
  );
  expect(attempts).toBeLessThan(14);
  expect(box !== null).toBe(isThere);
  if (box === null) return;
  expect(cornersOf(box).every(isProgram)).toBe(true);
  expect(came.every((point) => isWithin(box, point))).toBe(true);
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
      const { high } = widest(
        [start],
        { low: [start], high: [32_767] },
        ([size]) => (size as number) <= most,
        1 / 4,
      );
      found = high[0] as number;
      expect(found).toBeGreaterThanOrEqual(start);
      expect(found).toBeLessThanOrEqual(most);
      rounds++;
    }
    expect(rounds).toBeLessThan(12);
  }
});
