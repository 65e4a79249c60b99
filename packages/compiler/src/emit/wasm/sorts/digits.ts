/** Digits of keys: some bits next to each other, those that `mask` keeps after a shift by `shift`. */
import {
  add,
  assign,
  callWith,
  choose,
  define,
  type Expression,
  mul,
  procedure,
  push,
  sub,
  type Variable,
} from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import type { Element } from "./element.ts";

/** The longest digit. */
export const WIDE_DIGIT = 11;

/** Bytes of counters, one for each digit. */
export const COUNTER_BYTES: number = 4 << WIDE_DIGIT;

/** Elements that one call works on: a call that runs on is never switched to better code. */
const CALL_ELEMENTS = 32_768;

/** Which elements are walked, and which of their digits is looked at. */
export interface Walk {
  readonly from: Variable;
  readonly end: Variable;
  readonly shift: Variable;
  readonly mask: Variable;
}

/** Calls something for all elements, a part of them at a time. */
export function inCalls(
  target: FunctionBuilder,
  { bytes }: Element,
  { from, end }: Pick<Walk, "from" | "end">,
  call: (begin: Variable, stop: Variable) => void,
): void {
  const begin = define(target, from);
  target.loop((again) => {
    const isLast: Expression = { op: "i32.le_u", args: [sub(end, begin), CALL_ELEMENTS * bytes] };
    const stop = define(target, choose(isLast, end, add(begin, CALL_ELEMENTS * bytes)));
    call(begin, stop);
    assign(target, begin, stop);
    push(target, { op: "i32.lt_u", args: [begin, end] });
    target.brIf(again);
  });
}

/** Runs `body` for each element, of which there is one at least, given its address and digit. */
export function eachElement(
  target: FunctionBuilder,
  { type, bytes, keyShift }: Element,
  { from, end, shift, mask }: Walk,
  body: (at: Variable, digit: Expression) => void,
): void {
  const distance: Variable = { local: target.local(type) };
  push(target, add(shift, keyShift));
  if (type === "i64") target.op("i64.extend_i32_u");
  target.set(distance.local);
  const at = define(target, from);
  target.loop((again) => {
    const word: Expression = { op: `${type}.load`, args: [at] };
    const shifted: Expression = { op: `${type}.shr_u`, args: [word, distance] };
    const low: Expression = type === "i64" ? { op: "i32.wrap_i64", args: [shifted] } : shifted;
    body(at, { op: "i32.and", args: [low, mask] });
    assign(target, at, add(at, bytes));
    push(target, { op: "i32.lt_u", args: [at, end] });
    target.brIf(again);
  });
}

export const counterOf = (counters: Variable, digit: Expression): Expression => add(counters, mul(digit, 4));

/** Fills the counters with how often each digit occurs. */
export function countDigits(
  target: FunctionBuilder,
  module: ModuleBuilder,
  element: Element,
  walk: Walk,
  counters: Variable,
): void {
  push(target, counters);
  target.i32(0);
  push(target, mul(add(walk.mask, 1), 4));
  target.op("memory.fill");
  const parameters = "from end counters shift mask";
  const count = procedure(module, `count_${element.name}`, parameters, (counting, step) => {
    eachElement(counting, element, step, (_, digit) => {
      const counter = define(counting, counterOf(step.counters, digit));
      push(counting, counter);
      push(counting, add({ op: "i32.load", args: [counter] }, 1));
      counting.op("i32.store");
    });
  });
  inCalls(target, element, walk, (begin, stop) => {
    callWith(target, count, [begin, stop, counters, walk.shift, walk.mask]);
  });
}
