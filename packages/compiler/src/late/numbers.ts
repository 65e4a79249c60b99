/**
 * A program as a structure and numbers. The structure has the kernels' texts, the bindings, and which buffers share an array. The numbers
 * are sizes, array lengths, and the shapes of the graph.
 */
import { elementCount, type Node, sameNumbers, sizesOf, withSizes } from "@fuseau/ir";
import { figuresOf } from "../plan/plan-memory.ts";
import type { KernelCall, Program } from "../plan/program.ts";
import { workOf } from "../schedule/facts.ts";
import { numbersAt, type Point, type Polynomials, through, throughProducts } from "./polynomials.ts";

/** Facts that only make a kernel faster. A program with late sizes keeps those that hold for all of them. */
const unaligned = (key: string): string => key.replaceAll(" aligned", "");

/** Equal for programs that differ only in numbers, in which loops are aligned, and in the reasons reported for decisions. */
export function structureOf(program: Program): string {
  const { graph, calls, allocations, results, arena, donors, conditions } = program;
  const show = (parts: readonly unknown[]): string => parts.map((part) => JSON.stringify(part)).join(";");
  return [
    ...calls.map(({ key, buffers, begins, strips, scalars, nodes }) =>
      show([
        unaligned(key),
        buffers,
        begins.map(({ slot, terms }) => [slot, terms.map(({ place }) => place)]),
        strips.map(({ slot }) => slot),
        scalars,
        nodes,
      ]),
    ),
    show(allocations.map(({ dtype, donor }) => [dtype, donor])),
    show(arena.map(({ dtype, held }) => [dtype, held.length])),
    show([results, donors, graph.outputs, graph.inputs, conditions?.map(([held]) => held)]),
    show(graph.nodes.map(structureOfNode)),
  ].join("\n");
}

function structureOfNode(node: Node): unknown {
  const { op, dtype, shape, attributes } = withSizes(node, () => 0, []);
  const value = op === "constant" ? String(attributes.value) : attributes;
  return [op, dtype, shape.length, value];
}

/** The numbers of a program, in a fixed order. Counts of strips follow from others, and are 0 here. */
export function numbersOf({ calls, allocations, arena }: Program): number[] {
  const numbers: number[] = [];
  for (const { sizes, begins, strips } of calls) {
    const counts = new Set(strips.map(({ slot }) => slot));
    sizes.forEach((size, slot) => {
      numbers.push(counts.has(slot) ? 0 : size);
    });
    for (const { terms } of begins) for (const { factor } of terms) numbers.push(factor);
    for (const { size, width } of strips) numbers.push(size, width);
  }
  for (const { cells } of allocations) numbers.push(cells);
  for (const { held } of arena) numbers.push(...held);
  return numbers;
}

/** The sizes of what is between kernels and within them, for the figures; running the program does not need them. */
export const cellsOf = ({ memory }: Program): number[] => memory.buffers.map(({ cells }) => cells);

/** The sizes in a program's graph; running the program does not need them. */
export function shapesOf({ graph }: Program): number[] {
  const numbers: number[] = [];
  for (const node of graph.nodes) sizesOf(node, numbers);
  return numbers;
}

/**
 * What is compared with limits though it is no size: how many elements each node has, and how many it folds, or multiplies; and the
 * differences that conditions compare with 0.
 */
export const countsOf = ({ graph, conditions = [] }: Program): number[] => [
  ...graph.nodes.flatMap((node) => {
    const count = elementCount(node.shape);
    const [first] = node.inputs;
    if (node.op === "reduce") return [count, count === 0 ? 0 : elementCount((first as Node).shape) / count];
    return node.op === "contract" ? [count, count * ((first as Node).shape.at(-1) as number)] : [count];
  }),
  ...conditions.flatMap(([, ...differences]) => differences),
];

/** What depends on the free sizes of a program. */
export interface Dependent {
  readonly numbers: Polynomials;
  readonly counts: Polynomials;
  readonly shapes: Polynomials;
  readonly cells: Polynomials;
  /** Null where it is none of degree 2, as in a product of three sizes: then it is found from the graph. */
  readonly work: Polynomials | null;
}

