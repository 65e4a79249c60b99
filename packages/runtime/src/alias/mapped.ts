/** Writes in functions that are being mapped or differentiated. */
import { isCaptured, mappingsAround } from "../random/mapping.ts";
import { isMadeOf } from "../tape/dependents.ts";
import { GradientError } from "../tape/errors.ts";
import type { Cell } from "../tensor/cell.ts";
import type { Value } from "../value.ts";

/**
 * A tensor from outside of a function that is differentiated would keep what was recorded of it.
 * @throws GradientError if a derivative flows through `value`, none does through what the cell holds, and the cell is from outside.
 */
export function refuseCaptured(cell: Cell, value: Value): void {
  if (value.step !== null && cell.value.step === null && isCaptured(cell.depth))
    throw new GradientError(
      "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation that would mutate a captured Tensor. This is not supported; please rewrite the function being transformed to explicitly accept the mutated Tensor(s) as inputs. (or write to a clone() that is made inside, or what is detach()ed)",
    );
}

/**
 * A tensor from outside of a mapped function has the elements of no example, and cannot take those of all.
 * @throws GradientError if `value` depends on the example, and the cell is from outside.
 */
export function refuseMapped(cell: Cell, value: Value): void {
  for (const { standIns } of mappingsAround(cell.depth))
    if (isMadeOf(value, standIns) && !isMadeOf(cell.value, standIns))
      throw new GradientError(
        "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more elements than `self`: what is written differs between the examples, but the tensor that is written was made outside of the mapped function and is one for all (write to a clone() of it, which is made inside, and return that)",
      );
}
