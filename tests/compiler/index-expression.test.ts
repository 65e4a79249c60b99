import { build, type Node } from "@fuseau/ir";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Atom,
  type Axis,
  type Bound,
  type Index,
  IndexTable,
  type Indirect,
} from "../../packages/compiler/src/indexing/index-expression.ts";
import { type MovementNode, moveIndex } from "../../packages/compiler/src/schedule/movement.ts";
import { ravel, unravel } from "../differential/reference.ts";

/** What an expression is made of: loop axes, integers that a kernel reads from data, and those that are bound when it runs. */
type Leaf = Axis | Indirect | Bound;
type Places = ReadonlyMap<Leaf, number>;

/** What the expression says it is, at these places of the axes. */
function worth(index: Index, places: Places): number {
  return index.terms.reduce(
    (sum, { atom, coefficient }) => sum + coefficient * atomValue(atom, places),
    index.constant,
  );
}

function atomValue(atom: Atom, places: Places): number {
  if (atom.kind === "axis" || atom.kind === "indirect" || atom.kind === "bound")
    return places.get(atom) as number;
  const of = worth(atom.of, places);
  if (of < 0) throw new Error(`${of} is divided by ${atom.by}`);
  return atom.kind === "div" ? Math.floor(of / atom.by) : of % atom.by;
}

/** An index expression beside the plain function that it stands for. */
interface Pair {
  readonly index: Index;
  readonly meaning: (places: Places) => number;
}

type Step =
  | { readonly kind: "axis" | "constant"; readonly n: number }
  | { readonly kind: "scale" | "shift" | "div" | "mod" | "flip"; readonly of: Step; readonly n: number }
  | { readonly kind: "add"; readonly of: Step; readonly and: Step };

const { step } = fc.letrec<{ step: Step }>((tie) => ({
  step: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.record({ kind: fc.constantFrom("axis" as const, "axis" as const, "constant" as const), n: fc.nat(9) }),
    fc.record({
      kind: fc.constantFrom(
        "scale" as const,
        "shift" as const,
        "div" as const,
        "mod" as const,
        "flip" as const,
      ),
      of: tie("step"),
      n: fc.constantFrom(1, 2, 3, 4, 5, 6, 8, 12),
    }),
    fc.record({ kind: fc.constant("add" as const), of: tie("step"), and: tie("step") }),
  ),
}));

function agree(index: Index, places: Places, meant: number): void {
  const value = worth(index, places);
  need(value === meant, () => `${value} at [${[...places.values()].join(", ")}] should be ${meant}`);
}

/** An assertion without the cost of `expect`, for loops over every place. */
function need(holds: boolean, message: () => string): void {
  if (!holds) throw new Error(message());
}

/** Loop axes, one integer read from data where the first of them is, and one that is bound. */
function leavesOf(table: IndexTable, sizes: readonly number[]): Leaf[] {
  const axes = sizes.map((extent) => table.axis(extent));
  const bound = table.bound(0, 4).terms[0]?.atom as Bound;
  return [...axes, table.indirect(3, axes.slice(0, 1)), bound];
}

/** The axes that the expression names, and what is read where they are. */
const knownBy = (index: Index): Leaf[] => [...index.axes, ...index.indirect, ...new Set(boundIn(index))];

const boundIn = (index: Index): Bound[] =>
  index.terms.flatMap(({ atom }) => {
    if (atom.kind === "bound") return [atom];
    return atom.kind === "div" || atom.kind === "mod" ? boundIn(atom.of) : [];
  });

function expressionOf(table: IndexTable, leaves: readonly Leaf[], step: Step): Pair {
  switch (step.kind) {
    case "axis": {
      const leaf = leaves[step.n % leaves.length] as Leaf;
      return { index: table.of(leaf), meaning: (places) => places.get(leaf) as number };
    }
    case "constant":
      return { index: table.constant(step.n), meaning: () => step.n };
    case "add": {
      const [a, b] = [expressionOf(table, leaves, step.of), expressionOf(table, leaves, step.and)];
      return {
        index: table.add(a.index, b.index),
        meaning: (places) => a.meaning(places) + b.meaning(places),
      };
    }
    default:
      return applied(table, step.kind, expressionOf(table, leaves, step.of), step.n);
  }
}

