/** The work of a phase, by which it is divided among threads, and how often its loops run. */
import {
  type Integer,
  integerOfSizes,
  type Loop,
  type LoopAxis,
  type Name,
  type OfSizes,
  pointwiseOps,
  type Statement,
} from "@fuseau/ir";
import { always, computed, itemsOf, productOf, sumOf } from "./of-sizes.ts";
import type { PlannedPhase } from "./phases.ts";
import { parallelNest } from "./work-items.ts";

/** The work of a sort for each key, in elements of other loops. */
const SORT_COST = 8;

/** The elements that a body works on; an element counts once for every four additions that it costs. */
export function workOf(body: readonly Statement[], known: Known): OfSizes {
  let cost = 0;
  const loops: OfSizes[] = [];
  const addLoop = (extents: readonly Integer[], inner: OfSizes): void => {
    const times = productOf(extents.map((extent) => extentOf(extent, known)));
    loops.push(productOf([times, inner]));
  };
  for (const statement of body) {
    switch (statement.kind) {
      case "let":
        cost += statement.value.kind === "pointwise" ? pointwiseOps[statement.value.fn].cost : 1;
        break;
      case "integer":
        known.set(statement.local, statement.value);
        break;
      case "for":
        addLoop([statement.axis.extent], workOf(statement.body, known));
        break;
      case "reduce": {
        const extents = statement.axes.map(({ extent }) => extent);
        addLoop(extents, workOf([...statement.row, ...statement.body], known));
        break;
      }
      case "sort":
        addLoop([statement.length], always(SORT_COST));
        break;
      default:
        cost++;
    }
  }
  return sumOf([always(cost / 4), ...loops]);
}

/** The values of the integers around a body. */
type Known = Map<number, Integer>;

const START: Integer = { kind: "literal", value: 0 };

/** An extent with every axis at its start: that of any strip but the last. */
function extentOf(extent: Integer, known: Known): OfSizes {
  const atStart = (name: Name): Integer =>
    (name.kind === "local" ? known.get(name.local) : undefined) ?? START;
  return integerOfSizes(extent, atStart);
}

/** An extent as a function of sizes; of strips, that of the widest. */
export type Extent = (extent: Integer) => OfSizes;

/** The values of the integers in front of a phase. */
export const knownIn = ({ before }: PlannedPhase): Known =>
  new Map(before.flatMap((each) => (each.kind === "integer" ? [[each.local, each.value]] : [])));

export function extentIn(planned: PlannedPhase): Extent {
  const known = knownIn(planned);
  return (extent) => extentOf(extent, known);
}

/** How often nested loops run. */
export const iterations = (axes: readonly LoopAxis[], extent: Extent): OfSizes =>
  productOf(axes.map((axis) => extent(axis.extent)));

export interface Phase {
  /** The slices of a phase may run in any order and on any thread, unless it is sequential: then it runs as a whole. */
  readonly sequential: boolean;
  readonly workItems: OfSizes;
  /** An estimate of the elements of a work item. */
  readonly work: OfSizes;
}

/** A phase that may be divided: a loop whose iterations are independent, or a fold by its blocks. */
export function isDivided([first]: readonly Statement[]): boolean {
  if (first?.kind === "for") return !first.ordered;
  return first?.kind === "reduce" && !first.scan && first.run?.kind === "vector";
}

const shareOf = (total: number, items: number): number => total / Math.max(1, items);

/** Iterations are work items, or blocks of `block` elements. */
export function phaseOf(planned: PlannedPhase, block: number): Phase {
  const { statements } = planned;
  const total = workOf(statements, knownIn(planned));
  if (!isDivided(statements)) return { sequential: true, workItems: always(1), work: total };
  const [loop] = statements as readonly [Loop];
  const extent = extentIn(planned);
  const axes = loop.kind === "reduce" ? loop.axes : (parallelNest(loop)?.axes ?? [loop.axis]);
  const times = iterations(axes, extent);
  const workItems: OfSizes = loop.kind === "reduce" ? itemsOf(times, block) : times;
  return { sequential: false, workItems, work: computed([total, workItems], shareOf) };
}
