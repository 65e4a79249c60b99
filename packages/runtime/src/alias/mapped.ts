/** Writes in functions that `vmap` maps. */
import { activeMappings } from "../random/mapping.ts";
import { isMadeOf } from "../tape/dependents.ts";
import { GradientError } from "../tape/errors.ts";
import type { Cell } from "../tensor/cell.ts";
import type { Value } from "../value.ts";

/**
 * A tensor from outside of a mapped function has the elements of no example, and cannot take those of all.
 * @throws GradientError if `value` depends on the example, and the cell is from outside.
 */
export function refuseMapped(cell: Cell, value: Value): void {
  for (const { standIns } of activeMappings().slice(cell.depth))
    if (isMadeOf(value, standIns) && !isMadeOf(cell.value, standIns))
      throw new GradientError(
        "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more elements than `self`: what is written differs between the examples, but the tensor that is written was made outside of the mapped function and is one for all (write to a clone() of it, which is made inside, and return that)",
      );
}
