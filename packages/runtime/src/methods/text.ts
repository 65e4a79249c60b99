import { declare } from "../declare/declaration.ts";
import { formatTensor } from "../readout/format.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { elementsOf } from "./stored.ts";

/** The elements as PyTorch prints them. Its type is in Tensor: every object has this method, and TypeScript compares the two. */
export const text = declare("toString()", (input: AnyTensor): string => {
  const { dtype, shape } = unwrap(input).node;
  return formatTensor(dtype, shape, elementsOf(input));
});
