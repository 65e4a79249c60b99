/** Convolutions of any rank, plain and transposed: arguments and shapes. The computation is in correlation.ts. */

import {
  type DType,
  DTypeError,
  ShapeError,
  showArgument,
  showShape,
  windowCount,
  windowReach,
  windowsExtent,
} from "@fuseau/ir";
import { kernelName } from "../messages/called.ts";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { correlate, correlateBack } from "./correlation.ts";
import { add } from "./pointwise.ts";
import { padded, perAxis, type Slide } from "./windows.ts";

export interface Convolution {
  readonly stride: number | readonly number[];
  readonly padding: number | readonly number[] | "same" | "valid";
  readonly dilation: number | readonly number[];
  readonly groups: number;
}

export interface TransposedConvolution extends Convolution {
  readonly padding: number | readonly number[];
  readonly outputPadding: number | readonly number[];
}

/** `x` is [N, C, ...sizes] or [C, ...sizes], `weight` [O, C / groups, ...kernel]. */
export function convolve(
  rank: number,
  x: Value,
  weight: Value,
  bias: Value | null,
  options: Convolution,
): Value {
  const { groups } = options;
  checkOperands(rank, x, weight, bias);
  const [channels, perGroup, ...kernel] = weight.node.shape as [number, number, ...number[]];
  checkGroups(weight, groups);
  const batch = batched(x, rank);
  checkChannels(groups, weight, x, batch, perGroup * groups);
  checkBias(weight, bias, channels);
  const slides = slidesOf(rank, batch.node.shape.slice(2), kernel, options);
  const [count] = batch.node.shape as [number];
  const ready = padded(batch, slides, 0);
  const grouped = record.reshape(ready, [count, groups, perGroup, ...ready.node.shape.slice(2)]);
  const result = correlate(grouped, weight, slides);
  return unbatched(withBias(result, bias), x, rank);
}

/** `x` is [N, C, ...sizes] or [C, ...sizes], `weight` [C, O / groups, ...kernel]. */
export function convolveTransposed(
  rank: number,
  x: Value,
  weight: Value,
  bias: Value | null,
  options: TransposedConvolution,
): Value {
  const { groups } = options;
  checkOperands(rank, x, weight, bias);
  const [channels, perGroup, ...kernel] = weight.node.shape as [number, number, ...number[]];
  checkGroups(weight, groups);
  const batch = batched(x, rank);
  checkChannels(groups, weight, x, batch, channels);
  checkBias(weight, bias, perGroup * groups);
  const sizes = batch.node.shape.slice(2);
  const { slides, results } = transposedSlides(rank, sizes, kernel, options);
  const [count] = batch.node.shape as [number];
  const result = correlateBack(batch, weight, slides, [count, groups, perGroup, ...results]);
  return unbatched(withBias(record.reshape(result, [count, groups * perGroup, ...results]), bias), x, rank);
}

const batched = (x: Value, rank: number): Value =>
  x.node.shape.length === rank + 1 ? record.reshape(x, [1, ...x.node.shape]) : x;

const unbatched = (result: Value, x: Value, rank: number): Value =>
  x.node.shape.length === rank + 1 ? record.reshape(result, result.node.shape.slice(1)) : result;

const withBias = (x: Value, bias: Value | null): Value =>
  bias === null
    ? x
    : add(x, record.reshape(bias, [bias.node.shape[0]!, ...x.node.shape.slice(2).map(() => 1)]));

function slidesOf(
  rank: number,
  sizes: readonly number[],
  kernel: readonly number[],
  options: Convolution,
): Slide[] {
  const { stride, dilation } = steps(rank, options);
  const padding = paddingOf(rank, kernel, stride, dilation, options.padding);
  const slides = sizes.map((size, axis): Slide => {
    const reach = windowReach(kernel[axis]!, dilation[axis]!);
    const [before, after] = padding[axis]!;
    return {
      kernel: kernel[axis]!,
      stride: stride[axis]!,
      dilation: dilation[axis]!,
      before,
      after,
      count: windowCount(size, [before, after], reach, stride[axis]!),
    };
  });
  if (slides.some(({ count }) => count < 1)) {
    const room = sizes.map((size, axis) => size + slides[axis]!.before + slides[axis]!.after);
    const reach = slides.map((slide) => windowReach(slide.kernel, slide.dilation));
    throw new ShapeError(
      `Calculated padded input size per channel: (${room.join(" x ")}). Kernel size: (${reach.join(" x ")}). Kernel size can't be greater than actual input size`,
    );
  }
  return slides;
}

