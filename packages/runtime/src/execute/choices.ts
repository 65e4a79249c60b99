/**
 * Finds slices and pads whose place the host chooses anew each time: the action that it drew, the column that it found. Places of 0 and
 * equal places are part of a program's identity (places.ts), which helps where they are the same in each round. With some choices in one
 * recording nearly each recording would be another program. So the starts with which new programs come are remembered for each form of
 * slice. When they keep changing, every place of such slices is a number of its own.
 */
import { hashShape, mix, type Node, opCodes } from "@fuseau/ir";
import { LruCache } from "../cache/lru.ts";
import type { Value } from "../value.ts";

/** New programs in which slices of one form began differently, until their places are numbers. */
const PROGRAMS = 4;

interface Form {
  /** Hashes of the starts of all such slices in one program. */
  readonly seen: Set<number>;
  isChosen: boolean;
}

const forms = new LruCache<number, Form>();
forms.setLimits(1_024, 2 ** 18);
const BYTES = 256;

/** How many forms were found. While there is none, nothing is looked up. */
let found = 0;

export function clearChoices(): void {
  forms.clear();
  found = 0;
}

/** True of slices and pads whose place is a number of its own, also where it is 0. */
export const isChosen = (node: Node): boolean =>
  found > 0 && startsOfForm(node) !== undefined && forms.peek(formOf(node))?.isChosen === true;

/** To be called when a recording was compiled, since it was no program that is known. */
export function noteChoices(order: readonly Value[]): void {
  const starts = new Map<number, number>();
  for (const { node, storage } of order) {
    const own = storage === null ? startsOfForm(node) : undefined;
    if (own === undefined) continue;
    const form = formOf(node);
    let hash = starts.get(form) ?? 7;
    for (const start of own) hash = mix(hash, start);
    starts.set(form, hash);
  }
  for (const [key, hash] of starts) {
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
