/**
 * Checks that a schedule keeps the laws of tree.ts. Every item stands once, in its own block and after what it needs. A value is
 * used within the scope of its definition and at its dtype. An index mentions loops around it, and integers looked up before. A
 * fold accumulates within its loop and is read after it. A buffer is stored by one kernel before others load it.
 */
import { type DType, InternalError, type Node, pointwiseOps } from "@fuseau/ir";
import { match } from "ts-pattern";
import { type Graph, storedAs } from "../graph.ts";
import type { Axis, Index, Indirect } from "../indexing/index-expression.ts";
import { printSchedule, showBuffer, showIndex } from "./print.ts";
import type { Block, Buffer, Definition, Guard, Item, Kernel, Let, Loop, Schedule, Value } from "./tree.ts";

/** @throws InternalError that prints the schedule. */
export function verifySchedule(graph: Graph, schedule: Schedule): void {
  const need = (holds: boolean, fault: string): void => {
    if (!holds) throw new InternalError(`schedule: ${fault}`, printSchedule(schedule));
  };
  const stored = new Set<Buffer>();
  for (const [k, kernel] of schedule.kernels.entries()) {
    const check = new KernelCheck(graph, kernel, stored, (holds, fault) =>
      need(holds, `kernel ${k}: ${fault}`),
    );
    check.block(kernel.root, { axes: new Set(), open: new Set(), closed: new Set() });
    for (const buffer of kernel.writes) {
      need(check.stores.has(buffer), `kernel ${k}: ${showBuffer(buffer)} is never stored`);
      need(!stored.has(buffer), `kernel ${k}: ${showBuffer(buffer)} is stored by several kernels`);
    }
    for (const buffer of check.stores)
      need(
        buffer.role === "scratch" || kernel.writes.includes(buffer),
        `kernel ${k}: ${showBuffer(buffer)} is not said to be written`,
      );
    for (const buffer of kernel.writes) stored.add(buffer);
  }
  for (const output of graph.outputs) {
    const node = storedAs(graph, output);
    const buffer = schedule.buffers.find((known) => known.node === node);
    need(buffer !== undefined, `result %${output} has no buffer`);
    if (buffer === undefined || buffer.cells === 0 || buffer.role === "input") continue;
    need(buffer.role === "output", `result %${output} is an ${buffer.role}`);
    need(stored.has(buffer), `result %${output} is never stored`);
  }
  for (const [over, under] of schedule.inPlace) {
    const fits = over.dtype === under.dtype && over.cells === under.cells;
    need(fits, `${showBuffer(over)} does not fit over ${showBuffer(under)}`);
    const free = under.role !== "input" || schedule.donated.has(under);
    need(free, `${showBuffer(over)} is written over ${showBuffer(under)}, which was not given up`);
  }
}

/** Loops that are open around a place, and those that have ended before it. */
interface Scope {
  readonly axes: ReadonlySet<Axis>;
  readonly open: ReadonlySet<Loop>;
  readonly closed: Set<Loop>;
}

class KernelCheck {
  readonly stores = new Set<Buffer>();
  readonly #graph: Graph;
  readonly #kernel: Kernel;
  /** What the kernels before it have stored. */
  readonly #stored: ReadonlySet<Buffer>;
  readonly #need: (holds: boolean, fault: string) => void;
  readonly #seen = new Set<Item>();
  /** Values and integers that are defined here. */
  readonly #lets = new Set<Let>();
  readonly #lookups = new Set<Indirect>();

  constructor(
    graph: Graph,
    kernel: Kernel,
    stored: ReadonlySet<Buffer>,
    need: (holds: boolean, fault: string) => void,
  ) {
    this.#graph = graph;
    this.#kernel = kernel;
    this.#stored = stored;
    this.#need = need;
  }

