/** Walks a reduce loop in the accumulation order: blocks that are added to a total, and in them chunks of float32 that join two float64. */
import type { Local } from "../encode/function.ts";
import { keep, onward } from "../sites/keep.ts";
import { Site } from "../sites/site.ts";

/** The code of a fold where blocks and chunks begin and end. */
export interface OrderedFold {
  /** True when its blocks are added to a total. */
  readonly isBlocked: boolean;
  readonly accumulation: { readonly chunked: boolean };
  startTotal(site: Site): void;
  startBlock(site: Site): void;
  endBlock(site: Site): void;
  startChunk(site: Site): void;
  endChunk(site: Site): void;
}

/** The elements of a reduce loop; `at` is the current place. */
export interface Elements {
  readonly at: Local;
  advance(site: Site, end: Local): void;
}

/** Walks all elements, in blocks of `length`. A fold without a total takes them as one block. */
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

/** Walks the elements of a block, up to the place in a local. */
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

/** Walks `length` elements at a time, from the place in `at`: `write` advances it to the end of each stretch. */
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
