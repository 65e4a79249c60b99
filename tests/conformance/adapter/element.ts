/** Tensors in and out of the library. */
import { type AnyTensor, tensor } from "fuseau";
import type { StoredTensor } from "../case.ts";
import { type DecodedTensor, decodeHalf, decodeTensor } from "../decode.ts";

export function tensorOf(stored: StoredTensor): AnyTensor {
  const { data, shape } = decodeTensor(stored);
  return tensor(data, { shape, dtype: stored.dtype });
}

export function readTensor(x: AnyTensor): DecodedTensor {
  const { dtype, shape } = x;
  const data = x.toTypedArray();
  return { dtype, shape, data: data instanceof Uint16Array ? Float64Array.from(data, decodeHalf) : data };
}
