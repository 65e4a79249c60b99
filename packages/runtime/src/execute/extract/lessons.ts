/**
 * What is learned of programs as they run: which values inside them later programs needed too (`keep.ts` decides by it). It is learned by
 * structure, and by topic: programs that compute one expression, whatever of it was kept in memory before. A program whose inputs have become
 * other ones, since an earlier program keeps more, has another structure and the same topic. So it knows at once what was learned before.
 */
import { hashStructure, mix } from "@fuseau/ir";
import { LruCache } from "../../cache/lru.ts";
import type { Value } from "../../value.ts";
import { hashOfOrder, hashOfValue } from "./structure.ts";

/** For programs of one structure, whatever their sizes. Values are given by position. */
export interface Lesson {
  /** Later programs computed or read these again. They are kept if that is cheaper. */
  readonly again: Set<number>;
  /** A growing recording was cut there. They are kept while they are not large, so that the recording does not begin to grow. */
  readonly grown: Set<number>;
  /** By position: a hash of what the value is made of, down to values that nobody kept. */
  readonly expressions: readonly number[];
  readonly topic: Topic;
  /** The same with how often the expression occurs before; null until something is learned. */
  keys: readonly number[] | null;
  /** How much was known of the topic when the lesson was last compared with it. */
  seen: number;
}

/** What is learned, as expressions, of programs that compute one expression. */
type Topic = Readonly<Record<"again" | "grown", Set<number>>>;

/**
 * Evidence that a value was inside a program that ran. All values that were at one position of one program for the first time share it.
 */
export interface Trace {
  /** What programs like this one are to keep, and the value's position there. */
  readonly lesson: Lesson;
  readonly position: number;
  /** How much of the value has been computed so far; 1 means all of it, once. */
  readonly spent: number;
}

/** What is known of a program. */
export interface Known {
  /** The hash of its structure. */
  readonly structure: number;
  readonly lesson: Lesson;
  /** How much of each value is computed; null if all is. It is worked out when it is first needed. */
  share: readonly number[] | null | undefined;
  /** By position: the trace that values get which are computed for the first time. */
  readonly first: (Trace | undefined)[];
}

/** What is needed of a walk. */
export interface Walk {
  readonly order: readonly Value[];
  /** Those of them that are stored. */
  readonly given: readonly Value[];
  readonly outputs: readonly number[];
  /** The hash of what is recorded, without what is donated or kept. */
  readonly recorded: number;
}

/** By structure. */
const lessons = new LruCache<number, Lesson>();
/** By the expressions of what is computed. */
const topics = new LruCache<number, Topic>();
/** By the program's hash. */
const programs = new LruCache<number, Known>();
for (const cache of [lessons, topics, programs]) cache.setLimits(4_096, 2 ** 22);

/** Forgets everything that was learned. */
export function clearLessons(): void {
  for (const cache of [lessons, topics, programs]) cache.clear();
}

export function knownOf(walk: Walk): Known {
  const known = programs.peek(walk.recorded);
  if (known !== undefined) return known;
  const structure = hashOfOrder(walk.order);
  const lesson = lessons.find(structure) ?? newLesson(structure, walk);
  const found: Known = { structure, lesson, share: undefined, first: [] };
  programs.add(walk.recorded, found, 64 + 64 * walk.order.length);
  return found;
}

function newLesson(structure: number, { order, outputs }: Walk): Lesson {
  const expressions = expressionsOf(order);
  let key = 29;
  for (const position of outputs) key = mix(key, expressions[position] as number);
  let topic = topics.find(key);
  if (topic === undefined) {
    topic = { again: new Set(), grown: new Set() };
    topics.add(key, topic, 256);
  }
  const lesson: Lesson = { again: new Set(), grown: new Set(), expressions, topic, keys: null, seen: 0 };
  lessons.add(structure, lesson, 256 + 8 * order.length);
  return lesson;
}

const NUMBER = -2;

function expressionsOf(order: readonly Value[]): readonly number[] {
  const own = new Array<number>(order.length);
  for (let k = 0; k < order.length; k++) {
    const value = order[k] as Value;
    const { inputs, storage, node, keptBy } = value;
    if (storage !== null)
      own[k] = keptBy?.lesson.expressions[keptBy.position] ?? mix(-1, hashStructure(node));
    else {
      // Whether a number is a constant of the program or bound when it runs changes from round to round.
      let hash = node.op === "constant" || node.op === "scalar" ? NUMBER : hashOfValue(value);
      for (let i = 0; i < inputs.length; i++) hash = mix(hash, own[(inputs[i] as Value).position] as number);
      own[k] = hash;
    }
  }
  return own;
}

/** How much was learned, of its topic too. What is known only grows. */
export function lessonsOf({ lesson }: Known): number {
  compareWithTopic(lesson);
  return lesson.again.size + lesson.grown.size;
}

/** Adds what programs of the same topic have learned. */
function compareWithTopic(lesson: Lesson): void {
  const { topic } = lesson;
  const learned = topic.again.size + topic.grown.size;
  if (lesson.seen === learned) return;
  lesson.seen = learned;
  keysOf(lesson).forEach((key, position) => {
    if (topic.again.has(key)) lesson.again.add(position);
    if (topic.grown.has(key)) lesson.grown.add(position);
  });
}

/** Programs like the one that the trace is of will keep the value. */
export function teach({ lesson, position }: Trace, what: keyof Topic): void {
  if (lesson[what].has(position)) return;
  lesson[what].add(position);
  lesson.topic[what].add(keysOf(lesson)[position] as number);
}

function keysOf(lesson: Lesson): readonly number[] {
  if (lesson.keys !== null) return lesson.keys;
  const counts = new Map<number, number>();
  const keys = lesson.expressions.map((expression) => {
    const before = counts.get(expression) ?? 0;
    counts.set(expression, before + 1);
    return mix(expression, before);
  });
  lesson.keys = keys;
  return keys;
}

/**
 * To be called before a value gets its elements that was computed without being asked for. What a tensor that is written in place holds is a
 * state, new in each round of a loop: it is where expressions begin.
 */
export function noteKept(value: Value): void {
  value.isUnasked = true;
  if (!value.wasHeld) value.keptBy = value.trace;
}
