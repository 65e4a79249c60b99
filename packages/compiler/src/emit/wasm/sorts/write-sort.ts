/** A sort statement: insertion for few keys, a radix sort for more (docs/wasm.md). Equal keys keep their order, and NaN is the largest. */
import { integerOfSizes, isFloat, type SortStatement } from "@fuseau/ir";
import { always, scaled, sumOf } from "../../../tactics/of-sizes.ts";
import { add, and, equal, less, mul, roundDown, type Variable, type Words } from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import type { Site } from "../sites/site.ts";
import { COUNTER_BYTES } from "./digits.ts";
import { elementOf } from "./element.ts";
import { FEWEST, FEWEST_FOR_EACH, fewFirst, MOST_FIRST } from "./few-first.ts";
import { fromElements, type Wanted } from "./from-elements.ts";
import { FEW, insertion, keepFirst } from "./insertion.ts";
import { putAside, putBack } from "./lost-bits.ts";
import { record as parts, RECORD_BYTES } from "./record.ts";
import { select } from "./select.ts";
import { sortMany } from "./sort-many.ts";
import { toElements } from "./to-elements.ts";

/** Bytes behind the elements that may be overwritten. */
const SLACK_BYTES = 48;

/** From so many keys it is quicker to select by digits, where they come in such an order that each moves all of the first. */
const LONG = 512;

/** If at most one in so many of the places is wanted, most other elements are removed before the sort. */
const SELECTED_PART = 4;

export function writeSort(site: Site, statement: SortStatement): void {
  const { keys, order, sorted, length, first, descending } = statement;
  const { fn } = site;
  const { target, workspaces } = fn;
  const wanted = { dtype: workspaces.dtypeOf(keys), descending, sorted, places: order !== null };
  const { bytes } = elementOf(wanted.dtype, wanted.places);
  const slack = always(SLACK_BYTES / 2);
  const elements = workspaces.add("int32", sumOf([scaled(integerOfSizes(length), bytes / 2), slack]));
  const counters = workspaces.add("int32", always((RECORD_BYTES + COUNTER_BYTES) / 4));
  const counts = [length, first ?? length].map((count) => site.integer(count));
  site.flush();
  for (const slot of [keys, order ?? keys, elements, counters]) target.get(fn.buffer(slot));
  for (const count of counts) site.get(count);
  target.call(sortFunction(target.module, wanted));
}

const parameters = "keys order elements record length first";
type Parameters = Readonly<Record<Words<typeof parameters>, Variable>>;

/**
 * `elements` is memory for two runs of elements, and `record` a record with the counters behind it. `length` is the number of
 * keys, `first` that of wanted places.
 */
function sortFunction(module: ModuleBuilder, wanted: Wanted): FunctionIndex {
  const { dtype, descending, sorted, places } = wanted;
  const name = ["sort", dtype, ...(descending ? ["descending"] : []), ...(sorted ? ["sorted"] : [])];
  if (places) name.push("placed");
  return module.procedure(name.join("_"), parameters, (target, variables) => {
    const { keys, order, record, length, first } = variables;
    target.when(less(0, length), () => {
      const { result, spare } = sortElements(target, wanted, variables);
      const deliver = (count: Variable) =>
        target.call(fromElements(module, wanted), [result, count, keys, order]);
      if (!sorted) deliver(first);
      else if (!isFloat(dtype)) deliver(length);
      else {
        const lost: Variable = { local: target.local("i32") };
        target
          .push(record)
          .op("v128.load", parts.lost)
          .op("v128.any_true")
          .set(lost.local)
          .when(lost, () => target.call(putAside(module, dtype), [keys, length, spare, record]));
        deliver(length);
        target.when(lost, () =>
          target.call(putBack(module, dtype, descending), [keys, length, spare, record]),
        );
      }
    });
  });
}

/** Converts the keys to elements and sorts them. Returns the address of the result, and that of the spare run. */
function sortElements(
  target: FunctionBuilder,
  { dtype, descending, sorted, places }: Wanted,
  { keys, elements, record, length, first }: Parameters,
): { result: Variable; spare: Variable } {
  const { module } = target;
  const element = elementOf(dtype, places);
  const behind = add(elements, roundDown(add(mul(length, element.bytes), SLACK_BYTES), 16));
  const result = target.define(elements);
  const spare = target.define(behind);
  const counters = target.define(add(record, RECORD_BYTES));
  const sortMost = (): void => {
    const count = target.define(length);
    target.call(toElements(module, dtype, descending, places), [keys, length, elements, record]);
    const sortAll = (): FunctionBuilder =>
      target.when(
        less(FEW, count),
        () => sortMany(target, element, { result, spare, count, record, counters }),
        () => {
          const end = add(result, mul(count, element.bytes));
          target.call(insertion(module, element), [result, add(result, element.bytes), end]);
          target.drop();
        },
      );
    if (sorted) {
      sortAll();
      return;
    }
    const isKept = and(less(first, MOST_FIRST + 1), and(less(mul(first, 2), length), less(length, LONG)));
    target.when(
      isKept,
      () => {
        const [kept, end] = [first, length].map((each) => add(elements, mul(each, element.bytes)));
        target.call(keepFirst(module, element), [elements, kept!, end!]);
      },
      () => {
        const isFew = less(mul(first, SELECTED_PART), length);
        target.when(and(isFew, less(FEW, length)), () => {
          target.call(select(module, element), [elements, spare, length, first, record, counters]);
          target.set(count.local);
          target.assign(result, spare);
          target.assign(spare, elements);
        });
        sortAll();
      },
    );
  };
  if (sorted || element.keyBits !== 32) sortMost();
  else {
    const isFound = target.define(0);
    const isLong = and(less(FEWEST - 1, length), less(mul(first, FEWEST_FOR_EACH), length));
    target.when(and(less(first, MOST_FIRST + 1), isLong), () => {
      target.call(fewFirst(module, dtype, descending), [keys, length, first, elements, record]);
      target.set(isFound.local);
    });
    target.when(equal(isFound, 0), sortMost);
  }
  return { result, spare };
}
