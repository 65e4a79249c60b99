/** Combines the losses of all elements. */
import { showArgument } from "@fuseau/ir";
import type { Value } from "../../value.ts";
import { mean, sum } from "../reduction.ts";

export type LossReduction = "none" | "mean" | "sum";

/** @throws TypeError for any other word. */
export function reduceLoss(op: string, losses: Value, reduction: LossReduction): Value {
  checkReduction(op, reduction);
  switch (reduction) {
    case "none":
      return losses;
    case "mean":
      return mean(losses, null, false, null);
    case "sum":
      return sum(losses, null, false, null);
    default:
      return reduction satisfies never;
  }
}

export function checkReduction(op: string, reduction: LossReduction): void {
  if (reduction === "none" || reduction === "mean" || reduction === "sum") return;
  const word = typeof reduction === "string" ? reduction : showArgument(reduction);
  throw new TypeError(
    `${word} is not ${op === "poissonNllLoss" ? "valid" : "a valid value for reduction"} ("none", "mean" or "sum")`,
  );
}
