/**
 * Decides which values inside a program are kept: they become results too, though nobody has asked for them yet. Whether somebody will
 * compute a value again cannot be seen, since a tensor that is garbage looks like one in use. So there has to be evidence.
 * - A value was inside an earlier program and is inside this one: it is computed a second time. It is kept, and the earlier program learns
 *   to keep it the next time it runs. So a loop settles down after a few rounds.
 * - Something that was recorded, and is not computed here, reads the value. It may be garbage, so the value must be expensive.
 * - A tensor that is written in place holds the value, and it is in memory anyway, or it is small and made of what the tensor held before,
 *   in memory. It is a state that each round of a loop reads and replaces.
 * - A recording that grows from one computation to the next, in depth as a state or in breadth as a list, is never computed itself. While
 *   it is not large, it is kept, and the earlier programs learn to keep it.
 * A value is kept if storing an element is cheaper than computing it again. If not, the values that it is made of are considered.
 */
import { elementCosts, type Graph } from "@fuseau/compiler";
import { dtypes, elementCount, mix, type Node, sameNumbers } from "@fuseau/ir";
import { LruCache } from "../../cache/lru.ts";
import type { Value } from "../../value.ts";
import { isMovement } from "../places/writes.ts";
import { sayThatItGrows, watchForGrowth } from "./growth.ts";
import { clearLessons, type Known, knownOf, type Lesson, lessonsOf, teach, type Walk } from "./lessons.ts";
import { countSince, growthOf, isInside, sinceOf } from "./traced.ts";

/** Least cost of an element, in additions, for which a value that is computed again is stored. */
const AGAIN = 16;
/** The same for a value that may be computed again. If it is not, storing it has cost a few percent. */
const PERHAPS = 64;
/** The most bytes of such values that one program stores. */
const MOST_BYTES = 2 ** 26;
/** Least additions in all. Below, computing again is cheaper than the bookkeeping of a result. */
const LEAST_WORK = 4_096;
/** If a value costs only what inputs cost that have at most this part of its elements, those inputs are kept instead. */
const SMALL_PART = 1 / 16;
/** A recording that grows over so many computations is cut, whatever that costs. */
const LONGEST = 8;
/** At most so many bytes are few: a copy of them costs nothing. */
const FEW_BYTES = 2 ** 14;
/**
 * A recording that grows over so many computations is cut where it has at most so many bytes: a copy of them costs less than a new program
 * for each round. What was joined is another program in each round however long this goes on, so it is cut where it is larger too.
 */
const GROWN = 2;
const GROWN_BYTES = 2 ** 20;
/** The same for a recording that reads what was recorded over so many computations, as a list that each round of a loop adds to. */
const GATHERED = 4;

/** Positions that are considered for keeping. Those in `part` were computed before, though not all of it. */
type Seeds = {
  readonly again: number[];
  readonly part: number[];
  readonly perhaps: number[];
  readonly held: number[];
};

interface Plan {
  readonly keep: readonly number[];
  /** Positions that earlier programs are to keep from now on. */
  readonly teach: readonly number[];
}

const NONE: readonly number[] = [];
const plans = new LruCache<number, Plan>();
plans.setLimits(4_096, 2 ** 22);

/** Forgets all decisions, and what was learned for them. */
export function clearPlans(): void {
  plans.clear();
  clearLessons();
}

let computations = 0;

/** How many programs have run. */
export const computationCount = (): number => computations;

/** The positions of the values to keep, ascending. */
export function kept(walk: Walk, toGraph: () => Graph): readonly number[] {
  const { order, given } = walk;
  // What was kept on a perhaps is read: it was worth it.
  for (const { keptBy } of given) if (keptBy !== null) teach(keptBy, "again");
  const seeds = seedsOf(walk);
  const known = knownOf(walk);
  // Asked for in any case: what was learned of the topic is taken over.
  const learned = lessonsOf(known);
  if (seeds === null && learned === 0) return NONE;
  const { lesson, structure } = known;
  const isTraced = seeds !== null && seeds.again.length + seeds.part.length > 0;
  const growth = isTraced ? growthOf(order) : NONE;
  const length = growth.reduce((longest, each) => Math.max(longest, each), 0);
  const isGrown = length >= GROWN || (isTraced && (lesson.grown.size > 0 || countSince(order) >= GATHERED));
  const cut = length >= LONGEST ? "all" : isGrown ? "some" : "none";
  if (length >= LONGEST / 2) watchForGrowth();
  const growing = cut === "none" ? [] : [...growth.keys()].filter((k) => (growth[k] as number) >= GROWN);
  const key = keyOf(mix(structure, magnitudeOf(order)), seeds, lesson, cut, growing);
  let plan = plans.find(key);
  if (plan === undefined) {
    plan = planOf(walk, toGraph(), seeds, lesson, cut, growing);
    plans.add(key, plan, 64 + 8 * (plan.keep.length + plan.teach.length));
  }
  if (cut === "all") sayThatItGrows(order, length);
  for (const position of plan.teach) teachAs(order[position], "again");
  if (cut !== "none") teachRounds(order);
  // The plan may have been made where other values were asked for. Two programs of one hash are nearly impossible; if they occur, something else
  // is kept, which is correct too.
  const asked = new Set(walk.outputs);
  return plan.keep.filter((position) => isInside(order[position]) && !asked.has(position));
}

