/** Passes as data: what they are, what those who watch see, and that each kind of IR is refused when it is broken. */
import { type CompilerEvent, compile, type Graph, type Program, passNames } from "@fuseau/compiler";
import { build, InternalError, type Node } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { mergeAxes } from "../../packages/compiler/src/layout/merge-axes.ts";
import { stripMine } from "../../packages/compiler/src/layout/strip-mine.ts";
import { verifyPlan } from "../../packages/compiler/src/plan/verify.ts";
import { schedule } from "../../packages/compiler/src/schedule/schedule.ts";
import type { Block, Item, Kernel, Schedule } from "../../packages/compiler/src/schedule/tree.ts";
import { verifySchedule } from "../../packages/compiler/src/schedule/verify.ts";
import { verifyGraph } from "../../packages/compiler/src/verify-graph.ts";
import { Recording } from "./recording.ts";

/** Rows scaled by their sum. */
function scaled(): Graph {
  const g = new Recording();
  const rows = g.input("float32", [40, 30]);
  const total = g.reshape(g.reduce("sum", rows, [1]), [40, 1]);
  return g.graph(g.pointwise("div", rows, total));
}

/** Two kernels with memory between them, since a sort writes in an order of its own, and a scalar. */
function chained(): Graph {
  const g = new Recording();
  const x = g.input("float32", [64, 64]);
  const y = g.pointwise("mul", g.pointwise("exp", x), g.scalar("float32"));
  return g.graph(g.pointwise("neg", g.argsort(y, 1, false)));
}

const watched = (graph: Graph, options = {}): CompilerEvent[] => {
  const events: CompilerEvent[] = [];
  compile(graph, {
    ...options,
    watch: (event) => events.push(event.kind === "pass" ? { ...event, text: event.text } : event),
  });
  return events;
};

describe("passes", () => {
  it("are a list: each reads what the one before it makes", () => {
    expect(passNames.map(({ name }) => name)).toEqual([
      "simplify",
      "schedule",
      "merge axes",
      "strip-mine",
      "lower",
      "plan memory",
    ]);
    passNames.forEach(({ from }, k) => {
      if (k > 0) expect(from).toBe(passNames[k - 1]?.to);
    });
  });

  it("are shown, each with its result as text", () => {
    const shown = watched(scaled()).filter((event) => event.kind === "pass");
    expect(shown.map(({ name }) => name)).toEqual(["record", ...passNames.map(({ name }) => name)]);
    const textOf = (name: string): string => shown.find((event) => event.name === name)?.text ?? "";
    expect(textOf("record")).toMatch(/%1: float32\[40\] = sum\(%0, axes \[1\]\)[\s\S]*return %3/);
    expect(textOf("schedule")).toMatch(/kernel 0 \(input %0\) -> output %\d\n {2}for x\d < 40\n/);
    expect(textOf("schedule")).toMatch(/reduce x\d < 30\n[\s\S]*sum %\d\[0\] <- v\d/);
    expect(textOf("lower")).toContain("kernel(b0: read float32");
    expect(textOf("plan memory")).toMatch(
      /output 0: float32\[1200\]\nk0_\w+\(.*input 0.*\)\nreturn output 0/,
    );
  });

  it("tell each rewrite with its law", () => {
    const g = new Recording();
    const x = g.input("int32", [4]);
    const rules = watched(g.graph(g.pointwise("neg", g.pointwise("neg", x)))).filter(
      ({ kind }) => kind === "rule",
    );
    expect(rules).toHaveLength(1);
    expect(rules[0]).toMatchObject({ before: expect.stringMatching(/^t2: int32\[4\] = neg\(t1\)$/) });
  });

  it("tell why a node was stored, with what was measured", () => {
    const g = new Recording();
    const x = g.input("float32", [8]);
    const sum = g.pointwise("add", x, x);
    const graph = g.graph(g.pointwise("exp", sum), g.reduce("sum", g.pointwise("exp", sum), [0]));
    const decisions = watched(graph, { fusion: "none" }).filter(({ kind }) => kind === "schedule");
    expect(decisions[0]).toMatchObject({ reason: "fusion is off", op: expect.any(String), measured: 1 });
  });

  it("do without a law, and without a fusion, when asked to", () => {
    const g = new Recording();
    const x = g.input("int32", [4]);
    const graph = g.graph(g.pointwise("neg", g.pointwise("neg", x)));
    const [rule] = watched(graph).filter((event) => event.kind === "rule");
    const kept = compile(graph, { without: { laws: [rule?.law ?? ""] } });
    expect(compile(graph).graph.nodes).toHaveLength(1);
    expect(kept.graph.nodes).toHaveLength(3);
    expect(kept.calls).toHaveLength(1);
    expect(compile(graph, { without: { laws: [rule?.law ?? ""], fusions: [1] } }).calls).toHaveLength(2);
  });
});