function applied(
  table: IndexTable,
  kind: "scale" | "shift" | "div" | "mod" | "flip",
  { index, meaning }: Pair,
  n: number,
): Pair {
  switch (kind) {
    case "scale":
      return { index: table.scale(index, n), meaning: (places) => meaning(places) * n };
    case "shift":
      return { index: table.shift(index, n), meaning: (places) => meaning(places) + n };
    case "div":
      return { index: table.div(index, n), meaning: (places) => Math.floor(meaning(places) / n) };
    case "mod":
      return { index: table.mod(index, n), meaning: (places) => meaning(places) % n };
    case "flip": {
      // As a flipped axis reads: the last place less this one, which is never negative.
      const { high } = index;
      return {
        index: table.shift(table.scale(index, -1), high),
        meaning: (places) => high - meaning(places),
      };
    }
    default:
      return kind satisfies never;
  }
}

const extents = fc.array(fc.constantFrom(1, 2, 3, 4, 5, 6), { minLength: 1, maxLength: 3 });

/** Every combination of places. */
function* everywhere(axes: readonly Leaf[]): Generator<Places> {
  const shape = axes.map(({ extent }) => extent);
  const count = shape.reduce((product, size) => product * size, 1);
  for (let flat = 0; flat < count; flat++) {
    const places = unravel(flat, shape);
    yield new Map(axes.map((axis, k) => [axis, places[k] as number]));
  }
}

const numRuns = 2_000;

