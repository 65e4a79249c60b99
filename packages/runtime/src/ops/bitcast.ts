/** Reads the bits of elements as another dtype. */
import {
  allocate,
  type DType,
  DTypeError,
  type Shape,
  ShapeError,
  showShape,
  type TypedArray,
} from "@fuseau/ir";
import { computeValues } from "../execute/compute.ts";
import { optionsOf } from "../options.ts";
import { takeArray } from "../pool.ts";
import { stored } from "../record.ts";
import { Storage } from "../storage.ts";
import type { Value } from "../value.ts";
import { checkDType } from "./creation.ts";

const bytesOf = (dtype: DType): number => allocate(dtype, 0).BYTES_PER_ELEMENT;

/**
 * A copy of x's bits as elements of `dtype`, computed now. The last axis becomes longer if those are narrower, and shorter if they are
 * wider.
 * @throws DTypeError for bool, since most bytes are no bool; ShapeError when the last axis is no whole number of elements.
 */
export function bitcast(x: Value, dtype: DType): Value {
  const { dtype: from, shape } = x.node;
  if (checkDType(dtype) === from) return x;
  if (dtype === "bool") throw new DTypeError("bits cannot be read as bool (compare instead, e.g. x.ne(0))");
  const cast = castShape(shape, bytesOf(from), bytesOf(dtype));
  computeValues([x], optionsOf("bitcast", undefined));
  const elements = x.storage!.array;
  const count = (elements.length * bytesOf(from)) / bytesOf(dtype);
  const read = takeArray(dtype, count);
  bytes(read).set(bytes(elements).subarray(0, bytes(read).length));
  return stored(dtype, cast, new Storage(dtype, read));
}

const bytes = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

function castShape(shape: Shape, from: number, to: number): Shape {
  if (from === to) return shape;
  const last = shape.at(-1);
  if (last === undefined)
    throw new ShapeError(
      `self.dim() cannot be 0 to view elements of ${from} bytes as ${to} bytes (reshape to [1] first)`,
    );
  if ((last * from) % to !== 0)
    throw new ShapeError(
      `self.size(-1) must be divisible by ${to / from} to view elements of ${from} bytes as ${to} bytes, but got ${last} (shape ${showShape(shape)})`,
    );
  return [...shape.slice(0, -1), (last * from) / to];
}
