/** The verifiers that run between passes: each kind of broken IR is refused, with the IR in the message. */
import { compile } from "@fuseau/compiler";
import { build, type DType, InternalError, type Node, verifyGraph } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { Recording } from "./recording.ts";

const x = build.input("float32", [2, 3]);
const i = build.input("int32", [2, 3]);
const condition = build.input("bool", [2, 3]);
const zero = build.constant("float32", 0);
const places = build.input("int64", [2, 3]);
const gathered = build.gather(x, 1, places);
const scattered = build.scatter(x, 1, places, x, "sum");
const window = build.asStrided(x, { shape: [2, 2], strides: [3, 1], offset: 1 });
const updated = build.update(x, { shape: [2, 2], strides: [3, 1], offset: 1 }, window);

/** A valid node with something changed. */
const but = (node: Node, change: object): Node => ({ ...node, ...change }) as Node;
const withAttributes = (node: Node, change: object): Node =>
  but(node, { attributes: { ...node.attributes, ...change } });

const sum = build.pointwise("add", [x, x]);
const choice = build.pointwise("where", [condition, x, x]);
const folded = build.reduce("sum", x, [1]);
const cut = build.slice(x, [0, 1], [1, 1], [2, 2]);

describe("verifyGraph accepts", () => {
  it.each<[string, Node]>([
    ["an input", x],
    ["a constant", zero],
    ["an int64 constant", build.constant("int64", 0n)],
    ["a scalar", build.scalar("float32")],
    ["an iota", build.iota("int64", 3)],
    ["a broadcast", build.pointwise("add", [x, zero])],
    ["a comparison", build.pointwise("lt", [x, x])],
    ["a choice", choice],
    ["a cast", build.cast(x, "int8")],
    ["a reduction", folded],
    ["a reshape", build.reshape(x, [6])],
    ["a permutation", build.permute(x, [1, 0])],
    ["an expansion", build.expand(x, [4, 2, 3])],
    ["a slice backwards", build.slice(x, [1, 2], [-1, -2], [2, 2])],
    ["an empty slice", build.slice(x, [2, 0], [1, 1], [0, 3])],
    ["a pad", build.pad(x, [1, 0], [0, 1], zero)],
    ["a concat", build.concat([x, x], 0)],
    ["a diagonal", build.diagonal(x, 1, 0, 1)],
    ["a contraction", build.contract(x, build.permute(x, [1, 0]))],
    ["a gather", gathered],
    ["a scatter", scattered],
    ["a strided window", window],
    ["an update through it", updated],
    ["a scan", build.scan("sum", x, 1)],
    ["an argsort", build.argsort(x, 1, false)],
  ])("%s", (_, node) => {
    expect(() => verifyGraph([...node.inputs, node])).not.toThrow();
  });
});