function seedsOf({ order, outputs }: Walk): Seeds | null {
  let seeds: Seeds | null = null;
  let wanted: Set<number> | null = null;
  for (let k = 0; k < order.length; k++) {
    const value = order[k] as Value;
    if (value.storage !== null || value.inputs.length === 0) continue;
    const isTraced = value.trace !== null;
    const isAgain = value.trace !== null && value.trace.spent >= 1;
    const isHeld = isState(value) || isFound(value);
    const isPerhaps = mayBeRead(value);
    if (!isTraced && !isHeld && !isPerhaps) continue;
    // A wanted value is stored anyway, so it matters only if an earlier program can learn from it.
    wanted ??= new Set(outputs);
    if (!isAgain && wanted.has(k)) continue;
    seeds ??= { again: [], part: [], perhaps: [], held: [] };
    if (isHeld) seeds.held.push(k);
    else if (isAgain) seeds.again.push(k);
    else {
      if (isTraced) seeds.part.push(k);
      if (isPerhaps) seeds.perhaps.push(k);
    }
  }
  return seeds;
}

/**
 * True if a tensor that is written in place holds the value, or held it and something uncomputed reads it, and if it also is in memory
 * anyway, or small and made of what the tensor held before, in memory.
 */
export function isState({ node, inputs, cells, wasHeld, isReplaced, uses, met }: Value): boolean {
  if (cells === 0 && !(wasHeld && uses > met)) return false;
  if (cells > 0 && !isReplaced && (node.op === "update" || node.op === "scatter")) return true;
  if (!isSmall(node)) return false;
  const isBefore = ({ node: { shape }, cells, wasHeld }: Value): boolean =>
    wasHeld && cells === 0 && sameNumbers(shape, node.shape);
  let before = inputs.find(isBefore);
  while (before?.storage === null) before = before.inputs.find(isBefore);
  return before !== undefined;
}

/** The most elements of places that are kept because a sort has found them. */
const FEW_FOUND = 64;
/** Through at most so many views of what it gives: looking through chains of them would take the square of their length. */
const MOST_MOVEMENTS = 4;

/**
 * True of few places that a sort found, and that a tensor stands for: `topk` gives them beside the elements, which are computed here. Who
 * reads them later would sort again what was computed for that.
 */
export function isFound({ node, inputs, handles }: Value): boolean {
  if (handles === 0 || node.dtype !== "int64" || elementCount(node.shape) > FEW_FOUND) return false;
  let [source] = inputs;
  for (let step = 0; step < MOST_MOVEMENTS; step++) {
    if (source?.storage !== null || (source.node.op !== "slice" && source.node.op !== "reshape")) break;
    source = source.inputs[0] as Value;
  }
  return source?.storage === null && source.node.op === "argsort";
}

/**
 * True if something may read the value that is not computed here: a tensor that is written in place holds it, or something recorded reads
 * it. That a tensor stands for it, or views do, tells nothing: a loop leaves both behind in each round. What a write has replaced may be
 * read by a clone made before it. A loop makes such a clone in each round too, and each is as large as the state, so only small ones count.
 */
export const mayBeRead = ({ node, cells, isWritten, uses, met, isReplaced }: Value): boolean =>
  ((isWritten && cells > 0) || uses > met) && (!isReplaced || isSmall(node));

const bytesOf = ({ shape, dtype }: Node): number => elementCount(shape) * dtypes[dtype].bytes;

const isSmall = (node: Node): boolean => bytesOf(node) <= FEW_BYTES;

/** True if a growing recording is cut at the node before it has grown for long. */
const isCut = (node: Node): boolean => bytesOf(node) <= (node.op === "concat" ? MOST_BYTES : GROWN_BYTES);

/** Where a growing recording is cut: nowhere, where it is not large, or everywhere. */
type Cut = "none" | "some" | "all";
const cuts: readonly Cut[] = ["none", "some", "all"];

