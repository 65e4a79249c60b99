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

/** By list of stand-ins: which values are known to be made of one, and how many stand-ins are among them. */
const known = new WeakMap<readonly Value[], { readonly made: WeakMap<Value, boolean>; count: number }>();

/**
 * True if a value is a stand-in or is made of one. What was found is remembered, since each write asks for it. To a list that was asked for,
 * stand-ins may be appended.
 */
export function isMadeOf(x: Value, standIns: readonly Value[]): boolean {
  let found = known.get(standIns);
  if (found === undefined) {
    found = { made: new WeakMap(), count: 0 };
    known.set(standIns, found);
  }
  const { made } = found;
  while (found.count < standIns.length) made.set(standIns[found.count++] as Value, true);
  const first = (standIns[0] as Value).serial;
  const stack: { readonly value: Value; next: number }[] = [{ value: x, next: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { value } = top;
    const input = value.serial < first ? undefined : value.inputs[top.next++];
    if (made.get(value) === undefined && input !== undefined) {
      if (made.get(input) === undefined) stack.push({ value: input, next: 0 });
      else if (made.get(input) === true) made.set(value, true);
      continue;
    }
    if (made.get(value) === undefined)
      made.set(
        value,
        value.inputs.some((from) => made.get(from) === true),
      );
    stack.pop();
  }
  return made.get(x) === true;
}
