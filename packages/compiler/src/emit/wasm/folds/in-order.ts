/** The accumulation order along a reduce loop: blocks that are added up, and in them chunks of float32 that join two float64. */
import type { Local } from "../encode/function.ts";
import { keep, onward } from "../sites/keep.ts";
import { Site } from "../sites/site.ts";

/** Code for what becomes of a fold where parts of the order begin and end. */
export interface OrderedFold {
  /** Whether its blocks are added to a total. */
  readonly isBlocked: boolean;
  readonly accumulation: { readonly chunked: boolean };
  startTotal(site: Site): void;
  startBlock(site: Site): void;
  endBlock(site: Site): void;
  startChunk(site: Site): void;
  endChunk(site: Site): void;
}

/** Elements from where a local stands to a place in another. */
export interface Elements {
  readonly at: Local;
  advance(site: Site, end: Local): void;
}

/** All elements; blocks have `length`. A fold without a total takes them as one block. */
export function walkBlocks(
  site: Site,
  folds: readonly OrderedFold[],
  elements: Elements,
  count: Local,
  length: number,
): void {
  const blocked = folds.filter(({ isBlocked }) => isBlocked);
  const others = folds.filter(({ isBlocked }) => !isBlocked);
  for (const fold of others) fold.startBlock(site);
  for (const fold of blocked) fold.startTotal(site);
  if (blocked.length === 0) walkChunks(site, folds, elements, count);
  else
    inStretches(site, elements.at, count, length, (inner, end) => {
      for (const fold of blocked) fold.startBlock(inner);
      walkChunks(inner, folds, elements, end);
      const behind = new Site(site.fn, site);
      for (const fold of blocked) fold.endBlock(behind);
    });
  for (const fold of others) fold.endBlock(site);
}

/** The elements of a block, up to the place in a local. */
function walkChunks(site: Site, folds: readonly OrderedFold[], elements: Elements, end: Local): void {
  const chunked = folds.filter(({ accumulation }) => accumulation.chunked);
  site.flush();
  if (chunked.length === 0) {
    elements.advance(site, end);
    return;
  }
  inStretches(site, elements.at, end, site.fn.kernel.order.chunk, (inner, chunk) => {
    for (const fold of chunked) fold.startChunk(inner);
    elements.advance(inner, chunk);
    const behind = new Site(site.fn, site);
    for (const fold of chunked) fold.endChunk(behind);
    behind.flush();
  });
}

/** So many elements at a time, from where a local stands: `write` walks on to the end of each stretch. */
function inStretches(
  block: Site,
  at: Local,
  end: Local,
  length: number,
  write: (site: Site, end: Local) => void,
): void {
  const { target } = block.fn;
  const stretch = target.local("i32");
  block.flush();
  target.whileBelow(at, end, () => {
    const site = new Site(block.fn, block);
    keep(site, stretch, onward(site, site.input(at, "i32"), length, site.input(end, "i32")));
    write(site, stretch);
  });
}
