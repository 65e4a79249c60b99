/** Pools: folds of sliding windows. */
import {
  DTypeError,
  elementCount,
  isFloat,
  type Scalar,
  ShapeError,
  sameNumbers,
  showShape,
  windowCount,
  windowReach,
} from "@fuseau/ir";
import { kernelName } from "../messages/called.ts";
import * as record from "../record.ts";
import { withoutSlope, withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { onlyFloat, torchName as torchDType, wide } from "./operand.ts";
import { abs, add, and, div, eq, map, maximum, minimum, mul, pow, sub, where } from "./pointwise.ts";
import { foldWindows, padded, perAxis, type Slide, windowSums, windows } from "./windows.ts";

/** A number is for every spatial axis; a list has one for each. */
export interface PoolOptions {
  /** Default: the kernel's size. */
  readonly stride?: number | readonly number[] | null;
  /** Places at either end that count as the lowest value, at most half the kernel. Default 0. */
  readonly padding?: number | readonly number[];
  /** Counts a last window that extends beyond the end. Default false. */
  readonly ceilMode?: boolean;
}

export interface MaxPoolOptions extends PoolOptions {
  /** The distance between neighbouring places of a window. Default 1. */
  readonly dilation?: number | readonly number[];
  /** Also returns the positions in the flattened spatial axes, for {@link maxUnpool2d} and its like. Default false. */
  readonly returnIndices?: boolean;
}

export interface AveragePoolOptions extends PoolOptions {
  /** Counts padding as zeros. Default true. */
  readonly countIncludePad?: boolean;
  /** The divisor, instead of the size of the window. */
  readonly divisorOverride?: number | null;
}

export type Kernel = number | readonly number[];

/** [the largest element of each window, its position in the flattened spatial axes if asked for]. */
export function maxPool(
  op: string,
  rank: number,
  x: Value,
  kernelSize: Kernel,
  options: MaxPoolOptions,
  wantIndices = false,
): [Value, Value | null] {
  const slides = poolSlides(op, rank, x, kernelSize, options);
  if (x.node.dtype === "bool") throw new DTypeError(`"${kernelName()}" not implemented for 'Bool'`);
  const ready = padded(x, slides, lowest(x));
  const axes = slides.map((_, axis) => x.node.shape.length + axis);
  const view = windows(ready, slides);
  const first = (): Value => record.reduce("argmax", windows(ready, slides), axes);
  const sizes = ready.node.shape.slice(-slides.length);
  const values = withRule(
    "maxPool",
    [ready],
    () => record.reduce("max", view, axes),
    (_, g) => [
      withoutSlope(
        "maxPool",
        [ready],
        isScattered(slides)
          ? unpooled("sum", g, positions(placesWithin(first(), slides), sizes, slides.map(unpadded)), sizes)
          : foldWindows(atPlaces(g, first(), slides), slides.map(unpadded), sizes),
      ),
    ],
  );
  return [
    values,
    wantIndices ? positions(placesWithin(first(), slides), x.node.shape.slice(-slides.length), slides) : null,
  ];
}

/** Elements of a window up to which its gradient is summed from all of them and not added to the largest alone. */
const MOST_SUMMED = 4;

const isScattered = (slides: readonly Slide[]): boolean =>
  slides.some(({ kernel, stride, dilation }) => windowReach(kernel, dilation) > stride) &&
  slides.reduce((product, { kernel }) => product * kernel, 1) > MOST_SUMMED;

/** Positions are converted to those of the tensor without padding. */
const unpadded = (slide: Slide): Slide => ({ ...slide, before: 0 });

/** A gradient at the chosen place of each window and 0 elsewhere, as [...leading, ...kernels, ...counts]. */
function atPlaces(g: Value, position: Value, slides: readonly Slide[]): Value {
  const { shape } = g.node;
  const leading = shape.length - slides.length;
  const kernels = slides.map(({ kernel }) => kernel);
  const spread = [...shape.slice(0, leading), ...kernels, ...shape.slice(leading)];
  const aligned = [...shape.slice(0, leading), ...kernels.map(() => 1), ...shape.slice(leading)];
  const everywhere = (x: Value): Value => record.expand(record.reshape(x, aligned), spread);
  // Without padding the first place is the chosen one, and no position need be divided.
  const isFound = slides.every(({ before }) => before === 0)
    ? eq(
        everywhere(position),
        record.reshape(record.iota("int64", elementCount(kernels)), [...kernels, ...slides.map(() => 1)]),
      )
    : placesWithin(position, slides)
        .map((places, axis) =>
          eq(everywhere(places), alongAxis(kernels[axis]!, 2 * slides.length - 1 - axis)),
        )
        .reduce(and);
  return where(isFound, everywhere(g), 0);
}

const lowestInteger = {
  uint8: 0,
  int8: -128,
  int16: -32768,
  int32: -2147483648,
  int64: -(2n ** 63n),
} as const;

export const lowest = ({ node: { dtype } }: Value): Scalar =>
  isFloat(dtype) ? -Infinity : dtype === "bool" ? false : lowestInteger[dtype];

/**
 * Along each axis the place within its window, of positions within windows (row-major). If all of a window is the lowest value, its first
 * place was chosen, which may be padding. Then it is the first place that is not padding.
 */
function placesWithin(position: Value, slides: readonly Slide[]): Value[] {
  const found: Value[] = [];
  let rest = position;
  for (let axis = slides.length - 1; axis >= 0; axis--) {
    const { kernel, stride, dilation, before, count } = slides[axis]!;
    const within = axis === 0 ? rest : map2("remainder", rest, kernel);
    rest = axis === 0 ? rest : map2("floorDivide", rest, kernel);
    const start = sub(mul(alongAxis(count, slides.length - 1 - axis), stride), before);
    found.unshift(
      before === 0 ? within : maximum(within, map2("floorDivide", sub(dilation - 1, start), dilation)),
    );
  }
  return found;
}

/** Converts places within windows to positions within the spatial axes. */
function positions(found: readonly Value[], sizes: readonly number[], slides: readonly Slide[]): Value {
  let result: Value | null = null;
  let size = 1;
  for (let axis = slides.length - 1; axis >= 0; axis--) {
    const { stride, dilation, before, count } = slides[axis]!;
    const start = sub(mul(alongAxis(count, slides.length - 1 - axis), stride), before);
    const place = add(start, mul(found[axis]!, dilation));
    const flat = size === 1 ? place : mul(place, size);
    result = result === null ? flat : add(flat, result);
    size *= sizes[axis]!;
  }
  return result as Value;
}

const map2 = (fn: "remainder" | "floorDivide", x: Value, by: number): Value =>
  record.binary(fn, x, record.constant("int64", BigInt(by)));

/** 0, 1, 2 … along the axis that has `behind` axes after it. */
const alongAxis = (count: number, behind: number): Value =>
  record.reshape(record.iota("int64", count), [count, ...new Array<number>(behind).fill(1)]);

export function averagePool(
  op: string,
  rank: number,
  x: Value,
  kernelSize: Kernel,
  options: AveragePoolOptions,
): Value {
  const { countIncludePad = true, divisorOverride = null } = options;
  const slides = poolSlides(op, rank, x, kernelSize, options);
  if (divisorOverride === 0) throw new RangeError(`divisor must be not zero`);
  if (x.node.dtype === "bool") throw new DTypeError(`"${kernelName()}" not implemented for 'Bool'`);
  const sums = windowSums(padded(wide(x), slides, 0), slides);
  const sizes = x.node.shape.slice(-rank);
  const divisor =
    divisorOverride ??
    slides.map((slide, axis) => covered(slide, sizes[axis]!, rank - 1 - axis, countIncludePad)).reduce(times);
  if (isFloat(x.node.dtype))
    return record.cast(div(sums, record.cast(asValue(divisor), sums.node.dtype)), x.node.dtype);
  return record.cast(
    record.binary("truncDivide", sums, record.cast(asValue(divisor), "int64")),
    x.node.dtype,
  );
}

const asValue = (count: number | Value): Value =>
  typeof count === "number" ? record.constant("float64", count) : count;

const times = (a: number | Value, b: number | Value): number | Value =>
  typeof a === "number" && typeof b === "number" ? a * b : mul(a, b);

/** How many places each window covers along an axis. It is one number if no window extends beyond the end. */
function covered(slide: Slide, size: number, behind: number, withPadding: boolean): number | Value {
  const { kernel, stride, before, after, count } = slide;
  // Beyond the padding at the end, which is as wide as that in front, nothing is counted.
  const end = withPadding ? size + before : size;
  const last = (count - 1) * stride - before + kernel;
  if (last <= end && (withPadding || (before === 0 && after === 0))) return kernel;
  const start = sub(mul(alongAxis(count, behind), stride), before);
  const stop = minimum(add(start, kernel), end);
  return sub(stop, withPadding ? start : maximum(start, 0));
}

/** (Σ x^p)^(1/p) of each window, by the mean of x^p. */
export function lpPool(
  op: string,
  rank: number,
  x: Value,
  p: number,
  kernelSize: Kernel,
  options: PoolOptions,
): Value {
  const means = averagePool(op, rank, pow(onlyFloat(x), p), kernelSize, options);
  const magnitude = mul(map("sign", means), map("relu", abs(means)));
  const count = elementCount(perAxis("kernelSize", kernelSize, rank));
  return pow(mul(magnitude, count), 1 / p);
}

/** The windows of the last `rank` axes of [N, C, ...sizes] or [C, ...sizes]. */
function poolSlides(
  op: string,
  rank: number,
  x: Value,
  kernelSize: Kernel,
  options: MaxPoolOptions,
): Slide[] {
  const kernel = perAxis("kernelSize", kernelSize, rank);
  const own = options.stride ?? [];
  const stride = typeof own !== "number" && own.length === 0 ? kernel : perAxis("stride", own, rank);
  const padding = perAxis("padding", options.padding ?? 0, rank);
  const dilation = perAxis("dilation", options.dilation ?? 1, rank);
  checkSteps(op, kernel, stride, padding, dilation);
  checkInput(op, rank, x);
  const sizes = x.node.shape.slice(-rank);
  const slides = sizes.map((size, axis): Slide => {
    const before = padding[axis]!;
    const step = stride[axis]!;
    const reach = windowReach(kernel[axis]!, dilation[axis]!);
    const count = windowCount(size, [before, before], reach, step, options.ceilMode ?? false);
    const after = Math.max(0, (count - 1) * step + reach - size - before);
    return { kernel: kernel[axis]!, stride: step, dilation: dilation[axis]!, before, after, count };
  });
  checkCounts(op, x, slides);
  return slides;
}

/** `max_pool1d` for `maxPool1d`: some of PyTorch's messages name the op. */
const torchName = (op: string): string => op.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function checkSteps(
  op: string,
  kernel: readonly number[],
  stride: readonly number[],
  padding: readonly number[],
  dilation: readonly number[],
): void {
  kernel.forEach((size, axis) => {
    const width = padding[axis]!;
    if (size < 1)
      throw new RangeError(
        kernel.length === 1
          ? `${torchName(op)}() kernel_size must be greater than zero, but got ${size}`
          : `kernel size should be greater than zero, but got ${showShape(kernel)}`,
      );
    if (stride[axis]! < 1)
      throw new RangeError(`${torchName(op)}() stride must be greater than zero, but got ${stride[axis]}`);
    if (dilation[axis]! < 1)
      throw new RangeError(
        `${torchName(op)}() dilation must be greater than zero, but got ${dilation[axis]}`,
      );
    if (width < 0) throw new RangeError(`pad must be non-negative, but got pad: ${width}`);
    if (width > size / 2)
      throw new RangeError(
        `pad should be at most half of kernel size, but got pad=${width} and kernel_size=${size}`,
      );
  });
}

function checkInput(op: string, rank: number, x: Value): void {
  const { shape } = x.node;
  const ranked = shape.length === rank + 1 || shape.length === rank + 2;
  if (ranked && shape.slice(-rank - 1).every((size) => size > 0)) return;
  const axis = shape.slice(-rank - 1).indexOf(0);
  if (rank > 2 && op.startsWith("avg"))
    throw new ShapeError(
      `non-empty 4D or 5D (batch mode) tensor expected for input (its shape is ${showShape(shape)})`,
    );
  if (ranked && rank > 2)
    throw new ShapeError(
      `${torchName(op)}_with_indices_out_cpu_template(): Expected input's non-batch dimensions to have positive length, but input has a shape of ${showShape(shape)} and non-batch dimension ${axis} has length zero!`,
    );
  throw new ShapeError(
    `${op}: ${torchName(op)}: Expected ${rank + 1}D or ${rank + 2}D (batch mode) tensor with optional 0 dim batch size for input, but got:${showShape(shape)}`,
  );
}

function checkCounts(op: string, x: Value, slides: readonly Slide[]): void {
  if (slides.every(({ count }) => count > 0)) return;
  if (slides.length === 1)
    throw new ShapeError(`${torchName(op)}() Invalid computed output size: ${slides[0]!.count}`);
  const [channels] = x.node.shape.slice(-slides.length - 1);
  const sizes = x.node.shape.slice(-slides.length);
  throw new ShapeError(
    `Given input size: (${[channels, ...sizes].join("x")}). Calculated output size: (${[channels, ...slides.map(({ count }) => count)].join("x")}). Output size is too small`,
  );
}

/**
 * The transpose of a max pool: each element at the position that an index names, zeros elsewhere.
 * @throws DTypeError unless indices are int64.
 */
export function maxUnpool(rank: number, x: Value, indices: Value, sizes: readonly number[]): Value {
  if (indices.node.dtype !== "int64")
    throw new DTypeError(
      `elements in indices should be type int64 but got: ${torchDType[indices.node.dtype]}`,
    );
  const { shape } = x.node;
  if (!sameNumbers(shape, indices.node.shape))
    throw new ShapeError(
      `Expected shape of indices to be same as that of the input tensor (${showShape(shape)}) but got indices tensor with shape: ${showShape(indices.node.shape)}`,
    );
  if (shape.length !== rank + 1 && shape.length !== rank + 2)
    throw new ShapeError(
      `Input to max_unpooling${rank}d should be a ${rank + 1}d or ${rank + 2}d Tensor, but got a tensor with ${shape.length} dimensions.`,
    );
  return unpooled("set", x, indices, sizes);
}

/** Each element at the position that an index names in the last axes, which have `sizes`; zeros elsewhere. */
function unpooled(combine: "set" | "sum", x: Value, indices: Value, sizes: readonly number[]): Value {
  const leading = x.node.shape.slice(0, -sizes.length);
  const flat = [...leading, elementCount(x.node.shape.slice(-sizes.length))];
  const zeros = record.expand(record.cast(record.constant("int32", 0), x.node.dtype), [
    ...leading,
    elementCount(sizes),
  ]);
  const scattered = record.scatter(
    zeros,
    leading.length,
    record.reshape(indices, flat),
    record.reshape(x, flat),
    combine,
  );
  return record.reshape(scattered, [...leading, ...sizes]);
}

/** The sizes of the input of a max pool that gave [..., ...sizes], if its windows fitted exactly. */
export function unpooledSizes(
  rank: number,
  x: Value,
  kernelSize: Kernel,
  options: Pick<PoolOptions, "stride" | "padding"> & { readonly outputSize?: readonly number[] | null },
): number[] {
  const kernel = perAxis("kernelSize", kernelSize, rank);
  const stride = options.stride == null ? kernel : perAxis("stride", options.stride, rank);
  const padding = perAxis("padding", options.padding ?? 0, rank);
  const usual = x.node.shape
    .slice(-rank)
    .map((size, axis) => (size - 1) * stride[axis]! - 2 * padding[axis]! + kernel[axis]!);
  const asked = options.outputSize?.slice(-rank);
  asked?.forEach((size, axis) => {
    const [least, most] = [usual[axis]! - stride[axis]!, usual[axis]! + stride[axis]!];
    if (!(size > least && size < most))
      throw new RangeError(
        `invalid output_size "${showShape(asked)}" (dim ${axis} must be between ${least} and ${most})`,
      );
  });
  return asked ?? usual;
}
