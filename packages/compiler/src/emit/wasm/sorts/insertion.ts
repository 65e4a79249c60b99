/** A sort of few elements, or of many that are nearly in order: each goes down to where it belongs among those before it. */
import { choose, type Expression, equal, sub, type Variable } from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import type { Element } from "./element.ts";

/** Up to so many elements it is faster than counting digits. */
export const FEW = 64;

/**
 * insertion(elements, next, end) -> whether the elements from `elements` to `end` are in order, of which those before `next` were.
 * It gives up where one would go down by FEW places. Equal keys have stayed in their order then too.
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
        // At a low address there may be nothing so far down.
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

/** Moves an element down, no further than to `floor`; gives its place. The word compared has the key in its upper bits. */
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
