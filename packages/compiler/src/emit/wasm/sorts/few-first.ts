/**
 * Finds a few first elements of many without moving the others. Those found so far are in order, and an element that comes before the last
 * of them is put behind them; when their room is full, they are sorted and all but the first are dropped. Of n elements in a random order
 * about `first` · ln(n) are put there. If the order is such that many are, it gives up.
 */
import type { DType } from "@fuseau/ir";
import {
  add,
  choose,
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
import { elementOf, lanesOf } from "./element.ts";
import { FEW, insertion } from "./insertion.ts";
import { prepared } from "./prepared.ts";
import { keyBytes, keyOf, loadKeys, toElements } from "./to-elements.ts";

/** The most first elements: their room is that of an insertion sort. */
export const MOST_FIRST: number = FEW / 4;

/** The fewest elements, in all and for each of the first, for which it is quicker than moving all of them. */
export const FEWEST = 2048;
export const FEWEST_FOR_EACH = 768;

/** The most elements that are put into the room. Of a million in a random order, 16 first ones take about 150. */
const MOST_PUT: number = 4 * FEW;

/**
 * few_first(keys, length, first, to, record) → 1 if the first elements are at `to`, in order; 0 if it gave up. At least FEW keys of 32 bits,
 * of which at most MOST_FIRST are wanted.
 */
export function fewFirst(module: ModuleBuilder, dtype: DType, descending: boolean): FunctionIndex {
  const element = elementOf(dtype, true);
  const lanes = lanesOf(element);
  const name = `few_first_${dtype}${descending ? "_descending" : ""}`;
  const signature = "keys length first to record";
  return module.procedure(
    name,
    signature,
    (target, { keys, length, first, to, record }) => {
      const vector = (): Variable => ({ local: target.local("v128") });
      const [key, comes, bound] = [vector(), vector(), vector()];
      const kept = target.define(add(to, mul(first, element.bytes)));
      const full = target.define(add(to, (FEW - lanes) * element.bytes));
      const left = target.define(MOST_PUT);
      const next = target.define(add(to, FEW * element.bytes));
      const sortAll = (from: Expression): void => {
        target.call(insertion(module, element), [to, from, next]).drop().assign(next, kept);
        // The key is the high half of an element.
        target
          .push(wordAt(sub(kept, 4)))
          .op("i32x4.splat")
          .set(bound.local);
      };
      target.call(toElements(module, dtype, descending, true), [keys, FEW, to, record]);
      sortAll(add(to, element.bytes));

      const last = target.define(sub(length, lanes));
      const k = target.define(FEW);
      const [base, from] = [target.define(0), target.define(0)];
      const compare = prepared(target, [from], [key, comes, bound], (code, [source], [, , least]) => {
        const ordered = keyOf(code, dtype, descending, loadKeys(code, dtype, source!)).key;
        return [ordered, code.op("i32x4.lt_u", ordered, least!), least!];
      });
      target.repeat(() => {
        // The last vector ends with the last key, and overlaps the one before.
        target.assign(base, choose(less(last, k), last, k));
        target.assign(from, add(keys, mul(base, keyBytes(dtype))));
        compare();
        target.when({ op: "v128.any_true", args: [comes] }, () => {
          for (let lane = 0; lane < lanes; lane++) {
            const place = add(base, lane);
            target.get(comes.local).op("i32x4.extract_lane", lane);
            target.push(less(sub(k, 1), place)).op("i32.and");
            target.ifThen(() => {
              target.store("i32.store", next, place);
              target.get(next.local).get(key.local).op("i32x4.extract_lane", lane).op("i32.store", 4);
              target.advance(next, element.bytes);
            });
          }
          target.when({ op: "i32.gt_u", args: [next, full] }, () => {
            target.advance(left, mul(quotient(sub(next, kept), element.bytes), -1));
            target.when(less(left, 0), () => void target.i32(0).return());
            sortAll(kept);
          });
        });
        target.advance(k, lanes);
        return less(k, length);
      });
      sortAll(kept);
      target.i32(1);
    },
    ["i32"],
  );
}
