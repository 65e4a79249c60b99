/**
 * Sorts elements by some bits of their keys, a digit after another, the lowest first. Every pass counts how often each digit
 * occurs and moves the elements to where those of their digit are to be, in their order.
 */
import {
  add,
  assign,
  callWith,
  define,
  type Expression,
  less,
  mul,
  procedure,
  push,
  quotient,
  sub,
  type Variable,
  when,
} from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { countDigits, counterOf, eachElement, inCalls, WIDE_DIGIT } from "./digits.ts";
import type { Element } from "./element.ts";

/** Up to so many elements, counting the longest digits costs more than moving elements once more. */
export const MANY = 3_000;
const NARROW_DIGIT = 8;

/** radix(from, to, length, shift, high, counters) -> where they are in the order of the bits [shift, high): `from` or `to`. */
export function radix(module: ModuleBuilder, element: Element): FunctionIndex {
  return procedure(
    module,
    `radix_${element.name}`,
    "from to length shift high counters",
    (target, parameters) => {
      const { from, to, length, shift, high, counters } = parameters;
      const span = define(target, sub(high, shift));
      const longest = define(target, NARROW_DIGIT);
      when(target, less(MANY, length), () => assign(target, longest, WIDE_DIGIT));
      when(target, less(0, span), () => {
        const up = (value: Expression, by: Variable): Expression => quotient(sub(add(value, by), 1), by);
        const passes = define(target, up(span, longest));
        const width = define(target, up(span, passes));
        const mask = define(target, sub({ op: "i32.shl", args: [1, width] }, 1));
        const move = moveByDigit(module, element);
        target.loop((again) => {
          const end = define(target, add(from, mul(length, element.bytes)));
          const walk = { from, end, shift, mask };
          countDigits(target, module, element, walk, counters);
          callWith(target, countsToAddresses(module, element), [counters, mask, to]);
          inCalls(target, element, walk, (begin, stop) => {
            callWith(target, move, [begin, stop, counters, shift, mask]);
          });
          const swap = define(target, from);
          assign(target, from, to);
          assign(target, to, swap);
          assign(target, shift, add(shift, width));
          push(target, less(shift, high));
          target.brIf(again);
        });
      });
      push(target, from);
    },
    ["i32"],
  );
}

function moveByDigit(module: ModuleBuilder, element: Element): FunctionIndex {
  const parameters = "from end counters shift mask";
  return procedure(module, `move_${element.name}`, parameters, (target, step) => {
    const moved: Variable = { local: target.local(element.local) };
    eachElement(target, element, step, (at, digit) => {
      const counter = define(target, counterOf(step.counters, digit));
      push(target, at);
      target.op(element.load).set(moved.local);
      const to = define(target, { op: "i32.load", args: [counter] });
      push(target, to);
      push(target, moved);
      target.op(element.store);
      push(target, counter);
      push(target, add(to, element.bytes));
      target.op("i32.store");
    });
  });
}

/** Each count becomes the address of the first element of its digit. */
function countsToAddresses(module: ModuleBuilder, { name, bytes }: Element): FunctionIndex {
  return procedure(module, `addresses_${name}`, "counters mask to", (target, variables) => {
    const { counters, mask, to } = variables;
    const last = define(target, counterOf(counters, mask));
    target.loop((again) => {
      const size = define(target, mul({ op: "i32.load", args: [counters] }, bytes));
      push(target, counters);
      push(target, to);
      target.op("i32.store");
      assign(target, to, add(to, size));
      assign(target, counters, add(counters, 4));
      push(target, { op: "i32.le_u", args: [counters, last] });
      target.brIf(again);
    });
  });
}
