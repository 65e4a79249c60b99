/**
 * The order of keys, by a merge sort of their places: stable, and NaN is the largest. The places are sorted as int32 in an
 * area of two halves, from one to the other and back, and stored as the float64 that the loop IR asks for.
 */
import { type DType, dtypes, isFloat, type SortStatement } from "@fuseau/ir";
import {
  add,
  assign,
  choose,
  define,
  type Expression,
  forEach,
  less,
  min,
  mul,
  push,
  sub,
  type Variable,
} from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import type { Operation } from "../encode/operations.ts";
import { evaluateInteger } from "../plan/evaluate.ts";
import type { Site } from "../sites/site.ts";

export function writeSort(site: Site, { keys, order, length, descending }: SortStatement): void {
  const { fn } = site;
  const { target, areas } = fn;
  const scratch = areas.add("int32", (sizes) => 2 * evaluateInteger(length, sizes));
  const count = site.integer(length);
  site.flush();
  target.get(fn.buffer(keys)).get(fn.buffer(order)).get(fn.buffer(scratch));
  site.get(count);
  target.call(sortFunction(target.module, areas.dtypeOf(keys), descending));
}

const PLACE_BYTES = 4;
const placeAt = (start: Expression, k: Expression): Expression => add(start, mul(k, PLACE_BYTES));
const loadPlace = (start: Expression, k: Expression): Expression => ({
  op: "i32.load",
  args: [placeAt(start, k)],
});

/** `(keys, order, scratch, length)`. */
function sortFunction(module: ModuleBuilder, dtype: DType, descending: boolean): FunctionIndex {
  const name = `sort_${dtype}${descending ? "_descending" : ""}`;
  return module.once(name, () => {
    const target = module.function(name, ["i32", "i32", "i32", "i32"]);
    const [keys, order, scratch, length] = [0, 1, 2, 3].map((local) => ({ local })) as [
      Variable,
      Variable,
      Variable,
      Variable,
    ];
    const from = define(target, scratch);
    const to = define(target, placeAt(scratch, length));
    forEach(target, 0, length, 1, (k) => {
      push(target, placeAt(from, k));
      push(target, k);
      target.op("i32.store");
    });
    const width = define(target, 1);
    target.block((sorted) => {
      target.loop((again) => {
        push(target, less(width, length));
        target.op("i32.eqz").brIf(sorted);
        mergePass(target, from, to, width, length, (right, left) =>
          before(keys, dtype, descending, right, left),
        );
        const swap = define(target, from);
        assign(target, from, to);
        assign(target, to, swap);
        assign(target, width, mul(width, 2));
        target.br(again);
      });
    });
    forEach(target, 0, length, 1, (k) => {
      push(target, add(order, mul(k, 8)));
      push(target, loadPlace(from, k));
      target.op("f64.convert_i32_u").op("f64.store");
    });
    return target.index;
  });
}

/** Merges each two neighbouring runs of `width` places; what is right of an equal stays right of it. */
function mergePass(
  target: FunctionBuilder,
  from: Variable,
  to: Variable,
  width: Variable,
  length: Variable,
  comesBefore: (right: Expression, left: Expression) => Expression,
): void {
  const start = define(target, 0);
  target.loop((again) => {
    const middle = define(target, min(add(start, width), length));
    const end = define(target, min(add(middle, width), length));
    const left = define(target, start);
    const right = define(target, middle);
    forEach(target, start, end, 1, (k) => {
      const [i, j] = [loadPlace(from, left), loadPlace(from, right)];
      const place = define(target, 0);
      const takeRight = (): void => {
        assign(target, place, j);
        assign(target, right, add(right, 1));
      };
      const takeLeft = (): void => {
        assign(target, place, i);
        assign(target, left, add(left, 1));
      };
      push(target, less(left, middle));
      target.ifElse(
        null,
        () => {
          push(target, less(right, end));
          target.ifElse(
            null,
            () => {
              push(target, comesBefore(j, i));
              target.ifElse(null, takeRight, takeLeft);
            },
            takeLeft,
          );
        },
        takeRight,
      );
      push(target, placeAt(to, k));
      push(target, place);
      target.op("i32.store");
    });
    assign(target, start, end);
    push(target, less(start, length));
    target.brIf(again);
  });
}

const keyLoads: Readonly<Record<DType, Operation>> = {
  bool: "i32.load8_u",
  uint8: "i32.load8_u",
  int8: "i32.load8_s",
  int16: "i32.load16_s",
  int32: "i32.load",
  int64: "i64.load",
  // What is sorted passes through scratch, where float16 is float32.
  float16: "f32.load",
  float32: "f32.load",
  float64: "f64.load",
};

/** Whether the key at one place must stand in front of that at another, which is in front of it now. */
function before(
  keys: Expression,
  dtype: DType,
  descending: boolean,
  right: Expression,
  left: Expression,
): Expression {
  const key = (place: Expression): Expression => ({
    op: keyLoads[dtype],
    args: [add(keys, mul(place, dtype === "float16" ? 4 : dtypes[dtype].bytes))],
  });
  const [r, l] = [key(right), key(left)];
  const type = dtype === "float64" ? "f64" : isFloat(dtype) ? "f32" : dtype === "int64" ? "i64" : "i32";
  const [smaller, larger] = descending ? [l, r] : [r, l];
  if (!isFloat(dtype)) return { op: `${type}.lt_s` as Operation, args: [smaller, larger] };
  const nan = (x: Expression): Expression => ({ op: `${type}.ne` as Operation, args: [x, x] });
  const beyond: Expression = { op: `${type}.lt` as Operation, args: [smaller, larger] };
  // Of the two, only that which is to come last is NaN.
  const lost: Expression = choose(nan(larger), sub(1, nan(smaller)), 0);
  return { op: "i32.or", args: [beyond, lost] };
}
