/**
 * Finds what the host chooses anew each time: the place of a slice, pad or write (the action that it drew, the column that it found, where it
 * crops), and numbers that are calculated or compared with (a cost or a reward of 0 or 1, a label). Zeros, ones and equal places or numbers are part of a
 * program's identity (places.ts, scalars.ts), which helps where they are the same in each round. With some choices in one recording nearly
 * each recording would be another program. So what new programs come with is remembered for each form of slice and op. When it keeps
 * changing, every place and number of that form is bound when the program runs, whatever it is.
 */
import {
  elementCount,
  hashOperation,
  hashShape,
  hashStructure,
  mix,
  type Node,
  type PointwiseOp,
} from "@fuseau/ir";
import { LruCache } from "../../cache/lru.ts";
import type { Value } from "../../value.ts";
import type { Part } from "../../window/part.ts";
import { isTelling, type Lifted } from "./scalars.ts";

/** With more new programs in which one form came at other places, or with other numbers, these are bound. */
const [PLACES, NUMBERS] = [4, 2];

/** The forms whose choices are bound. */
const chosen = new LruCache<number, true>();
chosen.setLimits(1_024, 2 ** 16);
/**
 * Hashes of the choices of one form in one program, by the form, or by the form and all that is no choice. Windows begin at several places in one
 * program, as those of a stencil do, and at others in the next program, so that only recordings that are else alike tell that the host chooses.
 */
const seen = new LruCache<number, Set<number>>();
seen.setLimits(4_096, 2 ** 20);
const [CHOSEN_BYTES, SEEN_BYTES] = [64, 256];

/** How many forms were ever found. As long as there is none, nothing is looked up. */
let found = 0;

export function clearChoices(): void {
  chosen.clear();
  seen.clear();
  found = 0;
}

/** True of slices, pads and updates whose place is a number of its own, also where it is 0. */
export const isChosen = (node: Node): boolean =>
  found > 0 && startsOfForm(node) !== undefined && chosen.find(formOf(node)) === true;

/** Marks a constant that the host chooses, by the op that reads it. */
export function markChoice(constant: Value, { node }: Value): void {
  if (found > 0 && mayBeChosen(constant, node) && chosen.find(hashOperation(node)) === true)
    constant.isChoice = true;
}

/** True of an operand that is a number which may be bound when the program runs, with the same bits. */
const mayBeChosen = ({ node }: Value, reader: Node): boolean =>
  node.op === "constant" &&
  reader.op === "pointwise" &&
  (exact.has(reader.attributes.fn) || !isTelling(node));

/** To be called when a recording is no program that is known. True if it is another recording now, since something in it is bound. */
export function noteChoices(order: readonly Value[]): boolean {
  const before = found;
  const [places, windows, pads] = [new Choices(), new Choices(), new Choices()];
  const [numbers, others] = [new Choices(), new Choices()];
  const firsts = new Map<unknown, number>();
  for (const { node, inputs, storage } of order) {
    if (storage !== null) continue;
    const starts = startsOfForm(node);
    if (starts !== undefined) {
      const alike = isOneOfSome(node) ? places : node.op === "pad" ? pads : windows;
      alike.add(formOf(node), 0, ...starts);
    }
    for (const input of inputs) {
      if (!mayBeChosen(input, node)) continue;
      const { value } = (input.node as Lifted).attributes;
      const kind = isTelling(input.node as Lifted) ? kindOf(Number(value)) : OTHER;
      if (!firsts.has(value)) firsts.set(value, firsts.size);
      if (isArithmetic(node)) numbers.add(hashOperation(node), kind);
      // Which numbers are equal is part of a program, too.
      others.add(hashOperation(node), kind, firsts.get(value) as number);
    }
  }
  for (const [form, choice] of places.hashes) note(form, form, choice, PLACES);
  // A number that comes by itself, as often as it may, is no choice.
  for (const [form, choice] of numbers.hashes) if (numbers.isMixed(form)) note(form, form, choice, PLACES);
  if (windows.hashes.size + others.hashes.size > 0) {
    const rest = hashOfRest(order, true);
    for (const [form, choice] of windows.hashes) note(form, mix(form, rest), choice, PLACES);
    for (const [form, choice] of others.hashes) note(form, mix(form, rest), choice, NUMBERS);
  }
  if (pads.hashes.size > 0) {
    // Of other widths, the sizes are others too.
    const rest = hashOfRest(order, false);
    for (const [form, choice] of pads.hashes) note(form, mix(form, rest), choice, PLACES);
  }
  if (found > 0)
    for (const forms of formsByView(order))
      if (forms.length <= MOST_OF_VIEW && forms.some(isKnown)) forms.forEach(choose);
  return found > before;
}

/** Of more forms, those of other loops would be forgotten. */
const MOST_OF_VIEW = 64;

/** What is read and written through one view, or views of it, is at one place: either all of it is bound, or nothing. */
function formsByView(order: readonly Value[]): Iterable<readonly number[]> {
  const forms = new Map<Part, number[]>();
  for (const { node, part, storage } of order) {
    if (storage !== null || part === null || startsOfForm(node) === undefined) continue;
    const all = outermost(part);
    const known = forms.get(all);
    if (known === undefined) forms.set(all, [formOf(node)]);
    else known.push(formOf(node));
  }
  return forms.values();
}

