/** Windows that slide over the last axes: convolutions and pools read them, and their transposes write them. */
import { checkIntegers, type Scalar, ShapeError, showShape } from "@fuseau/ir";
import * as record from "../record.ts";
import { filled } from "../tape/constants.ts";
import { withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { wholeWindow } from "../window/window.ts";
import { narrowed, pad } from "./movement.ts";
import { add } from "./pointwise.ts";

/** How windows slide along one axis: window i covers places i·stride + j·dilation of the padded axis, for j < kernel. */
export interface Slide {
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  /** Padding before and after. */
  readonly before: number;
  readonly after: number;
  /** The number of windows. */
  readonly count: number;
}

/** A number for each of `rank` axes, from one for all or a list. */
export function perAxis(name: string, given: number | readonly number[], rank: number): readonly number[] {
  const list = typeof given === "number" ? [given] : given;
  checkIntegers(name, list);
  if (list.length === rank) return list;
  if (list.length === 1) return new Array<number>(rank).fill(list[0]!);
  throw new ShapeError(
    `expected ${name} to be a single integer value or a list of ${rank} values to match the dimensions, but got ${name}=${showShape(list)}`,
  );
}

/** `x` with its last axes padded, as many as there are `slides`. */
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
  const view = {
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
  };
  // A rule of its own: the transpose of the view would scatter each place of each window, which takes a hundred times as long.
  return withRule(
    "windows",
    [x],
    () => record.asStrided(x, view),
    (_, g) => {
      const axes = Array.from({ length: leading }, (_, axis) => axis);
      const places = slides.map((_, axis) => leading + axis);
      const kernels = slides.map((_, axis) => leading + slides.length + axis);
      const columns = record.permute(g, [...axes, ...kernels, ...places]);
      const bare = slides.map((slide) => ({ ...slide, before: 0 }));
      return [foldWindows(columns, bare, shape.slice(leading))];
    },
  );
}

/** Places of a gradient for each window, up to which its transpose sums windows of them: those between are zeros. */
const MOST_SPREAD = 4;

/** The sum of each window of a padded `x`, over its last axes: [...leading, ...counts]. */
export function windowSums(x: Value, slides: readonly Slide[]): Value {
  const leading = x.node.shape.length - slides.length;
  const sums = (): Value =>
    record.reduce(
      "sum",
      windows(x, slides),
      slides.map((_, axis) => x.node.shape.length + axis),
    );
  const isDisjoint = slides.every(({ kernel, stride, dilation }) => dilation === 1 && kernel <= stride);
  if (isDisjoint || slides.reduce((product, { stride }) => product * stride, 1) > MOST_SPREAD) return sums();
  // Each place gets the sum of the windows that have it: those are windows of the gradient, whose elements are `stride` places apart.
  return withRule("windowSums", [x], sums, (_, g) => {
    const sizes = x.node.shape.slice(leading);
    const reach = slides.map(({ kernel, dilation }) => (kernel - 1) * dilation);
    const back = slides.map((slide, axis) => ({
      ...slide,
      stride: 1,
      before: 0,
      after: 0,
      count: sizes[axis]!,
    }));
    const around = g.node.shape.slice(0, leading);
    const ones = around.map(() => 1);
    const room = [...around, ...sizes.map((size, axis) => size + reach[axis]!)];
    const spaced = spread(
      g,
      room,
      [...around.map(() => 0), ...reach],
      [...ones, ...slides.map(({ stride }) => stride)],
    );
    return [windowSums(spaced, back)];
  });
}

/** `x` among zeros: `room` is the shape, and along each axis elements begin at `before` and are `steps` places apart. */
function spread(
  x: Value,
  room: readonly number[],
  before: readonly number[],
  steps: readonly number[],
): Value {
  const { shape, dtype } = x.node;
  if (steps.every((step) => step === 1)) {
    const after = shape.map((size, axis) => room[axis]! - before[axis]! - size);
    return record.pad(x, before, after, filled(dtype, [], 0));
  }
  const { strides } = wholeWindow(room);
  const window = {
    shape,
    strides: strides.map((stride, axis) => stride * steps[axis]!),
    offset: before.reduce((place, width, axis) => place + width * strides[axis]!, 0),
  };
  return record.update(filled(dtype, room, 0), window, x);
}

