/**
 * A radix sort of many elements. If keys differ in more bits than three digits have, they are sorted by the highest of these bits
 * first. Then most are in order, and insertion does the rest, unless many keys have equal high bits.
 */
import { add, less, mul, sub, type Variable } from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import { inCalls, WIDE_DIGIT } from "./digits.ts";
import type { Element } from "./element.ts";
import { insertion } from "./insertion.ts";
import { MANY, radix } from "./radix.ts";
import { differingBits } from "./record.ts";

/** So many bits distinguish most of some millions of keys. */
const TELLING_BITS = 3 * WIDE_DIGIT;

interface Runs {
  /** The elements' run, and another run of memory for as many. A sort may swap them. */
  readonly result: Variable;
  readonly spare: Variable;
  readonly count: Variable;
  readonly record: Variable;
  readonly counters: Variable;
}

export function sortMany(target: FunctionBuilder, element: Element, runs: Runs): void {
  const { low, high } = differingBits(target, element, runs.record);
  const sort = (from: Variable): void => byBits(target, element, runs, from, high);
  if (element.keyBits === 32) {
    sort(low);
    return;
  }
  const top = target.define(sub(high, TELLING_BITS));
  const inOrder = target.define(0);
  target.when({ op: "i32.and", args: [less(low, top), less(MANY, runs.count)] }, () => {
    sort(top);
    settle(target, element, runs, inOrder);
  });
  target
    .push(inOrder)
    .op("i32.eqz")
    .ifThen(() => sort(low));
}

function byBits(
  target: FunctionBuilder,
  element: Element,
  { result, spare, count, counters }: Runs,
  from: Variable,
  high: Variable,
): void {
  const both = target.define(add(result, spare));
  target.call(radix(target.module, element), [result, spare, count, from, high, counters]);
  target.set(result.local);
  target.assign(spare, sub(both, result));
}

/** Sorts elements that are near their places, by insertion; sets `inOrder` to 0 if that was given up. */
function settle(target: FunctionBuilder, element: Element, { result, count }: Runs, inOrder: Variable): void {
  const from = target.define(add(result, element.bytes));
  const end = target.define(add(result, mul(count, element.bytes)));
  target.assign(inOrder, 1);
  inCalls(target, element, { from, end }, (begin, stop) => {
    target.push(inOrder).ifThen(() => {
      target.call(insertion(target.module, element), [result, begin, stop]);
      target.set(inOrder.local);
    });
  });
}
