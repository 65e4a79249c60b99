/** The surfaces for which a family might get a program of many sizes, and whether that pays. docs/late-sizes.md has the reasons. */
import { SHORT } from "../programs/costs.ts";
import type { Family } from "../programs/family.ts";
import { lineAmong, lineOfMost } from "../sizes/lines.ts";
import { planeAmong } from "../sizes/planes.ts";
import { isOn, pointOn, type Surface } from "../sizes/surfaces.ts";

/**
 * How many lists of sizes are remembered. Two of them and a new one make a line; three and a new one a parabola; eight a plane. There are
 * more of them, since places may be among the sizes that belong to no line, as where a loop takes one of four columns in turn.
 */
const SEEN = 16;
/** The same for so few sizes: where sizes are divided by strides, each remainder has a plane of its own. */
const SEEN_OF_FEW = 64;
const FEW = 512;

export const mostSeen = ({ length }: readonly number[]): number => (length <= FEW ? SEEN_OF_FEW : SEEN);

/**
 * The surfaces that the sizes are on, the best first, if programs for them pay: a known one, or those among lists seen before. A line is
 * found sooner than a plane. But where sizes are on many lines, each would take a program.
 */
export function surfacesWith(family: Family, sizes: readonly number[]): readonly Surface[] {
  const { sized, seen, refused } = family;
  if (!hasLostEnough(family)) return [];
  const known = sized.filter(({ surface }) => pointOn(surface, sizes) !== null);
  const good = known.find(({ surface, late }) => surface.places.length === 1 || late.length < BOXES);
  if (good !== undefined) return isWorthLearning(family, good.surface) ? [good.surface] : [];
  if (!isToLook(family)) return [];
  family.lookedAt = family.singles;
  family.lostThen = family.lost;
  // What was refused of a plane may be possible on a line in it, where fewer sizes change.
  const lines = refused.filter(({ places }) => places.length === 1);
  const line =
    known.length > 0
      ? lineOfMost(sizes, seen.slice(0, 2 * SEEN), lines)
      : lineAmong(sizes, seen.slice(0, SEEN), lines);
  const isMain = line !== null && sized.length === 0 && shareOn(family, line) >= 1 / 2;
  const cut = known.map(({ surface }) => surface);
  const plane = isMain ? null : planeAmong(sizes, seen, [...refused, ...cut], family.rooms);
  return [plane, line, ...cut].filter((one) => one !== null).filter((one) => isWorthLearning(family, one));
}

/** The graphs of a line take as many compilations as this part of a graph's nodes until a program of many sizes has paid. */
const NODES_PER_GRAPH = 16;
/**
 * Longer graphs run op by op when they are new. A program for many of their sizes is made when they have lost so many nanoseconds for each node: a
 * tenth of what making it takes, where V8 runs the compiler for the first times.
 */
const LOST_PER_NODE = 300_000;
/** So many compilations may be spent on a family's programs of many sizes, and so many more for each graph that was compiled singly. */
const SPENT_AT_ONCE = 32;
const SPENT_PER_GRAPH = 2;
/** As many times longer it takes for each more free size, but for as many as there are programs that too few lists were on. */
const PER_FREE = 3;

/**
 * True if most graphs of late are on the surface, as where one size changes; or if so many of all were, at this share, that a program of many
 * sizes pays. Where two sizes change independently of each other, few lie on one line. False where narrow boxes have cost more than they save.
 */
function isWorthLearning(family: Family, surface: Surface): boolean {
  const { recorded, singles, spent, sized } = family;
  if (spent > SPENT_AT_ONCE + SPENT_PER_GRAPH * singles) return false;
  const share = shareOn(family, surface);
  const free = surface.places.length;
  const longer = PER_FREE ** Math.max(0, free - 1 - sized.length);
  const { length } = recorded.nodes;
  if (length > SHORT) return hasLostEnough(family, share / longer);
  const enough = (length / NODES_PER_GRAPH) * longer;
  return (free === 1 && share >= 1 / 2) || share * singles >= enough;
}

/** Of a long graph: true if a program of many sizes pays that is of use for this share of what was lost. */
const hasLostEnough = ({ recorded: { nodes }, lost }: Family, share = 1): boolean =>
  nodes.length <= SHORT || share * lost >= nodes.length * LOST_PER_NODE;

/**
 * A surface is looked for with each of so many graphs, then less and less often: whenever so large a part of all has come since, or graphs that
 * came before have lost half as much again. To look takes as long as to put a short program together, and there may be none.
 */
const OFTEN = 16;
const isToLook = ({ singles, lookedAt, lost, lostThen }: Family): boolean =>
  singles <= OFTEN || (singles - lookedAt) * OFTEN >= singles || lost >= 1.5 * lostThen;

/**
 * Where the sizes that came are on both sides of where programs differ, as where a plane is cut along a diagonal, boxes are narrow. So when a
 * plane has so many, lines in it are looked for.
 */
const BOXES = 2;

/** How many of the lists seen of late, and a new one on it, are on the surface. */
function shareOn({ seen }: Family, surface: Surface): number {
  const latest = seen.slice(0, SEEN);
  return (1 + latest.filter((sizes) => isOn(surface, sizes)).length) / (1 + latest.length);
}
