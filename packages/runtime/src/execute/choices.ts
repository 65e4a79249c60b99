/**
 * Finds what the host chooses anew each time: the place of a slice, pad or write (the action that it drew, the column that it found, where it
 * crops), and numbers that are added and multiplied (a cost or a reward of 0 or 1). Zeros, ones and equal places or numbers are part of a
 * program's identity (places.ts, scalars.ts), which helps where they are the same in each round. With some choices in one recording nearly
 * each recording would be another program. So what new programs come with is remembered for each form of slice and op. When it keeps
 * changing, every place and number of that form is bound when the program runs, whatever it is.
 */
import { elementCount, hashOperation, hashShape, mix, type Node, type PointwiseOp } from "@fuseau/ir";
import { LruCache } from "../cache/lru.ts";
import type { Value } from "../value.ts";
import { isScalar, isTelling } from "./scalars.ts";

/** With more new programs in which one form came with other choices, these are bound. */
const PROGRAMS = 4;

interface Form {
  /** Hashes of the choices of one form in one program. */
  readonly seen: Set<number>;
  isChosen: boolean;
}

const forms = new LruCache<number, Form>();
forms.setLimits(1_024, 2 ** 18);
/**
 * The same of forms in recordings that are alike but for where slices begin. Windows begin at several places in one program, as those of a
 * stencil do, and at others in the next program, so that only recordings alike tell that the host chooses.
 */
const windows = new LruCache<number, Set<number>>();
windows.setLimits(1_024, 2 ** 18);
const BYTES = 256;

/** How many forms were ever found. As long as there is none, nothing is looked up. */
let found = 0;

export function clearChoices(): void {
  forms.clear();
  windows.clear();
  found = 0;
}

/** True of slices, pads and updates whose place is a number of its own, also where it is 0. */
export const isChosen = (node: Node): boolean =>
  found > 0 && startsOfForm(node) !== undefined && forms.peek(formOf(node))?.isChosen === true;

/** Marks a constant that the host chooses, by the op that reads it. */
export function markChoice(constant: Value, { node }: Value): void {
  if (found > 0 && isArithmetic(node) && forms.peek(hashOperation(node))?.isChosen === true)
    constant.isChoice = true;
}

/** To be called when a recording was compiled, since it was no program that is known. */
export function noteChoices(order: readonly Value[]): void {
  const choices = new Map<number, number>();
  const moved = new Map<number, number>();
  const add = (all: Map<number, number>, form: number, choice: number): void => {
    all.set(form, mix(all.get(form) ?? 7, choice));
  };
  for (const { node, inputs, storage } of order) {
    if (storage !== null) continue;
    const isOne = isOneOfSome(node);
    for (const start of startsOfForm(node) ?? []) add(isOne ? choices : moved, formOf(node), start);
    if (!isArithmetic(node)) continue;
    for (const { node: operand } of inputs) {
      if (operand.op !== "constant") continue;
      add(choices, hashOperation(node), isTelling(operand) ? Number(operand.attributes.value) : 4);
    }
  }
  for (const [key, choice] of choices) {
    const form = formAt(key);
    if (!form.isChosen && isMany(form.seen, choice)) markChosen(form);
  }
  if (moved.size === 0) return;
  const alike = hashOfOthers(order);
  for (const [key, choice] of moved) {
    const form = formAt(key);
    if (form.isChosen) continue;
    const known = mix(key, alike);
    let seen = windows.find(known);
    if (seen === undefined) {
      seen = new Set();
      windows.add(known, seen, BYTES);
    }
    if (isMany(seen, choice)) markChosen(form);
  }
}

function formAt(key: number): Form {
  const known = forms.find(key);
  if (known !== undefined) return known;
  const form = { seen: new Set<number>(), isChosen: false };
  forms.add(key, form, BYTES);
  return form;
}

const isMany = (seen: Set<number>, choice: number): boolean => seen.add(choice).size > PROGRAMS;

function markChosen(form: Form): void {
  form.seen.clear();
  form.isChosen = true;
  found++;
}

/** A hash of all but where slices, pads and updates begin. */
function hashOfOthers(order: readonly Value[]): number {
  let hash = 31;
  for (const value of order) {
    const { node, inputs, storage } = value;
    const isPlain = storage !== null || isScalar(value);
    hash = mix(hash, isPlain ? hashShape(node) : hashOperation(node, startsOfForm(node) === undefined));
    if (storage === null) for (const { position } of inputs) hash = mix(hash, position);
  }
  return hash;
}

/** Ops that give the same bits whether a rule leaves out a 0, 1 or 2 or not. */
const arithmetic: ReadonlySet<PointwiseOp> = new Set<PointwiseOp>(["add", "sub", "mul"]);

const isArithmetic = (node: Node): boolean => node.op === "pointwise" && arithmetic.has(node.attributes.fn);

const formOf = (node: Node): number => mix(hashShape(node.inputs[0] as Node), hashOperation(node, false));

/** Where a slice, pad or update begins that could begin elsewhere; undefined of other nodes, of slices backwards and of pads around much. */
export function startsOfForm(node: Node): readonly number[] | undefined {
  switch (node.op) {
    case "slice":
      if (node.attributes.steps.some((step) => step <= 0)) return undefined;
      return hasRoom(node) ? node.attributes.starts : undefined;
    case "pad":
      return isOneOfSome(node) ? node.attributes.before : undefined;
    case "update":
      return hasRoom(node) ? [node.attributes.view.offset] : undefined;
    default:
      return undefined;
  }
}

const hasRoom = ({ op, shape, inputs }: Node): boolean => {
  const [own, other] = (op === "update" ? [inputs[1], inputs[0]] : [{ shape }, inputs[0]]) as [Node, Node];
  return elementCount(own.shape) < elementCount(other.shape);
};

/** True if the slice takes, or the pad puts, one place of several along some axis. */
const isOneOfSome = (node: Node): boolean =>
  (node.op === "slice" || node.op === "pad") && node.shape.some((_, axis) => isOneOfMany(node, axis));

function isOneOfMany(node: Node, axis: number): boolean {
  const [own, other] = [node.shape[axis] as number, (node.inputs[0] as Node).shape[axis] as number];
  return node.op === "pad" ? other === 1 && own > 1 : own === 1 && other > 1;
}

/** True if the slice or pad could begin elsewhere along the axis. */
export function couldMove(node: Node, axis: number): boolean {
  if (node.op === "pad") return isOneOfMany(node, axis);
  return (node.shape[axis] as number) < ((node.inputs[0] as Node).shape[axis] as number);
}
