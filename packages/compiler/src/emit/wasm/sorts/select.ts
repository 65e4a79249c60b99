/**
 * Removes most elements when only few of the first are wanted: those with a larger leading digit than the last wanted one. The
 * others keep their order.
 */
import { add, choose, less, mul, quotient, sub, wordAt } from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { countDigits, counterOf, eachElement, inCalls, WIDE_DIGIT } from "./digits.ts";
import type { Element } from "./element.ts";
import { differingBits } from "./record.ts";

/** select(from, to, length, first, record, counters) → the number of elements at `to`. It writes one element more than it keeps. */
export function select(module: ModuleBuilder, element: Element): FunctionIndex {
  return module.procedure(
    `select_${element.name}`,
    "from to length first record counters",
    (target, parameters) => {
      const { from, to, length, first, record, counters } = parameters;
      const { high } = differingBits(target, element, record);
      const shift = target.define(choose(less(high, WIDE_DIGIT), 0, sub(high, WIDE_DIGIT)));
      const mask = target.define((1 << WIDE_DIGIT) - 1);
      const end = target.define(add(from, mul(length, element.bytes)));
      const walk = { from, end, shift, mask };
      countDigits(target, module, element, walk, counters);
      const digit = target.define(-1);
      const before = target.define(0);
      target.repeat(() => {
        target.advance(digit, 1);
        target.advance(before, wordAt(counterOf(counters, digit)));
        return less(before, first);
      });
      const keep = keepUpTo(module, element);
      const start = target.define(to);
      inCalls(target, element, walk, (begin, stop) => {
        target.call(keep, [begin, stop, digit, shift, mask, to]).set(to.local);
      });
      target.push(quotient(sub(to, start), element.bytes));
    },
    ["i32"],
  );
}

/** keep(from, end, last, shift, mask, to) → the end of the kept elements: those whose digit is at most `last`. */
function keepUpTo(module: ModuleBuilder, element: Element): FunctionIndex {
  return module.procedure(
    `keep_${element.name}`,
    "from end last shift mask to",
    (target, parameters) => {
      const { from, end, last, shift, mask, to } = parameters;
      eachElement(target, element, { from, end, shift, mask }, (at, digit) => {
        target.store(element.store, to, { op: element.load, args: [at] });
        target.advance(to, mul({ op: "i32.le_u", args: [digit, last] }, element.bytes));
      });
      target.push(to);
    },
    ["i32"],
  );
}
