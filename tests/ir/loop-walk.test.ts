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

const row: Statement = { kind: "integer", local: 2, value: add(local(0), axis(1)) };
const element: Statement = {
  kind: "let",
  local: 3,
  dtype: "float32",
  value: {
    kind: "load",
    buffer: 1,
    at: add(local(2), axis(2)),
    tests: [{ at: axis(2), low: local(1), high: size(7) }],
  },
};
const fold: Statement = {
  kind: "accumulate",
  accumulator: 5,
  cell: literal(0),
  values: [{ kind: "local", local: 3 }],
  position: axis(2),
};
const reduce: ReduceStatement = {
  kind: "reduce",
  axes: [
    { axis: 1, extent: size(1) },
    { axis: 2, extent: size(2) },
  ],
  accumulators: [
    {
      accumulator: 5,
      fn: "sum",
      from: "float32",
      to: "float32",
      lanes: 8,
      row: { cells: size(3), partial: 8, compensation: null, total: 9, position: null },
    },
  ],
  scan: false,
  blocked: false,
  aligned: false,
  row: [row],
  body: [element, fold],
};
const result: Statement = {
  kind: "let",
  local: 4,
  dtype: "float32",
  value: { kind: "result", accumulator: 5, cell: axis(0) },
};
const store: Statement = {
  kind: "store",
  buffer: 2,
  at: axis(0),
  value: { kind: "local", local: 4 },
  combine: "set",
};
const nest: ForStatement = {
  kind: "for",
  axis: { axis: 0, extent: size(0) },
  ordered: false,
  body: [reduce, result, store],
};
const outer: Statement = { kind: "integer", local: 0, value: size(4) };
const bound: Statement = { kind: "integer", local: 1, value: add(local(0), literal(1)) };
const unused: Statement = { kind: "integer", local: 9, value: local(1) };
const top: readonly Statement[] = [outer, bound, unused, nest];

describe("what statements mention", () => {
  it("is found in loops, in rows of loops, in tests and in rows of accumulators", () => {
    const { axes, locals, buffers, results } = mentionsOf([nest]);
    expect([...axes].sort()).toEqual([0, 1, 2]);
    expect([...locals].sort()).toEqual([0, 1, 2, 3, 4]);
    expect([...buffers].sort()).toEqual([1, 2, 8, 9]);
    expect([...results]).toEqual([5]);
  });
  it("has the bound and the place of an index that is looked up, and the lengths of a sort", () => {
    const lookup: Statement = {
      kind: "index",
      local: 1,
      value: { kind: "local", local: 2 },
      dtype: "int64",
      size: local(3),
      axis: 0,
      place: axis(4),
    };
    const sort: Statement = {
      kind: "sort",
      keys: 1,
      order: 2,
      sorted: false,
      length: local(5),
      first: local(6),
      descending: false,
    };
    const { axes, locals, buffers } = mentionsOf([lookup, sort]);
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
