/** Windows that slide over the last axes: what convolutions and pools read, and what their transposes write. */
import { checkIntegers, elementCount, type Scalar, ShapeError, showShape } from "@fuseau/ir";
import { wholeWindow } from "../alias/window.ts";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { pad } from "./movement.ts";

/** How windows slide along one axis; window i covers places i·stride + j·dilation of the padded axis, j < kernel. */
export interface Slide {
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  /** Places of padding in front and behind. */
  readonly before: number;
  readonly after: number;
  /** How many windows there are. */
  readonly count: number;
}

/** One number for each of `rank` axes, from a number for all, or a list of them. */
export function perAxis(
  op: string,
  name: string,
  given: number | readonly number[],
  rank: number,
): readonly number[] {
  const list = typeof given === "number" ? [given] : given;
  checkIntegers(op, name, list);
  if (list.length === rank) return list;
  if (list.length === 1) return new Array<number>(rank).fill(list[0]!);
  throw new ShapeError(
    `${op}: expected ${name} to be a single integer value or a list of ${rank} values to match the dimensions, but got ${name}=${showShape(list)}`,
  );
}

/** `x` with the padding of its last axes, which are as many as `slides`. */
export const padded = (x: Value, slides: readonly Slide[], fill: Scalar): Value =>
  pad(
    x,
    [...slides].reverse().flatMap(({ before, after }) => [before, after]),
    fill,
  );

/** The windows of a padded `x`: [...leading, ...counts, ...kernels]. */
export function windows(x: Value, slides: readonly Slide[]): Value {
  const { shape } = x.node;
  const leading = shape.length - slides.length;
  const { strides } = wholeWindow(shape);
  const own = strides.slice(leading);
  return record.asStrided(x, {
    shape: [
      ...shape.slice(0, leading),
      ...slides.map(({ count }) => count),
      ...slides.map(({ kernel }) => kernel),
    ],
    strides: [
      ...strides.slice(0, leading),
      ...slides.map(({ stride }, axis) => stride * own[axis]!),
      ...slides.map(({ dilation }, axis) => dilation * own[axis]!),
    ],
    offset: 0,
  });
}

/**
 * The transpose of {@link windows}: places covered by several windows get their sum. `columns` is [...leading, ...kernels,
 * ...counts], the result [...leading, ...sizes].
 *
 * Along one axis, place y gets Σ_k columns[k, l] where l·stride + k·dilation = y + before. With `stride − 1` zeros between the
 * columns that is a sum along slanted lines, which are a window with one stride for y and another for k.
 */
export function foldWindows(columns: Value, slides: readonly Slide[], sizes: readonly number[]): Value {
  const rank = slides.length;
  const leading = columns.node.shape.slice(0, columns.node.shape.length - 2 * rank);
  const kernels = slides.map(({ kernel }) => kernel);
  const result = [...leading, ...sizes];
  if (elementCount(columns.node.shape) === 0 || elementCount(result) === 0) {
    return record.expand(record.cast(record.constant("int32", 0), columns.node.dtype), result);
  }
  const spread = spreadOut(columns, slides);
  const margins = slides.map(({ kernel, dilation, before }, axis) => {
    const reach = (kernel - 1) * dilation;
    const length = spread.node.shape[leading.length + rank + axis]!;
    return { front: Math.max(0, reach - before), back: sizes[axis]! - 1 + before - (length - 1) };
  });
  const roomy = pad(
    spread,
    [...margins].reverse().flatMap(({ front, back }) => [front, back]),
    0,
  );
  const { strides } = wholeWindow(roomy.node.shape);
  const kernelStrides = strides.slice(leading.length, leading.length + rank);
  const placeStrides = strides.slice(leading.length + rank);
  const lines = record.asStrided(roomy, {
    shape: [...result, ...kernels],
    strides: [
      ...strides.slice(0, leading.length),
      ...placeStrides,
      ...slides.map(({ dilation, kernel }, axis) =>
        kernel === 1 ? 0 : kernelStrides[axis]! - dilation * placeStrides[axis]!,
      ),
    ],
    offset: slides.reduce(
      (offset, { before }, axis) => offset + (margins[axis]!.front + before) * placeStrides[axis]!,
      0,
    ),
  });
  const summed = record.reduce(
    "sum",
    lines,
    slides.map((_, axis) => result.length + axis),
  );
  return record.cast(summed, columns.node.dtype);
}

/** The last axes with `stride − 1` zeros behind every place. */
function spreadOut(x: Value, slides: readonly Slide[]): Value {
  if (slides.every(({ stride }) => stride === 1)) return x;
  const { shape } = x.node;
  const leading = shape.slice(0, shape.length - slides.length);
  const counts = shape.slice(shape.length - slides.length);
  const apart = record.reshape(x, [...leading, ...counts.flatMap((count) => [count, 1])]);
  const spread = pad(
    apart,
    [...slides].reverse().flatMap(({ stride }) => [0, stride - 1, 0, 0]),
    0,
  );
  return record.reshape(spread, [...leading, ...counts.map((count, axis) => count * slides[axis]!.stride)]);
}
