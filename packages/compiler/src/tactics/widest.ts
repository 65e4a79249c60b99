/** The widest elements that statements work on, in bytes: a loop over them has as many lanes as fit a register. */
import { type DType, dtypes, type Statement, visitStatements } from "@fuseau/ir";

/** What an element is worked on as: float16 as float32. */
const bytesOf = (dtype: DType): number => (dtype === "float16" ? 4 : dtypes[dtype].bytes);

export function widestIn(body: readonly Statement[], dtypeOf: (buffer: number) => DType): number {
  let widest = 1;
  const see = (dtype: DType): void => {
    widest = Math.max(widest, bytesOf(dtype));
  };
  visitStatements(body, {
    statement: (statement) => {
      if (statement.kind === "store") see(dtypeOf(statement.buffer));
      if (statement.kind !== "let") return;
      see(statement.dtype);
      if (statement.value.kind === "pointwise") see(statement.value.from);
      if (statement.value.kind === "load") see(dtypeOf(statement.value.buffer));
    },
  });
  return widest;
}
