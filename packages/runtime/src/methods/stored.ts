/** The elements of a tensor, which is computed first if need be. */
import type { TypedArray } from "@fuseau/ir";
import { computeTensors } from "../alias/undo.ts";
import { optionsOf } from "../options.ts";
import { fewElements } from "../readout/few.ts";
import type { Storage } from "../storage.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { refuseRead } from "../tracing.ts";

function storageOf(tensor: AnyTensor): Storage {
  refuseRead("read");
  const value = unwrap(tensor);
  if (value.storage === null) computeTensors([tensor], optionsOf("compute", undefined));
  return value.storage as unknown as Storage;
}

/** The elements for one who only reads them: the tensor's own array, or a few that a view shows of what is in memory. */
export function elementsOf(tensor: AnyTensor): TypedArray {
  refuseRead("read");
  return fewOf(tensor) ?? storageOf(tensor).array;
}

/** A copy of the elements. */
export function copyOf(tensor: AnyTensor): TypedArray {
  refuseRead("read");
  return fewOf(tensor) ?? storageOf(tensor).copy();
}

function fewOf(tensor: AnyTensor): TypedArray | null {
  const value = unwrap(tensor);
  return value.storage === null ? fewElements(value) : null;
}
