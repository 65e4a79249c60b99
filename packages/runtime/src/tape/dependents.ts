import type { Value } from "../value.ts";

/** The values made of a stand-in, inputs first. Iterative, since chains may be 100,000 long. */
export function dependents(outputs: readonly Value[], standIns: ReadonlyMap<Value, Value>): Value[] {
  const order: Value[] = [];
  // What was recorded before all stand-ins is made of none.
  let first = Infinity;
  for (const { serial } of standIns.keys()) first = Math.min(first, serial);
  const depends = new Set<Value>(standIns.keys());
  const seen = new Set<Value>();
  const stack: { readonly value: Value; next: number }[] = [];
  for (const output of outputs) {
    if (!seen.has(output)) stack.push({ value: output, next: 0 });
    seen.add(output);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { inputs } = top.value;
      const input = inputs[top.next++];
      if (input !== undefined) {
        if (!seen.has(input) && input.serial > first) stack.push({ value: input, next: 0 });
        seen.add(input);
        continue;
      }
      stack.pop();
      if (depends.has(top.value) || !inputs.some((from) => depends.has(from))) continue;
      depends.add(top.value);
      order.push(top.value);
    }
  }
  return order;
}

/** True if a value is a stand-in or is made of one. */
export const isMadeOf = (x: Value, standIns: readonly Value[]): boolean => {
  const own = new Map(standIns.map((standIn) => [standIn, standIn]));
  return own.has(x) || dependents([x], own).length > 0;
};
