/**
 * A radix sort by some bits of the keys, from the lowest digit to the highest. Each pass counts the digits and moves the elements
 * behind those with smaller digits, in their order.
 */
import {
  add,
  type Expression,
  less,
  mul,
  quotient,
  sub,
  type Variable,
  wordAt,
} from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { countDigits, counterOf, eachElement, inCalls, WIDE_DIGIT } from "./digits.ts";
import type { Element } from "./element.ts";

/** Up to so many elements, shorter digits and one more pass are faster. */
export const MANY = 3_000;
const NARROW_DIGIT = 8;

/** radix(from, to, length, shift, high, counters) → the address of the elements sorted by the bits [shift, high): `from` or `to`. */
export function radix(module: ModuleBuilder, element: Element): FunctionIndex {
  return module.procedure(
    `radix_${element.name}`,
    "from to length shift high counters",
    (target, parameters) => {
      const { from, to, length, shift, high, counters } = parameters;
      const span = target.define(sub(high, shift));
      const longest = target.define(NARROW_DIGIT);
      target.when(less(MANY, length), () => target.assign(longest, WIDE_DIGIT));
      target.when(less(0, span), () => {
        const up = (value: Expression, by: Variable): Expression => quotient(sub(add(value, by), 1), by);
        const passes = target.define(up(span, longest));
        const width = target.define(up(span, passes));
        const mask = target.define(sub({ op: "i32.shl", args: [1, width] }, 1));
        const move = moveByDigit(module, element);
        target.repeat(() => {
          const end = target.define(add(from, mul(length, element.bytes)));
          const walk = { from, end, shift, mask };
          countDigits(target, module, element, walk, counters);
          target.call(countsToAddresses(module, element), [counters, mask, to]);
          inCalls(target, element, walk, (begin, stop) => {
            target.call(move, [begin, stop, counters, shift, mask]);
          });
          const swap = target.define(from);
          target.assign(from, to);
          target.assign(to, swap);
          target.advance(shift, width);
          return less(shift, high);
        });
      });
      target.push(from);
    },
    ["i32"],
  );
}

function moveByDigit(module: ModuleBuilder, element: Element): FunctionIndex {
  const parameters = "from end counters shift mask";
  return module.procedure(`move_${element.name}`, parameters, (target, step) => {
    const moved: Variable = { local: target.local(element.local) };
    eachElement(target, element, step, (at, digit) => {
      const counter = target.define(counterOf(step.counters, digit));
      target.assign(moved, { op: element.load, args: [at] });
      const to = target.define(wordAt(counter));
      target.store(element.store, to, moved).store("i32.store", counter, add(to, element.bytes));
    });
  });
}

/** Replaces each count by the address of the first element with that digit. */
function countsToAddresses(module: ModuleBuilder, { name, bytes }: Element): FunctionIndex {
  return module.procedure(`addresses_${name}`, "counters mask to", (target, variables) => {
    const { counters, mask, to } = variables;
    const last = target.define(counterOf(counters, mask));
    target.repeat(() => {
      const size = target.define(mul(wordAt(counters), bytes));
      target.store("i32.store", counters, to).advance(to, size).advance(counters, 4);
      return { op: "i32.le_u", args: [counters, last] };
    });
  });
}
