/** The walk over the loop IR: what statements mention, and what rewriting leaves alone. */
import {
  definitionsOf,
  type ForStatement,
  type Integer,
  inline,
  localsDefinedIn,
  mapStatements,
  mapTests,
  mentionsOf,
  parseLoopKernel,
  type ReduceStatement,
  type Statement,
  someInteger,
  statementsIn,
  substitute,
  visitStatements,
} from "@fuseau/ir";
import { describe, expect, it } from "vitest";

const axis = (of: number): Integer => ({ kind: "axis", axis: of });
const local = (of: number): Integer => ({ kind: "local", local: of });
const size = (slot: number): Integer => ({ kind: "size", slot });
const literal = (value: number): Integer => ({ kind: "literal", value });
const add = (left: Integer, right: Integer): Integer => ({ kind: "add", left, right });

const top = parseLoopKernel(`
kernel(b0: read float32, b1: read float32, b2: write float32; sizes 8; )
  i0 = n4
  i1 = (i0 + 1)
  i9 = i1
  for x0 < n0
    reduce x1 < n1, x2 < n2
      a5 = sum float32 -> float32 lanes 8 row n3 in b8 - b9 -
      row
        i2 = (i0 + x1)
      v3: float32 = b1[(i2 + x2)] if i1 <= x2 < n7
      a5[0] <- v3 @ x2
    v4: float32 = result a5[x0]
    b2[x0] = v4
`).body;
const [outer, bound, unused, nest] = top as [Statement, Statement, Statement, ForStatement];
const [reduce, result, store] = nest.body as [ReduceStatement, Statement, Statement];
const [row, element, fold] = [...reduce.row, ...reduce.body] as [Statement, Statement, Statement];

describe("what statements mention", () => {
  it("is found in loops, in rows of loops, in tests and in rows of accumulators", () => {
    const { axes, locals, buffers, results } = mentionsOf([nest]);
    expect([...axes].sort()).toEqual([0, 1, 2]);
    expect([...locals].sort()).toEqual([0, 1, 2, 3, 4]);
    expect([...buffers].sort()).toEqual([1, 2, 8, 9]);
    expect([...results]).toEqual([5]);
  });
  it("has the bound and the place of an index that is looked up, and the lengths of a sort", () => {
    const { body } = parseLoopKernel(`
    kernel(; sizes 0; )
      i1 = index.int64 v2 < i3 of axis 0 @ x4
      b2 = first i6 of order of b1 < i5
    `);
    const { axes, locals, buffers } = mentionsOf(body);
    expect([[...axes], [...locals], [...buffers]]).toEqual([[4], [2, 3, 5, 6], [1, 2]]);
  });
  it("is visited in the order in which it runs, with the loops around", () => {
    const seen: [Statement, number][] = [];
    visitStatements(top, { statement: (statement, around) => seen.push([statement, around.length]) });
    expect(seen.map(([statement]) => statement)).toEqual(statementsIn(top));
    expect(seen.map(([, depth]) => depth)).toEqual([0, 0, 0, 0, 1, 2, 2, 2, 1, 1]);
    expect(localsDefinedIn(top)).toEqual([0, 1, 9, 2, 3, 4]);
  });
  it("leads to the definitions that it rests on, and to no others", () => {
    expect(definitionsOf(mentionsOf([nest]).locals, top)).toEqual([outer, bound]);
    expect(definitionsOf([], top)).toEqual([]);
  });
});

describe("rewriting", () => {
  it("substitutes names, through and through where locals are inlined", () => {
    const integer = add(local(1), axis(0));
    const meanings = new Map([
      [0, size(4)],
      [1, add(local(0), literal(1))],
    ]);
    expect(inline(integer, (each) => meanings.get(each))).toEqual(add(add(size(4), literal(1)), axis(0)));
    expect(substitute(integer, (name) => (name.kind === "axis" ? axis(7) : name))).toEqual(
      add(local(1), axis(7)),
    );
  });
  it("leaves what does not change the same object", () => {
    const integer = add(local(1), axis(0));
    expect(substitute(integer, (name) => name)).toBe(integer);
    expect(mapStatements(top, (statement) => statement)).toBe(top);
    const [, , , kept] = mapStatements(top, (each) =>
      each === outer ? [] : each === bound ? [bound, unused] : each,
    );
    expect(kept).toBe(nest);
  });
  it("reaches into loops and their rows, the innermost first", () => {
    const order: string[] = [];
    const [changed] = mapStatements([nest], (statement) => {
      order.push(statement.kind);
      return statement === row || statement === fold ? [] : statement;
    }) as [ForStatement];
    expect(order).toEqual(["let", "accumulate", "integer", "reduce", "let", "store", "for"]);
    expect(changed.body[0]).toEqual({ ...reduce, row: [], body: [element] });
    expect(changed.body.slice(1)).toEqual([result, store]);
    expect(nest.body[0]).toBe(reduce);
  });
  it("changes the tests of a load", () => {
    const changed = mapTests(element, (test) => ({ ...test, low: null }));
    expect(mentionsOf([changed]).locals.has(1)).toBe(false);
    expect(mapTests(row, () => expect.fail("a row has no test"))).toBe(row);
  });
  it("asks the names and numbers that an integer is made of", () => {
    expect(someInteger(add(size(0), local(1)), (leaf) => leaf.kind === "local")).toBe(true);
    expect(someInteger(add(size(0), literal(1)), (leaf) => leaf.kind === "local")).toBe(false);
  });
});