describe("an index expression", () => {
  it("is worth what plain integers give, at all places of its axes", () => {
    fc.assert(
      fc.property(extents, step, (sizes, recipe) => {
        const table = new IndexTable();
        const leaves = leavesOf(table, sizes);
        const { index, meaning } = expressionOf(table, leaves, recipe);
        for (const places of everywhere(leaves)) agree(index, places, meaning(places));
      }),
      { numRuns },
    );
  });

  it("stays within the range it claims, and changes with no axis that it does not name", () => {
    fc.assert(
      fc.property(extents, step, (sizes, recipe) => {
        const table = new IndexTable();
        const leaves = leavesOf(table, sizes);
        const { index, meaning } = expressionOf(table, leaves, recipe);
        for (const places of everywhere(leaves)) {
          const value = meaning(places);
          need(
            index.low <= value && value <= index.high,
            () => `${value} is not in [${index.low}, ${index.high}]`,
          );
          const fewer = new Map(
            [...places].map(([leaf, at]) => [leaf, knownBy(index).includes(leaf) ? at : 0]),
          );
          need(meaning(fewer) === value, () => `${value} changes with an axis that is not among its axes`);
        }
      }),
      { numRuns },
    );
  });

  it("is one object however it was arrived at by adding, scaling and shifting", () => {
    const table = new IndexTable();
    const [i, j] = [table.of(table.axis(4)), table.of(table.axis(5))];
    const one = table.add(table.scale(table.add(i, j), 3), table.constant(2));
    const two = table.shift(table.add(table.scale(j, 3), table.scale(i, 3)), 2);
    expect(one).toBe(two);
    expect(table.add(i, table.scale(i, -1))).toBe(table.constant(0));
  });

  it("reads a substituted axis at its replacement", () => {
    fc.assert(
      fc.property(extents, step, step, fc.nat(2), (sizes, recipe, other, which) => {
        const table = new IndexTable();
        const axes = sizes.map((extent) => table.axis(extent));
        const fresh = sizes.map((extent) => table.axis(extent));
        const replaced = axes[which % axes.length] as Axis;
        const { index, meaning } = expressionOf(table, axes, recipe);
        // A remainder by the extent keeps the replacement inside the axis.
        const inner = expressionOf(table, fresh, other);
        const replacement = applied(table, "mod", inner, replaced.extent);
        const substituted = table.substitute(index, (axis) =>
          axis === replaced ? replacement.index : undefined,
        );
        for (const places of everywhere([...axes, ...fresh])) {
          const moved = new Map(places).set(replaced, replacement.meaning(places));
          agree(substituted, places, meaning(moved));
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("what ranges decide is not divided", () => {
  const table = new IndexTable();
  const [i, j] = [table.axis(4), table.axis(6)];
  const flat = table.add(table.scale(table.of(i), 6), table.of(j));

  it("the quotient and remainder of a row-major position are its axes", () => {
    expect(table.div(flat, 6)).toBe(table.of(i));
    expect(table.mod(flat, 6)).toBe(table.of(j));
  });
  it("a quotient and a remainder put together again are what was divided", () => {
    const [q, r] = [table.div(flat, 4), table.mod(flat, 4)];
    expect(table.add(table.scale(q, 4), r)).toBe(flat);
  });
  it("a rest of a quotient and a remainder put together again are a remainder", () => {
    const place = table.of(table.axis(240));
    const both = table.add(table.scale(table.mod(table.div(place, 4), 5), 4), table.mod(place, 4));
    expect(both).toBe(table.mod(place, 20));
  });
  it("but not in other proportions", () => {
    const [q, r] = [table.div(flat, 4), table.mod(flat, 4)];
    for (const factor of [1, 2, 8]) expect(table.add(table.scale(q, factor), r)).not.toBe(flat);
    expect(table.add(table.scale(q, 8), table.scale(r, 2))).toBe(table.scale(flat, 2));
  });
  it("a quotient of a quotient is one division", () => {
    expect(table.div(table.div(flat, 5), 2)).toBe(table.div(flat, 10));
  });
  it("the places of one row of several are divided by whole rows", () => {
    // Rows of 6, two of which are a group.
    expect(table.div(flat, 12)).toBe(table.div(table.of(i), 2));
    expect(table.mod(flat, 12)).toBe(table.add(table.scale(table.mod(table.of(i), 2), 6), table.of(j)));
  });
  it("a remainder of a coarser remainder is one remainder", () => {
    expect(table.mod(table.mod(table.of(table.axis(100)), 12), 4).terms).toHaveLength(1);
  });
});

const shape = fc.array(fc.constantFrom(1, 2, 3, 4, 6), { maxLength: 4 });

/** Another shape of as many elements, by splitting and merging factors. */
const reshaped = (from: readonly number[]): fc.Arbitrary<readonly number[]> => {
  const factors = from.flatMap((size) =>
    size === 4 ? [2, 2] : size === 6 ? [2, 3] : size === 1 ? [] : [size],
  );
  return fc
    .tuple(
      fc.shuffledSubarray(factors, { minLength: factors.length }),
      fc.array(fc.boolean(), { minLength: factors.length + 1, maxLength: factors.length + 1 }),
    )
    .map(([order, cuts]) => {
      const sizes: number[] = [];
      order.forEach((factor, k) => {
        if (cuts[k] || sizes.length === 0) sizes.push(factor);
        else sizes[sizes.length - 1] = (sizes.at(-1) as number) * factor;
      });
      return cuts.at(-1) ? [1, ...sizes, 1] : sizes;
    });
};

/** At every place of the result, the index that the movement gives is the place that `from` says. */
function checkMovement(movement: Node, from: (place: readonly number[]) => readonly number[]): void {
  const table = new IndexTable();
  const axes = movement.shape.map((extent) => table.axis(extent));
  const moved = moveIndex(
    table,
    movement as MovementNode,
    axes.map((axis) => table.of(axis)),
  );
  for (const places of everywhere(axes)) {
    const place = axes.map((axis) => places.get(axis) as number);
    from(place).forEach((meant, k) => {
      agree(moved[k] as Index, places, meant);
    });
  }
}

describe("a movement's index points at the element that the movement reads", () => {
  it("reshape", () => {
    const both = shape.chain((from) => fc.tuple(fc.constant(from), reshaped(from)));
    fc.assert(
      fc.property(both, ([from, to]) => {
        checkMovement(build.reshape(build.input("float32", from), to), (place) =>
          unravel(ravel(place, to), from),
        );
      }),
      { numRuns: 500 },
    );
  });
  it("a reshape of a reshape, and back, reads each element in its place", () => {
    const both = shape.chain((from) => fc.tuple(fc.constant(from), reshaped(from)));
    fc.assert(
      fc.property(both, ([from, to]) => {
        const table = new IndexTable();
        const x = build.input("float32", from);
        const there = build.reshape(x, to);
        const back = build.reshape(there, from);
        const axes = from.map((extent) => table.axis(extent));
        const own = axes.map((axis) => table.of(axis));
        const twice = moveIndex(table, there as MovementNode, moveIndex(table, back as MovementNode, own));
        for (const places of everywhere(axes)) {
          axes.forEach((axis, k) => {
            agree(twice[k] as Index, places, places.get(axis) as number);
          });
        }
      }),
      { numRuns: 500 },
    );
  });
  it("permute", () => {
    checkMovement(build.permute(build.input("float32", [2, 3, 4]), [2, 0, 1]), ([a, b, c]) => [
      b as number,
      c as number,
      a as number,
    ]);
  });
  it("expand", () => {
    checkMovement(build.expand(build.input("float32", [3, 1]), [2, 3, 4]), ([, b]) => [b as number, 0]);
  });
  it("slice, backwards too", () => {
    checkMovement(build.slice(build.input("float32", [5, 6]), [4, 1], [-2, 2], [3, 2]), ([a, b]) => [
      4 - 2 * (a as number),
      1 + 2 * (b as number),
    ]);
  });
  it.each([-1, 0, 2])("diagonal %i", (offset) => {
    checkMovement(build.diagonal(build.input("float32", [3, 2, 4]), offset, 2, 0), ([b, along]) => [
      (along as number) + Math.max(0, offset),
      b as number,
      (along as number) + Math.max(0, -offset),
    ]);
  });
});
