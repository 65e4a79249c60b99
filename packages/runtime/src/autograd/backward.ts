/** The backward pass: walks from results to what they were made of, and records gradients. */
import { GradientError } from "../tape/errors.ts";
import { type Step, withRecording } from "../tape/step.ts";
import type { Value } from "../value.ts";
import { Joins } from "./alike.ts";
import { looksForAnomalies, refuseNaN, type Share } from "./anomaly.ts";
import { orderOf } from "./order.ts";
import { backwardOf } from "./rules/table.ts";
import { sumOfShares } from "./shares.ts";

export interface Pass {
  readonly op: string;
  /** The values where it begins, with the gradient of each. */
  readonly roots: readonly Value[];
  readonly gradients: readonly Value[];
  /** The values whose gradients are wanted, beside those on the way that retain theirs; null for all leaves too. */
  readonly wanted: readonly Value[] | null;
  /** True if the gradients can be differentiated again. */
  readonly createGraph: boolean;
  /** True if the same graph can be run backward again. */
  readonly retainGraph: boolean;
  /** False if hooks are not called. By default hooks see gradients, and may change them. */
  readonly withHooks?: boolean;
}

/** The wanted gradients by step, since a leaf has one step, whatever was written into it in the meantime. */
export function backward(pass: Pass): Map<Step, Value> {
  return withRecording(pass.createGraph, () => run(pass));
}

function run({ op, roots, gradients, wanted, retainGraph, withHooks = true }: Pass): Map<Step, Value> {
  const wants = wanted === null ? null : new Set(wanted.map(({ step }) => step));
  const order = orderOf(roots, wants);
  const leads = new Set(order);
  const pending = new Map<Value, Value[]>();
  const found = new Map<Step, Value[]>();
  const joins = new Joins();
  roots.forEach((root, k) => {
    addTo(pending, root, gradients[k] as Value);
  });
  const seen: Share[] | null = looksForAnomalies() ? [] : null;
  for (let k = order.length - 1; k >= 0; k--) {
    const value = order[k] as Value;
    const step = value.step as Step;
    const given = pending.get(value);
    pending.delete(value);
    if (given === undefined) continue;
    let gradient = sumOfShares(given, joins);
    for (const hook of withHooks ? (step.hooks ?? []) : []) gradient = hook(gradient);
    const isKept = wants === null ? step.leaf !== null : wants.has(step) || retains(step);
    if (isKept) addTo(found, step, gradient);
    const isWanted = step.inputs.map((input) => leads.has(input));
    if (step.isFreed && step.keepsValues) throw freed(op);
    if (!isWanted.includes(true)) continue;
    const shares = step.rule?.backward(gradient, isWanted) ?? backwardOf(step, value, gradient, isWanted);
    step.inputs.forEach((input, place) => {
      const share = shares[place] ?? null;
      if (share === null || isWanted[place] !== true) return;
      addTo(pending, input, share);
      seen?.push({ from: value, gradient: share });
    });
  }
  if (seen !== null) refuseNaN(order, seen);
  if (!retainGraph) for (const value of order) value.freeStep();
  return new Map([...found].map(([step, shares]) => [step, sumOfShares(shares, joins)]));
}

/** True of a value that is computed from others, and keeps its gradient. */
export const retains = ({ leaf }: Step): boolean => leaf?.isLeaf === false;

function addTo<Key>(shares: Map<Key, Value[]>, key: Key, gradient: Value): void {
  const known = shares.get(key);
  if (known === undefined) shares.set(key, [gradient]);
  else known.push(gradient);
}

const freed = (op: string): GradientError =>
  new GradientError(
    `${op}: Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify { retainGraph: true } if you need to backward through the graph a second time.`,
  );