/** Graphs of one structure keep the same while their elements are about as many: a loop over sizes decides once. */
function magnitudeOf(order: readonly Value[]): number {
  let elements = 1;
  for (const { node } of order) elements += elementCount(node.shape);
  return Math.floor(Math.log2(elements));
}

function keyOf(
  hash: number,
  seeds: Seeds | null,
  { again, grown }: Lesson,
  cut: Cut,
  growing: readonly number[],
): number {
  let key = mix(hash, cuts.indexOf(cut));
  const part = cut === "none" ? [] : (seeds?.part ?? []);
  for (const list of seeds === null ? [] : [seeds.again, part, seeds.perhaps, seeds.held, growing]) {
    key = mix(key, -1);
    for (const position of list) key = mix(key, position);
  }
  for (const learned of [again, grown]) {
    key = mix(key, -2);
    for (const position of learned) key = mix(key, position);
  }
  return key;
}

function planOf(
  { outputs }: Walk,
  graph: Graph,
  seeds: Seeds | null,
  lesson: Lesson,
  cut: Cut,
  growing: readonly number[],
): Plan {
  const { nodes, inputs } = graph;
  /** Costs if small inputs were in memory. Most programs have nothing to choose among, and a long recording has thousands of nodes. */
  let ownCosts: readonly number[] | null = null;
  const computed = sharesOf(graph);
  const wanted = new Set(outputs);
  const chosen = new Set<number>();
  /** Values of which this program computes a part, and an earlier one all. */
  const parts: number[] = [];
  const sizeOf = (position: number): number => elementCount((nodes[position] as Node).shape);
  const shareOf = (position: number): number => (computed === null ? 1 : (computed[position] as number));

  /** Chooses values to keep: of `from` and what lies beneath, the first on each path that are worth it. */
  const choose = (from: Iterable<number>, least: number, mostBytes: number, isAgain: boolean): void => {
    const seen = new Set<number>(from);
    let bytes = 0;
    for (const position of seen) {
      const own = inputs[position] as readonly number[];
      if (own.length === 0) continue;
      ownCosts ??= elementCosts(graph, SMALL_PART);
      const [cost, share] = [ownCosts[position] as number, shareOf(position)];
      const isExpensive = (each: number): boolean => each >= least && each * sizeOf(position) >= LEAST_WORK;
      const size = bytesOf(nodes[position] as Node);
      if (share >= 0.5 && isExpensive(cost) && bytes + size <= mostBytes) {
        chosen.add(position);
        bytes += size;
      } else if (isAgain && share < 0.5 && isExpensive(cost * share)) parts.push(position);
      else for (const input of own) seen.add(input);
    }
  };

  /** The last values of a recording: those that others read. */
  const frontOf = (recording: ReadonlySet<number>): number[] => {
    const isRead = new Set(wanted);
    nodes.forEach((_, reader) => {
      if (!recording.has(reader)) for (const input of inputs[reader] as readonly number[]) isRead.add(input);
    });
    return [...recording].filter((position) => isRead.has(position));
  };
  const shown = cut === "none" && lesson.grown.size === 0 ? null : shownOf(graph);
  const grows = new Set(growing);
  // What is in memory is read through its views, but a list of views that are joined grows.
  const isCutAt = (position: number): boolean =>
    isCut(nodes[position] as Node) && (shown?.[position] !== true || grows.has(position));
  const front = cut === "none" || seeds === null ? NONE : frontOf(new Set([...seeds.again, ...seeds.part]));
  const grown = cut === "all" ? front : front.filter(isCutAt);
  if (cut === "all") for (const position of grown) chosen.add(position);
  choose(frontOf(new Set(seeds?.again)), AGAIN, Number.POSITIVE_INFINITY, true);
  const taught = new Set(chosen);
  const isHere = (position: number): boolean => position < nodes.length;
  choose([...lesson.again].filter(isHere), AGAIN, Number.POSITIVE_INFINITY, false);
  choose(seeds?.perhaps ?? [], PERHAPS, MOST_BYTES, false);
  if (cut !== "all" && chosen.size > 0) dropEasy(chosen, graph, elementCosts(graph));
  const learned = [...lesson.grown].filter((position) => isHere(position) && isCutAt(position));
  for (const position of [...grown, ...learned, ...(seeds?.held ?? [])]) chosen.add(position);
  const ascending = [...chosen].sort((a, b) => a - b);
  return {
    keep: ascending.filter((position) => !wanted.has(position)),
    teach: [...ascending.filter((position) => taught.has(position)), ...parts],
  };
}

