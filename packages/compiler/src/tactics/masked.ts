/**
 * The remainder of a vector: single elements, or a masked step whose last lanes have no element. Those lanes load whatever is in memory,
 * join folds as neutral elements, and are not stored.
 */
import { bodyOfLoop, type Expression, isFloat, isLoop, pointwiseOps, type Statement } from "@fuseau/ir";
import type { Machine } from "./machine.ts";

/** The law: nothing in the body fails, and no store depends on what is already there. */
export const mayBeMasked = (body: readonly Statement[]): boolean =>
  body.every((each) => {
    if (isLoop(each)) return mayBeMasked(bodyOfLoop(each));
    if (each.kind === "store") return each.combine === "set";
    if (each.kind !== "let" || each.value.kind !== "pointwise") return each.kind !== "index";
    return isFloat(each.value.from) || !pointwiseOps[each.value.fn].mayFail;
  });

/** True where a load or a choice has tests. Steps begin where those change, in lanes of any number. */
export const isGuarded = (body: readonly Statement[]): boolean =>
  someExpression(
    body,
    (value) => value.kind === "select" || (value.kind === "load" && value.tests.length > 0),
  );

/** True where an op is a function called once for each lane, also for lanes without an element. */
export const callsForLanes = (body: readonly Statement[], machine: Machine): boolean =>
  someExpression(body, (value) => value.kind === "pointwise" && machine.isCalled(value.fn, value.from));

const someExpression = (body: readonly Statement[], holds: (value: Expression) => boolean): boolean =>
  body.some((each) =>
    isLoop(each) ? someExpression(bodyOfLoop(each), holds) : each.kind === "let" && holds(each.value),
  );
