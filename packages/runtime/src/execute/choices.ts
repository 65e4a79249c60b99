/**
 * Finds what the host chooses anew each time: the place of a slice or pad (the action that it drew, the column that it found), and numbers
 * that are added and multiplied (a cost or a reward of 0 or 1). Zeros, ones and equal places or numbers are part of a program's identity
 * (places.ts, scalars.ts), which helps where they are the same in each round. With some choices in one recording nearly each recording would
 * be another program. So what new programs come with is remembered for each form of slice and op. When it keeps changing, every place and
 * number of that form is bound when the program runs, whatever it is.
 */
import { hashOperation, hashShape, mix, type Node, opCodes, type PointwiseOp } from "@fuseau/ir";
import { LruCache } from "../cache/lru.ts";
import type { Value } from "../value.ts";
import { isTelling } from "./scalars.ts";

/** With more new programs in which one form came with other choices, these are bound. */
const PROGRAMS = 4;

interface Form {
  /** Hashes of the choices of one form in one program. */
  readonly seen: Set<number>;
  isChosen: boolean;
}

const forms = new LruCache<number, Form>();
forms.setLimits(1_024, 2 ** 18);
const BYTES = 256;

/** How many forms were ever found. As long as there is none, nothing is looked up. */
let found = 0;

export function clearChoices(): void {
  forms.clear();
  found = 0;
}

/** True of slices and pads whose place is a number of its own, also where it is 0. */
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
  const add = (form: number, choice: number): void => {
    choices.set(form, mix(choices.get(form) ?? 7, choice));
  };
  for (const { node, inputs, storage } of order) {
    if (storage !== null) continue;
    for (const start of startsOfForm(node) ?? []) add(formOf(node), start);
    if (!isArithmetic(node)) continue;
    for (const { node: operand } of inputs) {
      if (operand.op !== "constant") continue;
      add(hashOperation(node), isTelling(operand) ? Number(operand.attributes.value) : 4);
    }
  }
  for (const [key, hash] of choices) {
    let form = forms.find(key);
    if (form === undefined) {
      form = { seen: new Set(), isChosen: false };
      forms.add(key, form, BYTES);
    }
    if (form.isChosen) continue;
    form.seen.add(hash);
    if (form.seen.size <= PROGRAMS) continue;
    form.seen.clear();
    form.isChosen = true;
    found++;
  }
}

/** Ops that give the same bits whether a rule leaves out a 0, 1 or 2 or not. */
const arithmetic: ReadonlySet<PointwiseOp> = new Set<PointwiseOp>(["add", "sub", "mul"]);

const isArithmetic = (node: Node): boolean => node.op === "pointwise" && arithmetic.has(node.attributes.fn);

const formOf = (node: Node): number =>
  mix(mix(hashShape(node), hashShape(node.inputs[0] as Node)), opCodes[node.op]);

/** Where a slice or pad with one place along some axis begins; undefined of other nodes, and of slices backwards. */
export function startsOfForm(node: Node): readonly number[] | undefined {
  if (node.op !== "slice" && node.op !== "pad") return undefined;
  if (node.op === "slice" && node.attributes.steps.some((step) => step <= 0)) return undefined;
  const starts = node.op === "slice" ? node.attributes.starts : node.attributes.before;
  for (let axis = 0; axis < starts.length; axis++) if (isOneOfMany(node, axis)) return starts;
  return undefined;
}

/** True if the slice takes, or the pad puts, one place of several along the axis. */
export function isOneOfMany(node: Node, axis: number): boolean {
  const [own, other] = [node.shape[axis] as number, (node.inputs[0] as Node).shape[axis] as number];
  return node.op === "pad" ? other === 1 && own > 1 : own === 1 && other > 1;
}