function outermost(part: Part): Part {
  let all = part;
  while (all.within !== null) all = all.within;
  return all;
}

/** Stands for all numbers that are not telling. Those are halves, or not finite. */
const OTHER = 1_000;

const kindOf = (telling: number): number =>
  Number.isFinite(telling) ? 2 * telling : telling > 0 ? 100 : -100;

/** What the forms of one program came with. */
class Choices {
  readonly hashes = new Map<number, number>();
  readonly #kinds = new Map<number, number>();
  readonly #mixed = new Set<number>();

  /** `kind` is what {@link isMixed} compares; `more` is part of the choice as well. */
  add(form: number, kind: number, ...more: readonly number[]): void {
    if ((this.#kinds.get(form) ?? kind) !== kind) this.#mixed.add(form);
    this.#kinds.set(form, kind);
    this.hashes.set(form, more.reduce(mix, mix(this.hashes.get(form) ?? 7, kind)));
  }

  /** True of a form with choices of different kinds. */
  isMixed(form: number): boolean {
    return this.#mixed.has(form);
  }
}

/** Notes a choice of a form; `among` is what it is compared with. More than `most` choices are the host's. */
function note(form: number, among: number, choice: number, most: number): void {
  if (isKnown(form)) return;
  let choices = seen.find(among);
  if (choices === undefined) {
    choices = new Set();
    seen.add(among, choices, SEEN_BYTES);
  }
  if (choices.add(choice).size <= most) return;
  choices.clear();
  choose(form);
}

const isKnown = (form: number): boolean => chosen.peek(form) === true;

function choose(form: number): void {
  if (isKnown(form)) return;
  chosen.add(form, true, CHOSEN_BYTES);
  found++;
}

/** A hash of all but where slices, pads and updates begin, and which numbers may be bound; with or without sizes. */
function hashOfRest(order: readonly Value[], isSized: boolean): number {
  const places: number[] = [];
  let [hash, count] = [31, 0];
  for (const { node, inputs, storage, position } of order) {
    if (storage === null && node.op === "constant") continue;
    places[position] = count++;
    const isPlain = storage !== null || node.op === "scalar";
    if (!isSized) hash = mix(hash, isPlain ? node.shape.length : hashStructure(node));
    else hash = mix(hash, isPlain ? hashShape(node) : hashOperation(node, startsOfForm(node) === undefined));
    if (storage !== null) continue;
    for (const input of inputs) {
      if (input.node.op !== "constant" || input.storage !== null)
        hash = mix(hash, places[input.position] as number);
      else hash = mix(hash, mayBeChosen(input, node) ? hashShape(input.node) : hashOperation(input.node));
    }
  }
  return hash;
}

/** Ops that give the same bits whether a rule leaves out a 0, 1 or 2 or not. */
const arithmetic: ReadonlySet<PointwiseOp> = new Set<PointwiseOp>(["add", "sub", "mul"]);

/** The same of ops whose result is exact: whatever is known of a number, it is what it is. */
const exact: ReadonlySet<PointwiseOp> = new Set<PointwiseOp>([
  ...arithmetic,
  "eq",
  "ne",
  "lt",
  "le",
  "gt",
  "ge",
  "minimum",
  "maximum",
]);

const isArithmetic = (node: Node): boolean => node.op === "pointwise" && arithmetic.has(node.attributes.fn);

/** A pad's form is that of all widths. */
const formOf = (node: Node): number =>
  mix(
    hashShape(node.inputs[0] as Node),
    node.op === "pad" ? hashStructure(node) : hashOperation(node, false),
  );

/** Where a slice, pad or update begins that could begin elsewhere; undefined of other nodes, and of slices backwards. */
export function startsOfForm(node: Node): readonly number[] | undefined {
  switch (node.op) {
    case "slice":
      if (node.attributes.steps.some((step) => step <= 0)) return undefined;
      return hasRoom(node) ? node.attributes.starts : undefined;
    case "pad":
      return hasRoom(node) ? node.attributes.before : undefined;
    case "asStrided":
      return hasRoom(node) ? [node.attributes.offset] : undefined;
    case "update":
      return hasRoom(node) ? [node.attributes.view.offset] : undefined;
    default:
      return undefined;
  }
}

function hasRoom({ op, shape, inputs }: Node): boolean {
  const [whole, part] = [elementCount((inputs[0] as Node).shape), elementCount(shape)];
  if (op === "pad") return whole < part;
  return (op === "update" ? elementCount((inputs[1] as Node).shape) : part) < whole;
}

/** True if the slice takes, or the pad puts, one place of several along some axis. */
const isOneOfSome = (node: Node): boolean =>
  (node.op === "slice" || node.op === "pad") && node.shape.some((_, axis) => isOneOfMany(node, axis));

function isOneOfMany(node: Node, axis: number): boolean {
  const [own, other] = [node.shape[axis] as number, (node.inputs[0] as Node).shape[axis] as number];
  return node.op === "pad" ? other === 1 && own > 1 : own === 1 && other > 1;
}

/** True if the slice or pad could begin elsewhere along the axis. */
export function couldMove(node: Node, axis: number): boolean {
  const [own, other] = [node.shape[axis] as number, (node.inputs[0] as Node).shape[axis] as number];
  return node.op === "pad" ? other < own : own < other;
}