/** The dependent numbers, by the programs at the points of `samplesAround`. */
export function dependentOn(origin: Point, sampled: readonly Program[]): Dependent {
  const { graph } = sampled[0] as Program;
  const shapes = throughProducts(origin, sampled.map(shapesOf));
  const work = through(
    origin,
    sampled.map((program) => [program.work]),
  );
  const far = origin.map((size) => 2 * size);
  const isSame = isNear(workOf(graphWith(graph, numbersAt(shapes, far))), numbersAt(work, far)[0] as number);
  return {
    numbers: throughProducts(origin, sampled.map(numbersOf)),
    counts: throughProducts(origin, sampled.map(countsOf)),
    cells: throughProducts(origin, sampled.map(cellsOf)),
    shapes,
    work: isSame ? work : null,
  };
}

/** Work is a sum of floats. */
const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.abs(a);

/** The program at other sizes. */
export const programAt = (
  base: Program,
  calls: readonly KernelCall[],
  dependent: Dependent,
  point: Point,
): Program => new SizedProgram(base, calls, dependent, point);

/** Thousands are made, so it holds what is its own, and asks for the rest. The graph is made on first access. */
class SizedProgram implements Program {
  readonly calls: readonly KernelCall[];
  readonly allocations: Program["allocations"];
  readonly arena: Program["arena"];
  readonly #base: Program;
  readonly #dependent: Dependent;
  readonly #point: Point;
  #graph: Program["graph"] | null = null;
  #work: number | null = null;

  constructor(base: Program, calls: readonly KernelCall[], dependent: Dependent, point: Point) {
    const numbers = numbersAt(dependent.numbers, point);
    let next = 0;
    const take = (): number => numbers[next++] as number;
    this.calls = calls.map((call) => {
      const sizes = numbers.slice(next, next + call.sizes.length);
      next += sizes.length;
      return boundTo(call, sizes, take);
    });
    this.allocations = base.allocations.map(({ dtype, donor }) => ({ dtype, cells: take(), donor }));
    this.arena =
      base.arena.length === 0
        ? base.arena
        : base.arena.map((slot) => {
            const held = slot.held.map(take);
            return { ...slot, held, cells: Math.max(...held) };
          });
    this.#base = base;
    this.#dependent = dependent;
    this.#point = point;
  }

  get results(): Program["results"] {
    return this.#base.results;
  }

  get donors(): Program["donors"] {
    return this.#base.donors;
  }

  get notFused(): Program["notFused"] {
    return this.#base.notFused;
  }

  get memory(): Program["memory"] {
    const cells = numbersAt(this.#dependent.cells, this.#point);
    const buffers = this.#base.memory.buffers.map((each, k) => ({ ...each, cells: cells[k] as number }));
    return figuresOf(buffers, this.arena);
  }

  get graph(): Program["graph"] {
    this.#graph ??= graphWith(this.#base.graph, numbersAt(this.#dependent.shapes, this.#point));
    return this.#graph;
  }

  get work(): number {
    const { work } = this.#dependent;
    this.#work ??= work === null ? workOf(this.graph) : (numbersAt(work, this.#point)[0] as number);
    return this.#work;
  }
}

/** The same object where the call is equal at all sizes, so that plans cached for it stay valid. */
function boundTo(call: KernelCall, sizes: number[], take: () => number): KernelCall {
  if (call.begins.length + call.strips.length === 0 && sameNumbers(sizes, call.sizes)) return call;
  const begins =
    call.begins.length === 0
      ? call.begins
      : call.begins.map(({ slot, terms }) => ({
          slot,
          terms: terms.map(({ place }) => ({ place, factor: take() })),
        }));
  const strips =
    call.strips.length === 0
      ? call.strips
      : call.strips.map(({ slot }) => ({ slot, size: take(), width: take() }));
  for (const { slot, size, width } of strips) sizes[slot] = Math.ceil(size / width);
  return { ...call, sizes, begins, strips };
}

function graphWith(graph: Program["graph"], sizes: readonly number[]): Program["graph"] {
  let next = 0;
  return { ...graph, nodes: nodesWith(graph, () => sizes[next++] as number) };
}

/**
 * The nodes of a graph with other sizes, in the order of `sizesOf`. `begins[k]` is false where the starts of node k are bound when it
 * runs.
 */
export function nodesWith(
  { nodes, inputs }: Pick<Program["graph"], "nodes" | "inputs">,
  take: () => number,
  begins: (position: number) => boolean = () => true,
): Node[] {
  const made: Node[] = [];
  nodes.forEach((node, position) => {
    const own = (inputs[position] as readonly number[]).map((input) => made[input] as Node);
    made.push(withSizes(node, take, own, begins(position)));
  });
  return made;
}