describe("verifyGraph", () => {
  const x = build.input("float32", [2, 3]);
  const sum = build.pointwise("add", [x, x]);
  const whole: Graph = { nodes: [x, sum], inputs: [[], [0, 0]], outputs: [1] };
  it("accepts what was recorded", () => expect(() => verifyGraph(whole)).not.toThrow());
  it.each<[string, Partial<Graph>, RegExp]>([
    ["an edge to what stands behind", { inputs: [[], [0, 1]] }, /reads %1, which does not stand before it/],
    ["an edge to nothing", { inputs: [[], [0, -1]] }, /reads %-1/],
    ["too few edges", { inputs: [[], [0]] }, /reads 1 nodes and describes 2/],
    ["nodes without edges", { inputs: [[]] }, /2 nodes with edges for 1/],
    ["a result that is no node", { outputs: [2] }, /result %2/],
    [
      "an edge to another dtype",
      { nodes: [build.input("int32", [2, 3]), sum] },
      /reads %0, int32, as float32/,
    ],
    [
      "an edge to another shape",
      { nodes: [build.input("float32", [3]), sum] },
      /reads %0, \[3\], as \[2, 3\]/,
    ],
  ])("refuses %s", (_, change, fault) => {
    const check = (): void => verifyGraph({ ...whole, ...change });
    expect(check).toThrow(InternalError);
    expect(check).toThrow(fault);
    expect(check).toThrow(/\nreturn %/);
  });
});

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function* itemsIn(block: Block): Generator<Item> {
  for (const item of block.items) {
    yield item;
    if (item.kind === "loop") yield* itemsIn(item.body);
  }
}

function itemOf<K extends Item["kind"]>(
  { kernels }: Schedule,
  kind: K,
  such: (item: Mutable<Extract<Item, { kind: K }>>) => boolean = () => true,
): Mutable<Extract<Item, { kind: K }>> {
  for (const { root } of kernels)
    for (const item of itemsIn(root)) {
      if (item.kind !== kind) continue;
      const found = item as Mutable<Extract<Item, { kind: K }>>;
      if (such(found)) return found;
    }
  throw new Error(`no ${kind}`);
}

