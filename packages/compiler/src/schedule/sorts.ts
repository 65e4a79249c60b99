/**
 * Sorts. A kernel copies rows of keys into scratch, sorts them there and stores the order, the sorted keys, or both. Elements that are
 * gathered by their own argsort are the sorted keys, so they need no gather.
 */
import type { ArgsortNode, DType, Node } from "@fuseau/ir";
import { type Index, whole } from "../indexing/index-expression.ts";
import { addLet, addNest, addStore, inputsAt, nodeAt, offsetIn, type Sweep } from "./sweep.ts";
import { type Block, type Buffer, type Kernel, link, type Sort, type Store, type Value } from "./tree.ts";

/** The position of the argsort in gather(x, argsort(x)) along one axis; undefined for any other node. */
export function orderOfSorted(sweep: Sweep, position: number): number | undefined {
  const node = nodeAt(sweep, position);
  if (node.op !== "gather" || !sweep.fuse) return undefined;
  const [source, order] = inputsAt(sweep, position) as [number, number];
  const sort = nodeAt(sweep, order);
  const isOwn =
    sort.op === "argsort" &&
    sort.attributes.axis === node.attributes.axis &&
    inputsAt(sweep, order)[0] === source;
  return isOwn ? order : undefined;
}

/** Fills an empty kernel with the sort whose order is the node at `position`. */
export function fillSort(
  sweep: Sweep,
  position: number,
  kernel: Kernel,
  order: Buffer | null,
  sorted: Buffer | null,
): void {
  const first = firstPlaces(sweep, position, sorted);
  const { shape, inputs, attributes } = nodeAt(sweep, position) as ArgsortNode;
  const { axis, descending } = attributes;
  const length = shape[axis] as number;
  const row = (dtype: DType): Buffer => ({ role: "scratch", dtype, cells: length, node: position });
  const keys = row((inputs[0] as Node).dtype);
  const places = order === null ? null : row("int32");
  const { block, indexAt } = nestAround(sweep, kernel.root, shape, axis);

  const fill = addNest(sweep, block, [whole(length)]);
  const [place] = fill.index as [Index];
  const [source] = inputsAt(sweep, position) as [number];
  const key = addStore(sweep, kernel, fill.block, keys, place, indexAt(place), source);
  const sort: Sort = {
    kind: "sort",
    block,
    needs: new Set(),
    keys,
    order: places,
    sorted: sorted !== null,
    length,
    first,
    descending,
  };
  block.items.push(sort);
  link(sort, key);

  const drain = addNest(sweep, block, [whole(first)]);
  const [rank] = drain.index as [Index];
  const storeInto = (buffer: Buffer): Store => {
    const index = indexAt(rank);
    return addStore(sweep, kernel, drain.block, buffer, offsetIn(sweep, shape, index), index);
  };
  const load = (value: Value, buffer: Buffer): void => {
    const definition = { kind: "load", buffer, at: rank, guards: [] } as const;
    link(addLet(sweep, value, drain.block, definition, buffer.dtype), sort);
  };
  if (sorted !== null) load(storeInto(sorted).value, keys);
  if (order !== null && places !== null) {
    const { value } = storeInto(order);
    const read: Value = { kernel, node: position, index: [], guards: [], users: [], place: null };
    const args = [read];
    read.users.push(
      addLet(sweep, value, drain.block, { kind: "pointwise", fn: "cast", from: "int32", args }),
    );
    load(read, places);
  }
}

/** How many places of an order, counted from the front, are read. A top-k needs no order of the rest. */
function firstPlaces(sweep: Sweep, position: number, sorted: Buffer | null): number {
  const { shape, attributes } = nodeAt(sweep, position) as ArgsortNode;
  const length = shape[attributes.axis] as number;
  if (sorted !== null || sweep.wanted.has(position)) return length;
  const last = (sweep.values[position] as Value[]).map(({ index }) => (index[attributes.axis] as Index).high);
  return Math.min(length, Math.max(0, ...last) + 1);
}

/** A loop nest over every axis but one; gives the index, whose component along that axis is `along`. */
function nestAround(
  sweep: Sweep,
  root: Block,
  shape: readonly number[],
  axis: number,
): { block: Block; indexAt: (along: Index) => Index[] } {
  const others = shape.filter((_, k) => k !== axis);
  const nest = addNest(sweep, root, others.map(whole));
  const indexAt = (along: Index): Index[] => {
    const rest = [...nest.index];
    return shape.map((_, k) => (k === axis ? along : (rest.shift() as Index)));
  };
  return { block: nest.block, indexAt };
}
