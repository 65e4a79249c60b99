/** An insertion sort, for few elements or for many that are nearly in order. */
import { add, choose, type Expression, equal, less, sub, type Variable } from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import type { Element } from "./element.ts";

/** Up to so many elements it is faster than a radix sort. */
export const FEW = 64;

/**
 * insertion(elements, next, end) → 1 if the elements from `elements` to `end` are sorted now. Those before `next` must be sorted
 * already. It gives up, and returns 0, where an element would move down by FEW places. Equal keys keep their order in any case.
 */
export function insertion(module: ModuleBuilder, element: Element): FunctionIndex {
  const { name, bytes } = element;
  return module.procedure(
    `insertion_${name}`,
    "elements next end",
    (target, parameters) => {
      const { elements, next, end } = parameters;
      const insert = (): void => {
        const far = sub(next, FEW * bytes);
        // The subtraction would wrap if the elements began at a low address.
        const isWithin: Expression = { op: "i32.gt_u", args: [sub(next, elements), FEW * bytes] };
        const floor = target.define(choose(isWithin, far, elements));
        const place = insertOne(target, element, next, floor);
        target.push(equal(place, far)).ifThen(() => void target.i32(0).return());
      };
      target.forRange(next.local, end.local, bytes, insert, "i32.lt_u");
      target.i32(1);
    },
    ["i32"],
  );
}

/**
 * keep_first(elements, kept, end): afterwards the first of all elements lie, in order, from `elements` to `kept`; the others are lost. Most are
 * compared with the last of those only. Equal keys keep their order.
 */
export function keepFirst(module: ModuleBuilder, element: Element): FunctionIndex {
  const { name, bytes, type, load, store } = element;
  return module.procedure(`keep_first_${name}`, "elements kept end", (target, { elements, kept, end }) => {
    target.call(insertion(module, element), [elements, add(elements, bytes), kept]).drop();
    const last = target.define(sub(kept, bytes));
    const word = (at: Variable): Expression => ({ op: `${type}.load`, args: [at] });
    const next = target.define(kept);
    target.forRange(
      next.local,
      end.local,
      bytes,
      () => {
        target.when({ op: `${type}.lt_u`, args: [word(next), word(last)] }, () => {
          target.store(store, last, { op: load, args: [next] });
          target.when(less(elements, last), () => void insertOne(target, element, last, elements));
        });
      },
      "i32.lt_u",
    );
  });
}

/** Moves an element down, at most to `floor`; returns its address. The word that is compared has the key in its upper bits. */
function insertOne(
  target: FunctionBuilder,
  { bytes, type, local, load, store }: Element,
  from: Variable,
  floor: Variable,
): Variable {
  const word = target.define({ op: `${type}.load`, args: [from] }, type);
  const moved = target.define({ op: load, args: [from] }, local);
  const at = target.define(from);
  const before: Expression = sub(at, bytes);
  target.block((found) => {
    target.repeat(() => {
      target.push({ op: `${type}.le_u`, args: [{ op: `${type}.load`, args: [before] }, word] }).brIf(found);
      target.store(store, at, { op: load, args: [before] }).assign(at, before);
      return { op: "i32.gt_u", args: [at, floor] };
    });
  });
  target.store(store, at, moved);
  return at;
}