/**
 * The transpose of {@link windows}: places in several windows get the sum. `columns` is [...leading, ...kernels, ...counts], the result
 * [...leading, ...sizes]. It goes axis by axis, so that the work is the sum of the kernels' sizes and not their product.
 */
export function foldWindows(columns: Value, slides: readonly Slide[], sizes: readonly number[]): Value {
  const leading = columns.node.shape.length - 2 * slides.length;
  // Each step drops the first kernel axis, so the axes of the next step are at the same positions.
  const places = leading + slides.length - 1;
  return slides.reduce(
    (folded, slide, axis) => foldAxis(folded, leading, places, slide, sizes[axis]!),
    columns,
  );
}

/** Elements of a step that are summed each by itself and interleaved. More are summed as blocks. */
const MOST_PHASES = 4;

/**
 * Sums axis `kernel` into axis `places`: place y gets Σ_k columns[k, l] where l·stride + k·dilation = y + before. If y + before is stride·q
 * + r, only those k contribute for which k·dilation leaves r, each moved by its quotient.
 */
function foldAxis(columns: Value, kernel: number, places: number, slide: Slide, size: number): Value {
  const { stride, dilation, before } = slide;
  // Windows that do not overlap are one after another, and so are blocks of a window as long as their step.
  const blocks = Math.ceil(slide.kernel / stride);
  if (dilation === 1 && (blocks === 1 || stride > MOST_PHASES)) {
    const whole = moved(columns, kernel, 0, blocks * stride - slide.kernel);
    const { shape } = whole.node;
    const split = record.reshape(whole, [
      ...shape.slice(0, kernel),
      blocks,
      stride,
      ...shape.slice(kernel + 1),
    ]);
    const folded = Array.from({ length: blocks }, (_, q) =>
      moved(selected(split, kernel, q), places + 1, q, blocks - 1 - q),
    ).reduce(add);
    const axes = shape.map((_, axis) => axis).filter((axis) => axis !== kernel);
    axes.splice(places + 1, 0, kernel);
    const others = folded.node.shape.filter((_, axis) => axis !== kernel);
    const woven = record.reshape(
      record.permute(folded, axes),
      others.map((count, axis) => (axis === places ? count * stride : count)),
    );
    return moved(woven, places, -before, size + before - woven.node.shape[places]!);
  }
  const moves = Array.from({ length: slide.kernel }, (_, k) => Math.floor((k * dilation) / stride));
  const furthest = moves.at(-1) ?? 0;
  const phases = Array.from({ length: stride }, (_, r) => {
    const terms = moves.flatMap((move, k) =>
      (k * dilation) % stride === r
        ? [moved(selected(columns, kernel, k), places, move, furthest - move)]
        : [],
    );
    return terms.length > 0 ? terms.reduce(add) : null;
  });
  const some = phases.find((phase) => phase !== null) as Value;
  const zeros = record.expand(record.cast(record.constant("int32", 0), some.node.dtype), some.node.shape);
  const woven = interleaved(
    phases.map((phase) => phase ?? zeros),
    places,
  );
  return moved(woven, places, -before, size + before - woven.node.shape[places]!);
}

/** Adds zeros before and after an axis; a negative width removes places. */
const moved = (x: Value, axis: number, front: number, back: number): Value =>
  pad(x, [...new Array<number>(2 * (x.node.shape.length - 1 - axis)).fill(0), front, back], 0);

/** Place k of an axis, which is dropped. */
const selected = (x: Value, axis: number, k: number): Value =>
  record.reshape(
    narrowed(x, axis, k, 1),
    x.node.shape.filter((_, other) => other !== axis),
  );

/** Interleaves values: place q of value r becomes place q·count + r. */
function interleaved(values: readonly Value[], axis: number): Value {
  if (values.length === 1) return values[0]!;
  const { shape } = values[0]!.node;
  const apart = [...shape.slice(0, axis + 1), 1, ...shape.slice(axis + 1)];
  const joined = record.concat(
    values.map((value) => record.reshape(value, apart)),
    axis + 1,
  );
  return record.reshape(
    joined,
    shape.map((size, other) => (other === axis ? size * values.length : size)),
  );
}