describe("verifyGraph refuses", () => {
  it.each<[string, Node, RegExp]>([
    ["an unknown dtype", but(x, { dtype: "float8" as DType }), /unknown dtype float8/],
    ["a negative size", but(x, { shape: [2, -3] }), /shape \[2, -3\]/],
    ["a size that is no whole number", but(x, { shape: [2.5] }), /shape \[2\.5\]/],
    ["an input that reads something", but(x, { inputs: [i] }), /has inputs/],
    ["a bigint in float32", withAttributes(zero, { value: 0n }), /value of the wrong kind/],
    ["a number in int64", but(zero, { dtype: "int64" }), /value of the wrong kind/],
    ["a constant with axes", but(zero, { shape: [1] }), /shape \[1\] should be \[\]/],
    ["a scalar with axes", but(build.scalar("float32"), { shape: [1] }), /shape \[1\] should be \[\]/],
    ["an iota of two axes", but(build.iota("int32", 6), { shape: [2, 3] }), /not one-dimensional/],
    ["too few operands", but(sum, { inputs: [x] }), /add of 1 operands/],
    ["a result of another shape than the broadcast", but(sum, { shape: [3, 3] }), /should be \[2, 3\]/],
    ["operands of two dtypes", but(sum, { inputs: [i, x] }), /operands of several dtypes/],
    ["a result of another dtype", but(sum, { dtype: "float64" }), /dtype float64/],
    [
      "a comparison that is not bool",
      but(build.pointwise("lt", [x, x]), { dtype: "float32" }),
      /dtype float32/,
    ],
    ["a condition that is not bool", but(choice, { inputs: [x, x, x] }), /condition is not bool/],
    [
      "a square root of integers",
      but(build.pointwise("sqrt", [x]), { inputs: [i], dtype: "int32" }),
      /sqrt does not compute in int32/,
    ],
    ["axes out of order", withAttributes(folded, { axes: [1, 0] }), /axes \[1, 0\] are not ascending/],
    ["an axis twice", withAttributes(folded, { axes: [1, 1] }), /not ascending/],
    ["an axis that is not there", withAttributes(folded, { axes: [2] }), /not ascending/],
    [
      "a reduction of another dtype",
      but(build.reduce("sum", i, [1]), { dtype: "int32" }),
      /dtype int32 of sum of int32/,
    ],
    ["a reduction that keeps its axis", but(folded, { shape: [2, 1] }), /should be \[2\]/],
    [
      "a reshape to another size",
      but(build.reshape(x, [6]), { shape: [5] }),
      /changes the number of elements/,
    ],
    [
      "a reshape that casts",
      but(build.reshape(x, [6]), { dtype: "int32" }),
      /dtype int32 of an input of float32/,
    ],
    [
      "a permutation that names an axis twice",
      withAttributes(build.permute(x, [1, 0]), { axes: [0, 0] }),
      /axes \[0, 0\]/,
    ],
    [
      "a permutation whose shape stayed",
      but(build.permute(x, [1, 0]), { shape: [2, 3] }),
      /should be \[3, 2\]/,
    ],
    ["a permutation that casts", but(build.permute(x, [1, 0]), { dtype: "bool" }), /dtype bool/],
    ["an expansion that shrinks", but(build.expand(x, [4, 2, 3]), { shape: [1, 3] }), /should be \[2, 3\]/],
    ["a slice past the end", withAttributes(cut, { starts: [0, 2] }), /axis 1 reads 2…3 of 3/],
    ["a slice before the start", withAttributes(cut, { steps: [1, -2] }), /axis 1 reads 1…-1 of 3/],
    ["a fill with axes", but(build.pad(x, [0, 0], [1, 1], zero), { inputs: [x, x] }), /fill is not 0-d/],
    ["a concat of two dtypes", but(build.concat([x, x], 0), { inputs: [x, i] }), /several dtypes/],
    ["a pad that is too small", but(build.pad(x, [1, 0], [0, 1], zero), { shape: [2, 4] }), /does not fit/],
    ["a concat that is too long", but(build.concat([x, x], 0), { shape: [5, 3] }), /should be \[4, 3\]/],
    ["a diagonal that is too long", but(build.diagonal(x, 2, 0, 1), { shape: [2] }), /should be \[1\]/],
    ["a diagonal that casts", but(build.diagonal(x, 0, 0, 1), { dtype: "int32" }), /dtype int32/],
    [
      "a contraction of sizes that do not meet",
      but(build.contract(x, build.permute(x, [1, 0])), { inputs: [x, x] }),
      /inner sizes of \[2, 3\] and \[2, 3\]/,
    ],
    [
      "a contraction of another shape",
      but(build.contract(x, build.permute(x, [1, 0])), { shape: [2, 3] }),
      /should be \[2, 2\]/,
    ],
    [
      "a gather at places of another rank",
      but(gathered, { inputs: [build.input("float32", [6]), places] }),
      /index of rank 2/,
    ],
    ["a gather at floating places", but(gathered, { inputs: [x, x] }), /index of float32/],
    ["a gather of another shape", but(gathered, { shape: [2, 2] }), /should be \[2, 3\]/],
    [
      "a gather of more rows than there are",
      but(gathered, { inputs: [build.input("float32", [1, 3]), places] }),
      /beyond \[1, 3\]/,
    ],
    [
      "a scatter of another dtype",
      but(scattered, { inputs: [x, places, i] }),
      /int32 scattered into float32/,
    ],
    ["a scatter that changes its base's shape", but(scattered, { shape: [3, 3] }), /should be \[2, 3\]/],
    ["a window past the end", withAttributes(window, { offset: 2 }), /window ends at 6 of 6/],
    ["a window before the start", withAttributes(window, { offset: -1 }), /window ends at 3 of 6/],
    ["an update of another dtype", but(updated, { inputs: [x, i] }), /int32 written into float32/],
    [
      "an update of another shape than its window",
      but(updated, { inputs: [x, x] }),
      /value of shape \[2, 3\]/,
    ],
    [
      "a scan along an axis that is not there",
      withAttributes(build.scan("sum", x, 1), { axis: 2 }),
      /axis 2/,
    ],
  ])("%s", (_, node, fault) => {
    const check = (): void => verifyGraph([x, node]);
    expect(check).toThrow(InternalError);
    expect(check).toThrow(fault);
    // The graph is printed with it.
    expect(check).toThrow(/%0: float32\[2, 3\] = input\(\)/);
  });
});

describe("compile with verify", () => {
  it("checks the graph it is given", () => {
    const g = new Recording();
    const graph = g.graph(g.pointwise("neg", g.input("float32", [3])));
    const nodes = graph.nodes.map((node) => (node.op === "pointwise" ? but(node, { shape: [4] }) : node));
    expect(() => compile({ ...graph, nodes }, { verify: true })).toThrow(InternalError);
  });
});
