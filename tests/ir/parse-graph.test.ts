/** The graph's text: parsing is the inverse of printing. */
import { type Graph, printGraph, sameGraph } from "@fuseau/compiler";
import { parseGraph, type Scanner } from "@fuseau/ir";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Recording } from "../compiler/recording.ts";
import { programs } from "../differential/random-graph.ts";

function survives(graph: Graph): void {
  const text = printGraph(graph);
  const parsed = parseGraph(text);
  expect(printGraph(parsed)).toBe(text);
  expect(sameGraph(parsed, graph)).toBe(true);
}

describe("parseGraph", () => {
  it("is the inverse of printing, for random graphs", () => {
    fc.assert(
      fc.property(programs(), ({ graph }) => survives(graph)),
      { numRuns: 500 },
    );
  });

  it("reads every kind of node", () => {
    const g = new Recording();
    const x = g.input("float32", [4, 6]);
    const places = g.input("int64", [4, 6]);
    const block = g.shift(
      x,
      [
        { axis: 0, slot: 0, count: 3, factor: 1 },
        { axis: 1, slot: 1, count: 2, factor: -2 },
      ],
      [2, 3],
    );
    const view = { shape: [2, 3], strides: [6, 1], offset: 1 };
    const scans = (
      [
        "sum",
        "prod",
        "max",
        "min",
        "logaddexp",
        "lastArgmax",
        "lastArgmin",
        "lastMax",
        "lastMin",
      ] as Scanner[]
    ).map((fn) => g.scan(fn, x, 1));
    survives(
      g.graph(
        ...scans,
        g.update(x, view, block),
        g.asStrided(x, { shape: [6], strides: [-1], offset: 20 }),
        g.pad(g.permute(x, [1, 0]), [1, 0], [0, 2], g.constant("float32", -0)),
        g.diagonal(x, -1, 0, 1),
        g.concat([g.slice(x, [3, 0], [-1, 2], [4, 3]), g.slice(x, [0, 1], [1, 2], [4, 3])], 1),
        g.scatter(x, 1, places, g.gather(x, 1, places), "max"),
        g.argsort(x, 0, true),
        g.contract(x, g.permute(x, [1, 0])),
        g.cast(g.expand(g.constant("int64", 9_007_199_254_740_993n), [2, 0]), "bool"),
        g.expand(g.constant("float64", Number.NaN), [2]),
        g.expand(g.constant("float64", -Infinity), []),
        g.reshape(g.iota("int32", 6), [1, 6, 1]),
        g.scalar("float16"),
        g.reduce("argmax", x, []),
      ),
    );
  });

  it("reads a chain of 20,000 nodes", () => {
    const g = new Recording();
    let x = g.input("float32", [2]);
    for (let k = 0; k < 20_000; k++) x = g.pointwise("neg", x);
    survives(g.graph(x));
  });

  it.each([
    ["%0: float32[2] = input()\n%2: float32[2] = exp(%0)", /is not the next node/],
    ["%0: float31[2] = input()", /is not the next node/],
    ["%0: float32[2] = exp(%0)", /%0 does not stand before it/],
    ["%0: float32[2] = input()\n%1: float32[3] = exp(%0)", /is float32\[2\]/],
    ["%0: float32[2] = input()\n%1: int32[2] = exp(%0)", /is float32\[2\]/],
    ["%0: float32[2] = input()\n%1: float32[2] = exp(%0, %0)", /has 2 operands/],
    ["%0: float32[2] = input()\n%1: float32[2] = wibble(%0)", /knows no wibble/],
    ["%0: float32[2] = input()\n%1: float32[] = sum(%0)", /has no axes/],
    ["%0: float32[2] = input()\n%1: float32[2] = scan(%0, axis 0)", /has none of sum/],
    ["%0: float32[2] = input()\nreturn %1", /returns what is no node/],
    ["what", /is not the next node/],
  ])("refuses %j", (text, why) => {
    expect(() => parseGraph(text)).toThrow(SyntaxError);
    expect(() => parseGraph(text)).toThrow(why);
  });
});
