/** How the sums of a tile leave their registers. */
import { advance, type Variable, when } from "../encode/expression.ts";
import type { FunctionBuilder, Local } from "../encode/function.ts";
import type { Kind } from "./kinds.ts";
import { loaded } from "./units.ts";

export interface Destination {
  /** The tile of C, and bytes from one row of it to the next. */
  readonly c: Variable;
  readonly rowBytes: Variable;
  /** Where they accumulate, what is added to them first. */
  readonly before: Variable;
  readonly beforeRowBytes: Variable;
  readonly accumulate: Variable;
}

/** Stores rows of vectors of sums to a tile of C; moves `c` and `before` on. */
export function storeSums(
  target: FunctionBuilder,
  kind: Kind,
  sums: readonly (readonly Local[])[],
  { c, rowBytes, before, beforeRowBytes, accumulate }: Destination,
): void {
  const store = (accumulated: boolean): void => {
    for (const rowSums of sums) {
      rowSums.forEach((sum, j) => {
        target.get(c.local).get(sum);
        if (accumulated) target.get(loaded(target, "v128.load", before, 16 * j)).op(kind.add);
        target.op("v128.store", 16 * j);
      });
      advance(target, c, rowBytes);
      if (accumulated) advance(target, before, beforeRowBytes);
    }
  };
  when(
    target,
    accumulate,
    () => store(true),
    () => store(false),
  );
}
