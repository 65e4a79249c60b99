/**
 * Which results overwrite a buffer that is not read afterwards. A kernel may overwrite what it reads when the iteration that overwrites
 * an element is the last to read it. A write through a window of such a buffer then needs no copy of the rest.
 */
import type { Axis } from "../indexing/index-expression.ts";
import { UNROLLED_ROW } from "./rows.ts";
import { type Buffer, type Item, type Kernel, type Let, link, type Store, type Value } from "./tree.ts";

/** The buffer that each result overwrites. */
type InPlace = ReadonlyMap<Buffer, Buffer>;

/** Kernels in the order of execution. `donated` are the inputs that the caller gives up once the first `safe` kernels have run. */
export function writeInPlace(
  kernels: readonly Kernel[],
  donated: ReadonlySet<Buffer>,
  safe: number,
): InPlace {
  const lastReader = new Map<Buffer, Kernel>();
  for (const kernel of kernels) for (const buffer of kernel.reads) lastReader.set(buffer, kernel);
  const pairs = new Map<Buffer, Buffer>();
  for (const [k, kernel] of kernels.entries()) {
    for (const dying of kernel.reads) {
      const isFree = dying.role === "intermediate" || (k >= safe && donated.has(dying));
      if (!isFree || lastReader.get(dying) !== kernel) continue;
      const result = kernel.writes.find(
        (buffer) => !pairs.has(buffer) && mayOverwrite(kernel, dying, buffer),
      );
      if (
        dying.role === "intermediate" &&
        kernel.stores.some((each) => each.buffer === result && isAmid(each))
      )
        continue;
      if (result === undefined) continue;
      pairs.set(result, dying);
      overwrite(kernel, dying, result);
    }
  }
  return pairs;
}

/**
 * True of a short row that ends amid a vector. Rows are in lanes there, and a vector that is loaded at the end of one has the beginning of
 * the next, which was just stored: the load waits for the store. In place, differences of rows of 5 took twice as long. Of short running
 * values too: columns of 4 lie in each other's vectors.
 */
function isAmid({ block: { loop } }: Store): boolean {
  if (loop === null || loop.axes.length > 1 || loop.block.loop === null) return false;
  const [{ extent }] = loop.axes as [Axis];
  return extent <= UNROLLED_ROW && (loop.role === "scan" || extent % 4 !== 0);
}

/**
 * Moves each kernel that could overwrite a donated buffer behind the last other reader of it, unless a kernel in between reads its
 * results: of `loss = w.sum()` and `w.add_(1)`, the loss is computed first. The first `safe` kernels stay first.
 */
export function writersLast(
  kernels: readonly Kernel[],
  donated: ReadonlySet<Buffer>,
  safe: number,
): readonly Kernel[] {
  const ordered = [...kernels];
  const readers = new Map<Buffer, number>();
  for (const { reads } of kernels)
    for (const buffer of reads.keys()) readers.set(buffer, (readers.get(buffer) ?? 0) + 1);
  for (const dying of donated) {
    if ((readers.get(dying) ?? 0) < 2) continue;
    const last = ordered.map(({ reads }) => reads.has(dying)).lastIndexOf(true);
    const writer = ordered.findIndex(
      (kernel, k) =>
        k >= safe &&
        k < last &&
        kernel.reads.has(dying) &&
        kernel.writes.some((buffer) => mayOverwrite(kernel, dying, buffer)),
    );
    if (writer < 0) continue;
    const { writes } = ordered[writer] as Kernel;
    const between = ordered.slice(writer + 1, last + 1);
    if (between.some(({ reads }) => writes.some((buffer) => reads.has(buffer)))) continue;
    ordered.splice(last, 0, ...ordered.splice(writer, 1));
  }
  return ordered;
}

/** Loads of the buffer other than those by the copy of a write's base. */
const loadsOf = (kernel: Kernel, buffer: Buffer, copy: Store | undefined): Let[] =>
  (kernel.loads.get(buffer) ?? []).filter((load) => copy === undefined || !isCopied(copy, load));

function isCopied({ value, at }: Store, load: Let): boolean {
  let read: Value = value;
  while (read.place?.kind === "same") read = read.place.as;
  if (read.place?.kind !== "let" || read.place.item !== load || read.users.length !== 1) return false;
  return load.definition.kind === "load" && load.definition.at === at;
}

function mayOverwrite(kernel: Kernel, dying: Buffer, result: Buffer): boolean {
  if (dying.dtype !== result.dtype || dying.cells !== result.cells) return false;
  const copy = kernel.copies.get(result)?.store;
  const isBase = copy !== undefined && (kernel.loads.get(dying) ?? []).some((load) => isCopied(copy, load));
  if (copy !== undefined && !isBase) return false;
  const [store, ...more] = kernel.stores
    .filter(({ buffer }) => buffer === result)
    .filter((one) => one !== copy);
  if (store === undefined || more.length > 0 || store.holds) return false;
  // What stands outside of loops may be recomputed in each phase, and would then read overwritten elements.
  if (store.block.loop === null) return false;
  const loads = loadsOf(kernel, dying, copy);
  // Where an index is read from data, several iterations may write to the same place.
  if (loads.length > 0 && store.at.indirect.length > 0) return false;
  return loads.every(
    ({ block, definition }) =>
      block === store.block && definition.kind === "load" && definition.at === store.at,
  );
}

function overwrite(kernel: Kernel, dying: Buffer, result: Buffer): void {
  const copy = kernel.copies.get(result);
  if (copy !== undefined) drop(kernel, copy.nest);
  const store = kernel.stores.find((one) => one.buffer === result && one !== copy?.store) as Store;
  for (const load of loadsOf(kernel, dying, copy?.store)) link(store, load);
}

/**
 * The updates that would be in place, if their kernels did not read elsewhere what they overwrite: in `x[1] = x[0] + 1` the sum is stored
 * first, and then no copy of the rest of x is made.
 */
export const blockedUpdates = (
  kernels: readonly Kernel[],
  isFree: (buffer: Buffer) => boolean,
): readonly number[] =>
  kernels.flatMap((kernel) =>
    kernel.writes
      .filter((result) => {
        const copy = kernel.copies.get(result)?.store;
        if (copy === undefined) return false;
        return [...kernel.reads].some((dying) => {
          if (!isFree(dying) || dying.dtype !== result.dtype || dying.cells !== result.cells) return false;
          const loads = loadsOf(kernel, dying, copy);
          const all = kernel.loads.get(dying) ?? [];
          return loads.length > 0 && loads.length < all.length && !mayOverwrite(kernel, dying, result);
        });
      })
      .map(({ node }) => node),
  );

/** Removes the nest that copies a base from the kernel. */
function drop(kernel: Kernel, nest: Item): void {
  kernel.root.items = kernel.root.items.filter((item) => item !== nest);
  for (const item of kernel.root.items) item.needs.delete(nest);
}