describe("verifySchedule", () => {
  const made = (graph: Graph): Schedule => schedule(graph);
  it.each([
    ["rows scaled by their sum", scaled],
    ["a chain of kernels", chained],
  ])("accepts %s, before and after the layout", (_, record) => {
    const graph = record();
    const tree = made(graph);
    verifySchedule(graph, tree);
    for (const { root } of tree.kernels) mergeAxes(tree.table, root);
    verifySchedule(graph, tree);
    for (const { root } of tree.kernels) stripMine(tree.table, root);
    verifySchedule(graph, tree);
  });

  it.each<[string, (tree: Schedule) => void, RegExp]>([
    [
      "an item that stands twice",
      (tree) => {
        const { block } = itemOf(tree, "store");
        block.items.push(block.items[0] as Item);
      },
      /a \w+ stands twice/,
    ],
    [
      "an item in a block that is not its own",
      (tree) => {
        const store = itemOf(tree, "store");
        store.block.items = store.block.items.filter((item) => item !== store);
        (tree.kernels[0] as Kernel).root.items.push(store);
      },
      /a store stands outside of its block/,
    ],
    [
      "an item in front of what it needs",
      (tree) => itemOf(tree, "store").block.items.reverse(),
      /stands before the \w+ that it needs|scope/,
    ],
    [
      "a use of a value that is not defined",
      (tree) => {
        const { block } = itemOf(tree, "store");
        block.items = block.items.filter(
          (item) => item.kind !== "let" || item.definition.kind !== "pointwise",
        );
      },
      /is used outside of the scope of its definition/,
    ],
    [
      "a value without a place",
      (tree) => {
        itemOf(tree, "store").value.place = null;
      },
      /has no place/,
    ],
    [
      "a value of another dtype",
      (tree) => {
        itemOf(tree, "let", ({ definition }) => definition.kind === "pointwise").dtype = "int32";
      },
      /int32, is used as float32/,
    ],
    [
      "a load of another dtype",
      (tree) => {
        itemOf(tree, "let", ({ definition }) => definition.kind === "load").dtype = "int32";
      },
      /int32 loaded from float32/,
    ],
    [
      "an index along an axis of no loop",
      (tree) => {
        const store = itemOf(tree, "store");
        store.at = tree.table.of(tree.table.axis(7));
      },
      /axis x\d+ is not known here/,
    ],
    [
      "a store beyond its buffer",
      (tree) => {
        const store = itemOf(tree, "store");
        store.at = tree.table.shift(store.at, 1);
      },
      /of 1200 cells/,
    ],
    [
      "a fold that is read before its loop ends",
      (tree) => {
        const loop = itemOf(tree, "loop", ({ role }) => role === "reduce");
        const result = itemOf(tree, "let", ({ definition }) => definition.kind === "result");
        result.needs.clear();
        result.block.items = [result, ...result.block.items.filter((item) => item !== result)];
        expect(loop.block).toBe(result.block);
      },
      /is read before its loop ends/,
    ],
    [
      "a fold outside of its loop",
      (tree) => {
        const accumulate = itemOf(tree, "accumulate");
        const loop = { ...accumulate.reduction.loop };
        accumulate.reduction = { ...accumulate.reduction, loop };
      },
      /is folded outside of its loop/,
    ],
    [
      "a result that is never stored",
      (tree) => {
        const store = itemOf(tree, "store");
        store.block.items = store.block.items.filter((item) => item !== store);
      },
      /output %\d is never stored/,
    ],
    [
      "a buffer that is not said to be read",
      (tree) => (tree.kernels[0] as Kernel).reads.clear(),
      /is not said to be read/,
    ],
  ])("refuses %s", (_, plant, fault) => {
    const graph = scaled();
    const tree = made(graph);
    plant(tree);
    const check = (): void => verifySchedule(graph, tree);
    expect(check).toThrow(InternalError);
    expect(check).toThrow(fault);
    expect(check).toThrow(/\nkernel 0 \(/);
  });

  it("refuses kernels in an order in which a buffer is read before it is stored", () => {
    const graph = chained();
    const tree = made(graph);
    expect(tree.kernels.length).toBeGreaterThan(1);
    const check = (): void => verifySchedule(graph, { ...tree, kernels: [...tree.kernels].reverse() });
    expect(check).toThrow(/intermediate %\d is read before it is stored/);
  });
});

describe("verifyPlan", () => {
  const program = (): Program => compile(chained(), { donated: [0], verify: true });
  type Draft = { -readonly [K in keyof Program]: Program[K] };
  it.each<[string, (draft: Draft) => void, RegExp]>([
    [
      "calls in another order",
      (draft) => {
        draft.calls = [...draft.calls].reverse();
      },
      /reads \w+ \d before it is written/,
    ],
    [
      "a place that is none",
      (draft) => {
        const [first, ...rest] = draft.calls as [Program["calls"][number]];
        const buffers = first.buffers.map((source, slot) => (slot === 0 ? { ...source, index: 9 } : source));
        draft.calls = [{ ...first, buffers }, ...rest];
      },
      /b0 is \w+ 9, which is none/,
    ],
    [
      "too few sizes",
      (draft) => {
        draft.calls = draft.calls.map((call) => ({ ...call, sizes: call.sizes.slice(1) }));
      },
      /is bound to \d+ sizes/,
    ],
    [
      "a scalar that is none",
      (draft) => {
        draft.calls = draft.calls.map((call) => ({ ...call, scalars: call.scalars.map(() => 3) }));
      },
      /c0, float32, is undefined/,
    ],
    [
      "a donor that is no input",
      (draft) => {
        draft.donors = [4];
      },
      /input 4 is given up, and is none/,
    ],
    [
      "a result that is none",
      (draft) => {
        draft.results = [{ kind: "output", index: 5 }];
      },
      /a result is output 5/,
    ],
    [
      "a result that is never written",
      (draft) => {
        draft.calls = [];
      },
      /output 0 is never written/,
    ],
    [
      "memory of another dtype",
      (draft) => {
        draft.allocations = draft.allocations.map((array) => ({ ...array, dtype: "int8" }));
      },
      /b\d, \w+, is output 0, int8/,
    ],
  ])("refuses %s", (_, plant, fault) => {
    const draft: Draft = { ...program() };
    expect(() => verifyPlan(draft)).not.toThrow();
    plant(draft);
    expect(() => verifyPlan(draft)).toThrow(InternalError);
    expect(() => verifyPlan(draft)).toThrow(fault);
  });
});

it("compile with verify refuses a graph whose edges are not what its nodes describe", () => {
  const graph = scaled();
  const nodes = graph.nodes.map((node, k): Node => (k === 0 ? build.input("int32", [40, 30]) : node));
  expect(() => compile({ ...graph, nodes }, { verify: true })).toThrow(/reads %0, int32, as float32/);
});
