/** Positions in sorted sequences, by bisection: as many steps as the length has bits, each a gather. */
import { DTypeError, elementCount, ShapeError, sameNumbers, showShape } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { as, promotePair, type Term, torchName } from "./operand.ts";
import { add, minimum, where, zip } from "./pointwise.ts";

export interface SearchSettings {
  /** After equal elements, instead of before them. */
  readonly right: boolean;
  /** The permutation that sorts the sequence. */
  readonly sorter: Value | null;
  readonly dtype: "int32" | "int64";
}

/**
 * Where each of `values` would go in `sequence`, which is sorted along its last axis. A 1-D sequence is searched for all values; otherwise
 * there is a sequence for each row of values.
 */
export function searchsorted(sequence: Value, values: Term, settings: SearchSettings): Value {
  const dtype = promotePair(sequence, values);
  const wanted = as(dtype, values);
  check(sequence, wanted, settings.sorter);
  const { shape } = wanted.node;
  const single = sequence.node.shape.length === 1;
  const axis = single ? 0 : shape.length - 1;
  const flat = single ? record.reshape(wanted, [elementCount(shape)]) : wanted;
  const found = bisect(record.cast(sequence, dtype), flat, axis, settings);
  return record.cast(single ? record.reshape(found, shape) : found, settings.dtype);
}

/**
 * PyTorch's loop, step for step, so that unsorted sequences and NaNs give the same results. The position is in [low, high]; `high` becomes
 * the middle if the element there is not before the value. Where both are equal they stay.
 */
function bisect(sequence: Value, values: Value, axis: number, { right, sorter }: SearchSettings): Value {
  const size = sequence.node.shape[axis]!;
  let low = record.expand(record.constant("int32", 0), values.node.shape);
  if (size === 0) return low;
  let high = record.expand(record.constant("int32", size), values.node.shape);
  for (let step = Math.floor(Math.log2(size)); step >= 0; step--) {
    const middle = zip("bitwiseRightShift", add(low, high), 1);
    const place = minimum(middle, size - 1);
    const element =
      sorter === null
        ? record.pick(sequence, axis, place)
        : record.gather(sequence, axis, record.pick(sorter, axis, place));
    const isBehind = zip(right ? "gt" : "ge", element, values);
    const next = where(isBehind, low, minimum(add(middle, 1), high));
    high = where(isBehind, middle, high);
    low = next;
  }
  return low;
}

function check(sequence: Value, values: Value, sorter: Value | null): void {
  const { shape } = sequence.node;
  const wanted = values.node.shape;
  if (shape.length === 0)
    throw new ShapeError(
      `torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension`,
    );
  if (shape.length > 1 && wanted.length === 0)
    throw new ShapeError(
      `torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries tensor dim(${shape.length}) and input value's dim(0) numel(1)`,
    );
  if (shape.length > 1 && !sameNumbers(shape.slice(0, -1), wanted.slice(0, -1)))
    throw new ShapeError(
      `torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor must match, but we got boundaries tensor ${showShape(shape)} and input value tensor ${showShape(wanted)}`,
    );
  if (sorter === null) return;
  if (!sameNumbers(sorter.node.shape, shape))
    throw new ShapeError(
      `torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor ${showShape(shape)} and got sorter tensor ${showShape(sorter.node.shape)}`,
    );
  if (sorter.node.dtype !== "int64")
    throw new DTypeError(
      `torch.searchsorted(): sorter must be a tensor of long dtype but got dtype ${torchName[sorter.node.dtype]}`,
    );
}
