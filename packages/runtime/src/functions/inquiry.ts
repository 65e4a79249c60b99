/** Properties of a tensor that are known without computing it. */
import { elementCount, sameNumbers } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** The number of elements. */
export const numel = declare("numel()", (input: AnyTensor): number => elementCount(unwrap(input).node.shape));

/** True when the dtype has negative numbers. */
export const isSigned = declare("isSigned()", (input: AnyTensor): boolean => {
  const { dtype } = unwrap(input).node;
  return dtype !== "bool" && dtype !== "uint8";
});

/** True when the shapes are the same. */
export const isSameSize = declare("isSameSize(other)", (input: AnyTensor, other: AnyTensor): boolean =>
  sameNumbers(unwrap(input).node.shape, unwrap(other).node.shape),
);