function transposedSlides(
  rank: number,
  sizes: readonly number[],
  kernel: readonly number[],
  options: TransposedConvolution,
): { slides: Slide[]; results: number[] } {
  const { stride, dilation } = steps(rank, options);
  const padding = perAxis("padding", options.padding, rank);
  const extra = perAxis("outputPadding", options.outputPadding, rank);
  if (padding.some((width) => width < 0)) throw new RangeError(`negative padding is not supported`);
  extra.forEach((width, axis) => {
    if (width < 0 || (width >= stride[axis]! && width >= dilation[axis]!))
      throw new RangeError(
        `output padding must be smaller than either stride or dilation, but got output_padding: ${showShape(extra)} stride: ${showShape(stride)} dilation: ${showShape(dilation)}`,
      );
  });
  const slides = sizes.map(
    (size, axis): Slide => ({
      kernel: kernel[axis]!,
      stride: stride[axis]!,
      dilation: dilation[axis]!,
      before: padding[axis]!,
      after: padding[axis]!,
      count: size,
    }),
  );
  const results = slides.map(({ count, before, after, kernel, dilation, stride }, axis) =>
    windowsExtent(count, [before, after], windowReach(kernel, dilation), stride, extra[axis]!),
  );
  if (results.some((size) => size < 1))
    throw new ShapeError(
      `Given input size per channel: (${sizes.join(" x ")}). Calculated output size per channel: (${results.join(" x ")}). Output size is too small`,
    );
  return { slides, results };
}

function steps(
  rank: number,
  options: Convolution,
): { stride: readonly number[]; dilation: readonly number[] } {
  const stride = perAxis("stride", options.stride, rank);
  const dilation = perAxis("dilation", options.dilation, rank);
  if (stride.some((step) => step < 1)) throw new RangeError(`non-positive stride is not supported`);
  if (dilation.some((step) => step < 1)) throw new RangeError(`dilation should be greater than zero`);
  return { stride, dilation };
}

function paddingOf(
  rank: number,
  kernel: readonly number[],
  stride: readonly number[],
  dilation: readonly number[],
  padding: Convolution["padding"],
): (readonly [before: number, after: number])[] {
  if (padding === "valid") return kernel.map(() => [0, 0]);
  if (padding === "same") {
    if (stride.some((step) => step !== 1))
      throw new RangeError(`padding='same' is not supported for strided convolutions`);
    return kernel.map((size, axis) => {
      const total = dilation[axis]! * (size - 1);
      return [Math.floor(total / 2), Math.ceil(total / 2)];
    });
  }
  if (typeof padding === "string")
    throw new TypeError(`Invalid padding string: ${showArgument(padding)} ("same" or "valid")`);
  return perAxis("padding", padding, rank).map((width) => {
    if (width < 0) throw new RangeError(`negative padding is not supported`);
    return [width, width];
  });
}

/** The names of dtypes in PyTorch's messages about convolutions. */
const elementName: { readonly [D in DType]: string } = {
  bool: "bool",
  uint8: "unsigned char",
  int8: "signed char",
  int16: "short int",
  int32: "int",
  int64: "long int",
  float16: "c10::Half",
  float32: "float",
  float64: "double",
};

function checkOperands(rank: number, x: Value, weight: Value, bias: Value | null): void {
  if (weight.node.shape.length !== rank + 2)
    throw new ShapeError(
      `weight should have ${rank + 2} dimensions, but got ${weight.node.shape.length} (shape ${showShape(weight.node.shape)})`,
    );
  const { length } = x.node.shape;
  if (length !== rank + 1 && length !== rank + 2)
    throw new ShapeError(
      `Expected ${rank + 1}D (unbatched) or ${rank + 2}D (batched) input to ${kernelName()}, but got input of size: ${showShape(x.node.shape)}`,
    );
  if (x.node.dtype === "bool")
    throw new DTypeError("not implemented for bool (cast the operands, e.g. with float())");
  for (const [name, operand] of [
    ["weight", weight],
    ["bias", bias],
  ] as const) {
    if (operand !== null && operand.node.dtype !== x.node.dtype)
      throw new DTypeError(
        `Input type (${elementName[x.node.dtype]}) and ${name} type (${elementName[operand.node.dtype]}) should be the same`,
      );
  }
}

function checkGroups(weight: Value, groups: number): void {
  const { shape } = weight.node;
  if (!Number.isInteger(groups) || groups < 1) throw new RangeError(`non-positive groups is not supported`);
  if (shape[0]! < groups)
    throw new ShapeError(
      `Given groups=${groups}, expected weight to be at least ${groups} at dimension 0, but got weight of size ${showShape(shape)} instead`,
    );
  if (shape[0]! % groups !== 0)
    throw new ShapeError(
      `Given groups=${groups}, expected weight to be divisible by ${groups} at dimension 0, but got weight of size ${showShape(shape)} instead`,
    );
}

function checkChannels(groups: number, weight: Value, x: Value, batch: Value, expected: number): void {
  const actual = batch.node.shape[1]!;
  if (actual === expected) return;
  throw new ShapeError(
    `Given groups=${groups}, weight of size ${showShape(weight.node.shape)}, expected input${showShape(x.node.shape)} to have ${expected} channels, but got ${actual} channels instead`,
  );
}

function checkBias(weight: Value, bias: Value | null, channels: number): void {
  if (bias === null || (bias.node.shape.length === 1 && bias.node.shape[0] === channels)) return;
  throw new ShapeError(
    `Given weight of size ${showShape(weight.node.shape)}, expected bias to be 1-dimensional with ${channels} elements, but got bias of size ${showShape(bias.node.shape)} instead`,
  );
}
