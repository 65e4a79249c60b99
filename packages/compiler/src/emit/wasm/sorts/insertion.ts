/** A sort of few elements, or of many that are nearly in order: each goes down to where it belongs among those before it. */
import {
  assign,
  choose,
  define,
  type Expression,
  equal,
  procedure,
  push,
  sub,
  type Variable,
} from "../encode/expression.ts";
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
  return procedure(
    module,
    `insertion_${name}`,
    "elements next end",
    (target, parameters) => {
      const { elements, next, end } = parameters;
      const insert = (): void => {
        const far = sub(next, FEW * bytes);
        // At a low address there may be nothing so far down.
        const isWithin: Expression = { op: "i32.gt_u", args: [sub(next, elements), FEW * bytes] };
        const floor = define(target, choose(isWithin, far, elements));
        const place = insertOne(target, element, next, floor);
        push(target, equal(place, far));
        target.ifThen(() => void target.i32(0).return());
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
  const word: Variable = { local: target.local(type) };
  const moved: Variable = { local: target.local(local) };
  push(target, from);
  target.op(`${type}.load`).set(word.local);
  push(target, from);
  target.op(load).set(moved.local);
  const at = define(target, from);
  const before: Expression = sub(at, bytes);
  target.block((found) => {
    target.loop((again) => {
      push(target, { op: `${type}.le_u`, args: [{ op: `${type}.load`, args: [before] }, word] });
      target.brIf(found);
      push(target, at);
      push(target, { op: load, args: [before] });
      target.op(store);
      assign(target, at, before);
      push(target, { op: "i32.gt_u", args: [at, floor] });
      target.brIf(again);
    });
  });
  push(target, at);
  push(target, moved);
  target.op(store);
  return at;
}
