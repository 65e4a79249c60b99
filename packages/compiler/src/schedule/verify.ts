/**
 * Checks that a schedule keeps the laws of tree.ts. Every item stands once, in its own block and after what it needs. A value is
 * used within the scope of its definition and at its dtype. An index mentions loops around it, and integers looked up before. A
 * fold accumulates within its loop and is read after it. A buffer is stored by one kernel before others load it.
 */
import { type DType, InternalError, type Node, pointwiseOps } from "@fuseau/ir";
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

/** Loops that are open at a place, and those that have ended before it. */
interface Scope {
  readonly axes: ReadonlySet<Axis>;
  readonly open: ReadonlySet<Loop>;
  readonly closed: Set<Loop>;
}

class KernelCheck {
  readonly stores = new Set<Buffer>();
  readonly #graph: Graph;
  readonly #kernel: Kernel;
  /** What earlier kernels have stored. */
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
    // A definition's scope is its block.
    for (const item of block.items) {
      if (item.kind === "let") this.#lets.delete(item);
      else if (item.kind === "lookup") this.#lookups.delete(item.atom);
    }
  }

  #item(item: Item, scope: Scope): void {
    switch (item.kind) {
      case "loop":
        this.#loop(item, scope);
        return;
      case "let":
        this.#definition(item, item.definition, scope);
        this.#lets.add(item);
        return;
      case "store": {
        const { buffer, at, value } = item;
        this.#need(buffer.role !== "input", `${showBuffer(buffer)} is stored to`);
        this.#index(at, scope);
        const isNeverDone = [...scope.axes].some(({ extent }) => extent === 0);
        const fits = (at.low >= 0 && at.high < buffer.cells) || isWide(at) || isNeverDone;
        if (!fits) this.#need(false, `a store at ${showIndex(at)} of ${buffer.cells} cells`);
        this.#value(value, buffer.dtype);
        this.stores.add(buffer);
        return;
      }
      case "accumulate": {
        const { reduction, values, cell, position } = item;
        this.#need(scope.open.has(reduction.loop), `%${reduction.node} is folded outside of its loop`);
        this.#index(cell, scope);
        this.#index(position, scope);
        for (const value of values) this.#value(value, reduction.from);
        return;
      }
      case "lookup":
        this.#index(item.place, scope);
        this.#value(item.value, item.dtype);
        this.#lookups.add(item.atom);
        return;
      case "sort": {
        const { keys, order } = item;
        const isStored = keys.role === "scratch" && this.stores.has(keys);
        this.#need(isStored, "keys are sorted before they are stored");
        this.#need(order === null || order.dtype === "int32", "an order is not of int32");
        if (order !== null) this.stores.add(order);
        return;
      }
      default:
        item satisfies never;
    }
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
    switch (definition.kind) {
      case "pointwise": {
        const { fn, from, args } = definition;
        const { arity, rule } = pointwiseOps[fn];
        this.#need(args.length === arity, `${fn} of ${args.length} operands`);
        for (const [k, arg] of args.entries()) this.#value(arg, rule === "select" && k === 0 ? "bool" : from);
        return;
      }
      case "load": {
        const { buffer, at, guards } = definition;
        const known = buffer.role === "input" || this.#stored.has(buffer) || this.stores.has(buffer);
        this.#need(known, `${showBuffer(buffer)} is read before it is stored`);
        this.#need(
          buffer.role === "scratch" || this.stores.has(buffer) || this.#kernel.reads.has(buffer),
          `${showBuffer(buffer)} is not said to be read`,
        );
        this.#need(buffer.dtype === dtype, `${dtype} loaded from ${buffer.dtype}`);
        this.#index(at, scope);
        this.#guards(guards, scope);
        return;
      }
      case "select":
        for (const { guards, value } of definition.cases) {
          this.#guards(guards, scope);
          this.#value(value, dtype);
        }
        this.#value(definition.otherwise, dtype);
        return;
      case "index":
        this.#index(definition.at, scope);
        return;
      case "result": {
        const { reduction, cell } = definition;
        const { loop } = reduction;
        const known = loop.role === "scan" ? scope.open.has(loop) : scope.closed.has(loop);
        this.#need(known, `the result of %${reduction.node} is read before its loop ends`);
        this.#need(reduction.to === dtype, `${dtype} as the result of a fold to ${reduction.to}`);
        this.#index(cell, scope);
        return;
      }
      default:
        definition satisfies never;
    }
  }

  #value(value: Value, dtype: DType): void {
    let own = value;
    for (;;) {
      this.#need(own.kernel === this.#kernel, `%${own.node} is used, which belongs to another kernel`);
      if (own.place?.kind !== "same") break;
      own = own.place.as;
    }
    const { node, place } = own;
    switch (place?.kind) {
      case undefined:
        this.#need(false, `%${node} is used and has no place`);
        return;
      case "let":
        this.#need(this.#lets.has(place.item), `%${node} is used outside of the scope of its definition`);
        this.#need(place.item.dtype === dtype, `%${node}, ${place.item.dtype}, is used as ${dtype}`);
        return;
      case "constant":
      case "scalar": {
        const own = (this.#graph.nodes[node] as Node).dtype;
        this.#need(own === dtype, `%${node}, ${own}, is used as ${dtype}`);
        return;
      }
      default:
        place satisfies never;
    }
  }

  #guards(guards: readonly Guard[], scope: Scope): void {
    for (const { at } of guards) this.#index(at, scope);
  }

  #index({ terms }: Index, scope: Scope): void {
    for (const { atom } of terms) {
      switch (atom.kind) {
        case "axis":
          this.#need(scope.axes.has(atom), `axis x${atom.id} is not known here`);
          break;
        case "div":
        case "mod":
          this.#index(atom.of, scope);
          break;
        case "indirect":
          this.#need(this.#lookups.has(atom), `integer i${atom.id} is not known here`);
          break;
        case "bound":
          break;
        default:
          atom satisfies never;
      }
    }
  }
}

/** The ranges of places within strips are those of the widest strip; numbers that are bound late have ranges of their own. */
const isWide = ({ axes, terms }: Index): boolean =>
  axes.some(({ strip }) => strip !== null) || terms.some(({ atom }) => atom.kind === "bound");
