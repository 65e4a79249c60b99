/**
 * Leaves out most elements where few of the first are wanted: those whose highest digit is larger than that of the last one
 * wanted. The others keep their order.
 */
import {
  add,
  assign,
  choose,
  define,
  less,
  mul,
  procedure,
  push,
  quotient,
  sub,
} from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { countDigits, counterOf, eachElement, inCalls, WIDE_DIGIT } from "./digits.ts";
import type { Element } from "./element.ts";
import { differingBits } from "./record.ts";

/** select(from, to, length, first, record, counters) -> how many elements are at `to` now. It writes one more than it keeps. */
export function select(module: ModuleBuilder, element: Element): FunctionIndex {
  return procedure(
    module,
    `select_${element.name}`,
    "from to length first record counters",
    (target, parameters) => {
      const { from, to, length, first, record, counters } = parameters;
      const { high } = differingBits(target, element, record);
      const shift = define(target, choose(less(high, WIDE_DIGIT), 0, sub(high, WIDE_DIGIT)));
      const mask = define(target, (1 << WIDE_DIGIT) - 1);
      const end = define(target, add(from, mul(length, element.bytes)));
      const walk = { from, end, shift, mask };
      countDigits(target, module, element, walk, counters);
      const digit = define(target, -1);
      const before = define(target, 0);
      target.loop((again) => {
        assign(target, digit, add(digit, 1));
        assign(target, before, add(before, { op: "i32.load", args: [counterOf(counters, digit)] }));
        push(target, less(before, first));
        target.brIf(again);
      });
      const keep = keepUpTo(module, element);
      const start = define(target, to);
      inCalls(target, element, walk, (begin, stop) => {
        for (const argument of [begin, stop, digit, shift, mask, to]) push(target, argument);
        target.call(keep).set(to.local);
      });
      push(target, quotient(sub(to, start), element.bytes));
    },
    ["i32"],
  );
}

/** keep(from, end, last, shift, mask, to) -> the end of what was kept: elements whose digit is at most `last`. */
function keepUpTo(module: ModuleBuilder, element: Element): FunctionIndex {
  return procedure(
    module,
    `keep_${element.name}`,
    "from end last shift mask to",
    (target, parameters) => {
      const { from, end, last, shift, mask, to } = parameters;
      eachElement(target, element, { from, end, shift, mask }, (at, digit) => {
        push(target, to);
        push(target, { op: element.load, args: [at] });
        target.op(element.store);
        assign(target, to, add(to, mul({ op: "i32.le_u", args: [digit, last] }, element.bytes)));
      });
      push(target, to);
    },
    ["i32"],
  );
}
