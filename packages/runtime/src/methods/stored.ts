/** The elements of a tensor, which is computed first if need be. */
import type { TypedArray } from "@fuseau/ir";
import { computeTensors } from "../alias/undo.ts";
import { optionsOf } from "../options.ts";
import type { Storage } from "../storage.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { refuseRead } from "../tracing.ts";

export function storageOf(tensor: AnyTensor): Storage {
  refuseRead("read");
  const value = unwrap(tensor);
  if (value.storage === null) computeTensors([tensor], optionsOf("compute", undefined));
  return value.storage as unknown as Storage;
}

/** The tensor's own array, and no copy. */
export const elementsOf = (tensor: AnyTensor): TypedArray => storageOf(tensor).array;
