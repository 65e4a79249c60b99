/** The order in which derivatives pass through recorded values. */
import type { Step } from "../tape/step.ts";
import type { Value } from "../value.ts";

/**
 * The values that a derivative passes through, inputs first: those on a path from a root to something wanted. If nothing is named, all
 * leaves and all values that retain their gradients are wanted. Iterative, since chains may be 100,000 long.
 */
export function orderOf(roots: readonly Value[], wants: ReadonlySet<Step | null> | null): Value[] {
  const order: Value[] = [];
  const seen = new Set<Value>();
  const leads = new Set<Value>();
  const stack: { readonly value: Value; readonly step: Step; next: number }[] = [];
  const enter = (value: Value): void => {
    if (value.step === null || seen.has(value)) return;
    seen.add(value);
    stack.push({ value, step: value.step, next: 0 });
  };
  for (const root of roots) {
    enter(root);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { value, step } = top;
      const input = step.inputs[top.next++];
      if (input !== undefined) {
        enter(input);
        continue;
      }
      stack.pop();
      const isFreed = step.isFreed && step.keepsValues;
      const isEnd = isFreed || (wants === null ? step.leaf !== null : wants.has(step));
      if (!isEnd && !step.inputs.some((from) => leads.has(from))) continue;
      leads.add(value);
      order.push(value);
    }
  }
  return order;
}

/** True when the roots also depend on something else than `sources` that derivatives flow to. */
export function isSharedWith(roots: readonly Value[], sources: readonly Value[]): boolean {
  const own = new Set(sources);
  const seen = new Set(roots);
  for (const value of seen) {
    const { step } = value;
    if (step === null) continue;
    if (step.inputs.length === 0 ? !own.has(value) : own.has(value)) return true;
    for (const input of step.inputs) seen.add(input);
  }
  return false;
}