  block(block: Block, scope: Scope): void {
    const own = new Set(block.items);
    for (const item of block.items) {
      this.#need(!this.#seen.has(item), `a ${item.kind} stands twice`);
      this.#need(item.block === block, `a ${item.kind} stands outside of its block`);
      for (const needed of item.needs)
        this.#need(
          !own.has(needed) || this.#seen.has(needed),
          `a ${item.kind} stands before the ${needed.kind} that it needs`,
        );
      this.#item(item, scope);
      this.#seen.add(item);
    }
    // What is defined in a block is known to nobody outside of it.
    for (const item of block.items) {
      if (item.kind === "let") this.#lets.delete(item);
      else if (item.kind === "lookup") this.#lookups.delete(item.atom);
    }
  }

  #item(item: Item, scope: Scope): void {
    match(item)
      .with({ kind: "loop" }, (loop) => this.#loop(loop, scope))
      .with({ kind: "let" }, (own) => {
        this.#definition(own, own.definition, scope);
        this.#lets.add(own);
      })
      .with({ kind: "store" }, ({ buffer, at, value }) => {
        this.#need(buffer.role !== "input", `${showBuffer(buffer)} is stored to`);
        this.#index(at, scope);
        this.#need(
          (at.low >= 0 && at.high < buffer.cells) || hasStrips(at),
          `a store at ${showIndex(at)} of ${buffer.cells} cells`,
        );
        this.#value(value, buffer.dtype);
        this.stores.add(buffer);
      })
      .with({ kind: "accumulate" }, ({ reduction, values, cell, position }) => {
        this.#need(scope.open.has(reduction.loop), `%${reduction.node} is folded outside of its loop`);
        this.#index(cell, scope);
        this.#index(position, scope);
        for (const value of values) this.#value(value, reduction.from);
      })
      .with({ kind: "lookup" }, ({ atom, value, dtype, place }) => {
        this.#index(place, scope);
        this.#value(value, dtype);
        this.#lookups.add(atom);
      })
      .with({ kind: "sort" }, ({ keys, order }) => {
        this.#need(
          keys.role === "scratch" && this.stores.has(keys),
          "keys are sorted before they are stored",
        );
        this.#need(order === null || order.dtype === "int32", "an order is not of int32");
        if (order !== null) this.stores.add(order);
      })
      .exhaustive();
  }

  #loop(loop: Loop, scope: Scope): void {
    const { axes, role } = loop;
    this.#need(role === "parallel" ? axes.length === 1 : axes.length > 0, `a loop of ${axes.length} axes`);
    for (const axis of axes) {
      this.#need(!scope.axes.has(axis), `axis x${axis.id} is open already`);
      const { strip } = axis;
      this.#need(
        strip === null || strip.axis.extent <= 1 || scope.axes.has(strip.axis),
        `axis x${axis.id} is walked within strips of no loop`,
      );
    }
    const inside: Scope = {
      axes: new Set([...scope.axes, ...axes]),
      open: new Set([...scope.open, loop]),
      closed: new Set(scope.closed),
    };
    this.block(loop.body, inside);
    if (role === "reduce") scope.closed.add(loop);
  }

  #definition({ dtype }: Let, definition: Definition, scope: Scope): void {
    match(definition)
      .with({ kind: "pointwise" }, ({ fn, from, args }) => {
        const { arity, rule } = pointwiseOps[fn];
        this.#need(args.length === arity, `${fn} of ${args.length} operands`);
        for (const [k, arg] of args.entries()) this.#value(arg, rule === "select" && k === 0 ? "bool" : from);
      })
      .with({ kind: "load" }, ({ buffer, at, guards }) => {
        const known = buffer.role === "input" || this.#stored.has(buffer) || this.stores.has(buffer);
        this.#need(known, `${showBuffer(buffer)} is read before it is stored`);
        this.#need(
          buffer.role === "scratch" || this.stores.has(buffer) || this.#kernel.reads.has(buffer),
          `${showBuffer(buffer)} is not said to be read`,
        );
        this.#need(buffer.dtype === dtype, `${dtype} loaded from ${buffer.dtype}`);
        this.#index(at, scope);
        this.#guards(guards, scope);
      })
      .with({ kind: "select" }, ({ cases, otherwise }) => {
        for (const { guards, value } of cases) {
          this.#guards(guards, scope);
          this.#value(value, dtype);
        }
        this.#value(otherwise, dtype);
      })
      .with({ kind: "index" }, ({ at }) => this.#index(at, scope))
      .with({ kind: "result" }, ({ reduction, cell }) => {
        const { loop } = reduction;
        const known = loop.role === "scan" ? scope.open.has(loop) : scope.closed.has(loop);
        this.#need(known, `the result of %${reduction.node} is read before its loop ends`);
        this.#need(reduction.to === dtype, `${dtype} as the result of a fold to ${reduction.to}`);
        this.#index(cell, scope);
      })
      .exhaustive();
  }

  #value(value: Value, dtype: DType): void {
    const { node, place } = value;
    this.#need(value.kernel === this.#kernel, `%${node} is used, which belongs to another kernel`);
    match(place)
      .with(null, () => this.#need(false, `%${node} is used and has no place`))
      .with({ kind: "same" }, ({ as }) => this.#value(as, dtype))
      .with({ kind: "let" }, ({ item }) => {
        this.#need(this.#lets.has(item), `%${node} is used outside of the scope of its definition`);
        this.#need(item.dtype === dtype, `%${node}, ${item.dtype}, is used as ${dtype}`);
      })
      .with({ kind: "constant" }, { kind: "scalar" }, () => {
        const own = (this.#graph.nodes[node] as Node).dtype;
        this.#need(own === dtype, `%${node}, ${own}, is used as ${dtype}`);
      })
      .exhaustive();
  }

  #guards(guards: readonly Guard[], scope: Scope): void {
    for (const { at } of guards) this.#index(at, scope);
  }

  #index({ terms }: Index, scope: Scope): void {
    for (const { atom } of terms)
      match(atom)
        .with({ kind: "axis" }, (axis) =>
          this.#need(scope.axes.has(axis), `axis x${axis.id} is not known here`),
        )
        .with({ kind: "div" }, { kind: "mod" }, ({ of }) => this.#index(of, scope))
        .with({ kind: "indirect" }, (own) =>
          this.#need(this.#lookups.has(own), `integer i${own.id} is not known here`),
        )
        .with({ kind: "bound" }, () => {})
        .exhaustive();
  }
}

/** Ranges of places within strips speak of the widest. */
const hasStrips = ({ axes }: Index): boolean => axes.some(({ strip }) => strip !== null);
