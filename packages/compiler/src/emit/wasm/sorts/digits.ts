/** Digits of keys: a digit is the bits that `mask` selects after a shift by `shift`. */
import {
  add,
  below,
  choose,
  type Expression,
  mul,
  sub,
  type Variable,
  wordAt,
} from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import type { Element } from "./element.ts";

/** The most bits of a digit. */
export const WIDE_DIGIT = 11;

/** Bytes of the counters, one for each digit. */
export const COUNTER_BYTES: number = 4 << WIDE_DIGIT;

/** Elements that one call processes. While a call runs, engines cannot replace its code by optimised code, so calls are kept short. */
const CALL_ELEMENTS = 32_768;

/** The elements of a pass, and their digit. */
interface Walk {
  readonly from: Variable;
  readonly end: Variable;
  readonly shift: Variable;
  readonly mask: Variable;
}

/** Calls a function for all elements, CALL_ELEMENTS at a time. */
export function inCalls(
  target: FunctionBuilder,
  { bytes }: Element,
  { from, end }: Pick<Walk, "from" | "end">,
  call: (begin: Variable, stop: Variable) => void,
): void {
  const begin = target.define(from);
  target.repeat(() => {
    const isLast: Expression = { op: "i32.le_u", args: [sub(end, begin), CALL_ELEMENTS * bytes] };
    const stop = target.define(choose(isLast, end, add(begin, CALL_ELEMENTS * bytes)));
    call(begin, stop);
    target.assign(begin, stop);
    return below(begin, end);
  });
}

/** Runs `body` for each element, given its address and digit. There must be at least one element. */
export function eachElement(
  target: FunctionBuilder,
  { type, bytes, keyShift }: Element,
  { from, end, shift, mask }: Walk,
  body: (at: Variable, digit: Expression) => void,
): void {
  const distance: Variable = { local: target.local(type) };
  target.push(add(shift, keyShift));
  if (type === "i64") target.op("i64.extend_i32_u");
  target.set(distance.local);
  const at = target.define(from);
  target.repeat(() => {
    const word: Expression = { op: `${type}.load`, args: [at] };
    const shifted: Expression = { op: `${type}.shr_u`, args: [word, distance] };
    const low: Expression = type === "i64" ? { op: "i32.wrap_i64", args: [shifted] } : shifted;
    body(at, { op: "i32.and", args: [low, mask] });
    target.advance(at, bytes);
    return below(at, end);
  });
}

export const counterOf = (counters: Variable, digit: Expression): Expression => add(counters, mul(digit, 4));

/** Counts how often each digit occurs. */
export function countDigits(
  target: FunctionBuilder,
  module: ModuleBuilder,
  element: Element,
  walk: Walk,
  counters: Variable,
): void {
  target.clear(counters, mul(add(walk.mask, 1), 4));
  const parameters = "from end counters shift mask";
  const count = module.procedure(`count_${element.name}`, parameters, (counting, step) => {
    eachElement(counting, element, step, (_, digit) => {
      const counter = counting.define(counterOf(step.counters, digit));
      counting.store("i32.store", counter, add(wordAt(counter), 1));
    });
  });
  inCalls(target, element, walk, (begin, stop) => {
    target.call(count, [begin, stop, counters, walk.shift, walk.mask]);
  });
}