/** By position: true of views of what is in memory, unless they are joined. */
function shownOf({ nodes, inputs }: Graph): readonly boolean[] {
  const shown: boolean[] = [];
  nodes.forEach((node, position) => {
    const own = inputs[position] as readonly number[];
    shown.push(own.length === 0 ? node.op === "input" : isMovement(node) && own.every((k) => shown[k]));
  });
  // From the last reader on: what is joined, and what that is a view of.
  for (let position = nodes.length - 1; position >= 0; position--) {
    const node = nodes[position] as Node;
    const isJoined = node.op === "concat" || (isMovement(node) && shown[position] === false);
    if (isJoined) for (const input of inputs[position] as readonly number[]) shown[input] = false;
  }
  return shown;
}

/** Drops what is one cheap step from values that are kept or stored. */
function dropEasy(chosen: Set<number>, { nodes, inputs }: Graph, costs: readonly number[]): void {
  for (const position of [...chosen].sort((a, b) => a - b)) {
    const own = inputs[position] as readonly number[];
    if ((nodes[position] as Node).op !== "pointwise") continue;
    const isNear = (input: number): boolean => chosen.has(input) || (costs[input] as number) <= 1;
    const beneath = own.reduce((sum, input) => sum + (costs[input] as number), 0);
    if (own.every(isNear) && (costs[position] as number) - beneath < AGAIN) chosen.delete(position);
  }
}

/** How much of each node is computed for the results; null if all of every node is. */
function sharesOf({ nodes, inputs, outputs }: Graph): readonly number[] | null {
  if (!nodes.some(isPart)) return null;
  const share = nodes.map(() => 0);
  for (const output of outputs) share[output] = 1;
  for (let position = nodes.length - 1; position >= 0; position--) {
    const node = nodes[position] as Node;
    const own = share[position] as number;
    (inputs[position] as readonly number[]).forEach((input, k) => {
      const before = share[input] as number;
      const read = (own * elementCount(node.shape)) / Math.max(1, elementCount((nodes[input] as Node).shape));
      if (k === 0 && isPart(node)) share[input] = Math.min(1, before + read);
      else if (isWhole(node)) share[input] = own > 0 ? 1 : before;
      // If a row is repeated, any part of the result reads it.
      else share[input] = Math.max(before, node.op === "expand" ? Math.min(1, read) : own);
    });
    if (isWhole(node) && own > 0) share[position] = 1;
  }
  return share;
}

/** Ops that may read only a part of their input. */
const isPart = ({ op }: Node): boolean =>
  op === "slice" || op === "diagonal" || op === "asStrided" || op === "gather";

/** True if only a part may be read of a value that is computed. */
const readsPartOfInner = (order: readonly Value[]): boolean =>
  order.some(({ node, storage, inputs }) => storage === null && isPart(node) && isInside(inputs[0]));

/** Ops that are computed at all places even if only some are read. */
const isWhole = ({ op }: Node): boolean => op === "argsort" || op === "scatter" || op === "scan";

function teachAs(value: Value | undefined, what: "again" | "grown"): void {
  const trace = value?.trace ?? null;
  if (trace !== null) teach(trace, what);
}

/** Programs like those that first had the values inside which later rounds of a growing recording read will keep them. */
function teachRounds(order: readonly Value[]): void {
  for (const value of order) {
    if (!isInside(value)) continue;
    for (const input of value.inputs)
      if (isInside(input) && isCut(input.node) && sinceOf(input) !== sinceOf(value)) teachAs(input, "grown");
  }
}

/** After a run: notes that each value inside it that was not kept has been computed once. */
export function noteRun(walk: Walk, toGraph: () => Graph): void {
  if (walk.order.length === walk.outputs.length) computations++;
  else noteInside(walk.order, knownOf(walk), toGraph);
}

/** The same for a program that has its `Known` at hand. */
export function noteInside(order: readonly Value[], known: Known, toGraph: () => Graph): void {
  computations++;
  if (known.share === undefined) known.share = readsPartOfInner(order) ? sharesOf(toGraph()) : null;
  const { share, lesson, first } = known;
  for (let k = 0; k < order.length; k++) {
    const value = order[k] as Value;
    if (!isInside(value)) continue;
    const spent = share === null ? 1 : (share[k] ?? 1);
    const { trace } = value;
    if (trace !== null) {
      if (trace.spent < 1) value.trace = { lesson, position: k, spent: trace.spent + spent };
      continue;
    }
    let made = first[k];
    if (made === undefined) {
      made = { lesson, position: k, spent };
      first[k] = made;
    }
    value.trace = made;
    value.tracedSince = computations;
  }
}
