import type { Value } from "../value.ts";
import { unwrap } from "./handle.ts";
import type { AnyTensor } from "./types.ts";

/**
 * The value of a tensor, or null if it is left out.
 * @throws TypeError for anything else.
 */
export const optionalTensor = (argument: AnyTensor | null | undefined): Value | null =>
  argument == null ? null : unwrap(argument);
