/**
 * Axes that an operand has as several: the heads of an attention that were merged, a picture that was transposed and then flattened, patches
 * of one, a row that was broadcast and then flattened, pixels that were shuffled, rows that were gathered and then flattened. With a loop for
 * each part, no element needs a quotient or a remainder.
 */
import { type Index, plainAxis } from "../indexing/index-expression.ts";
import { broadcastIndex, isMovement, moveIndex } from "./movement.ts";
import { Search } from "./search.ts";
import { axesOf, factsAt, inputsAt, nodeAt, offsetIn, type Sweep } from "./sweep.ts";

/** Nodes searched beneath the one that a kernel is made for, so that the search stays linear. */
const LOOKAHEAD = 64;

/** By axis of a node's shape: the extents of its parts, the innermost last. */
export function partsBeneath(sweep: Sweep, first: number): readonly (readonly number[])[] {
  const { table } = sweep;
  const { shape } = nodeAt(sweep, first);
  if (!factsAt(sweep, first).isReshaped) return shape.map((size) => [size]);
  const axes = shape.map((size) => table.axis(size));
  const found = shape.map(() => new Set<number>());
  const note = (index: Index): void => {
    for (const { atom } of index.terms) {
      if (atom.kind !== "div" && atom.kind !== "mod") continue;
      const axis = axes.indexOf(plainAxis(atom.of)!);
      if (axis >= 0) found[axis]!.add(atom.by);
    }
  };
  const search = new Search(LOOKAHEAD);
  search.visit(
    first,
    axes.map((axis) => table.of(axis)),
  );
  for (const { node, index } of search.uses) {
    const known = nodeAt(sweep, node);
    const inputs = inputsAt(sweep, node);
    if (node !== first && sweep.unfused.has(node)) note(offsetIn(sweep, known.shape, index));
    else if (isMovement(known)) search.visit(inputs[0] as number, moveIndex(table, known, index));
    else if (known.op === "pointwise")
      known.inputs.forEach((input, k) => {
        search.visit(inputs[k] as number, broadcastIndex(table, input.shape, index));
      });
    else if (known.op === "gather") {
      const [source, looked] = inputs as [number, number];
      const { axis } = known.attributes;
      const atom = table.indirect(nodeAt(sweep, source).shape[axis] as number, [...axesOf(index, [])]);
      search.visit(looked, index);
      search.visit(
        source,
        index.map((part, k) => (k === axis ? table.of(atom) : part)),
      );
    } else note(offsetIn(sweep, known.shape, index));
  }
  return found.map((divisors, axis) => partsOf(shape[axis] as number, divisors));
}

/** The most parts of an axis: each is a loop. */
const MOST_PARTS = 4;

/** The parts of an axis with these divisors; the whole if they do not divide each other. */
function partsOf(size: number, divisors: ReadonlySet<number>): readonly number[] {
  const bounds = [size, ...[...divisors].sort((a, b) => b - a), 1];
  const parts = bounds.slice(1).map((by, k) => (bounds[k] as number) / by);
  return parts.length <= MOST_PARTS && parts.every(Number.isInteger) ? parts : [size];
}
