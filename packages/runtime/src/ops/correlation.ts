/**
 * Filters that slide over a padded image, and their derivatives. The windows of an image are a strided view, so a convolution is one
 * contraction: rows of filters by columns of windows. All spatial axes except the last are a batch axis, so that a column is contiguous in
 * memory.
 */
import { elementCount } from "@fuseau/ir";
import * as record from "../record.ts";
import { withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { flip, pad } from "./movement.ts";
import { mul } from "./pointwise.ts";
import { foldWindows, type Slide, windows } from "./windows.ts";

/** Slides filters [G·O, C, ...kernel] over an image [N, G, C, ...sizes]; the result is [N, G·O, ...counts]. */
export function correlate(image: Value, filters: Value, slides: readonly Slide[]): Value {
  const [, groups] = image.node.shape as [number, number];
  const rows = filters.node.shape[0]! / groups;
  if (slides.every(isPlace)) return places(image, filters, rows);
  // It has a rule of its own: transposing each step would sum the gradient of the filters for each line of each image separately.
  return withRule(
    "convolution",
    [image, filters],
    () => product(windows(image, slides), filters, slides, rows),
    (_, g, wanted) => [
      wanted[0] === true ? gradientOfImage(g, image, filters, slides) : null,
      wanted[1] === true ? gradientOfFilters(g, image, filters, slides) : null,
    ],
  );
}

/** True if a window is one place, and there is a window at each place. */
const isPlace = ({ kernel, stride }: Slide): boolean => kernel === 1 && stride === 1;

/** If windows are single places, all places together are the columns of one product. */
function places(image: Value, filters: Value, rows: number): Value {
  const [count, groups, channels, ...sizes] = image.node.shape as [number, number, number, ...number[]];
  const weights = record.expand(record.reshape(filters, [1, groups, rows, channels]), [
    ...[count, groups, rows, channels],
  ]);
  const columns = record.reshape(image, [count, groups, channels, elementCount(sizes)]);
  return record.reshape(record.contract(weights, columns), [count, groups * rows, ...sizes]);
}

/** The product of windows [N, G, C, ...counts, ...kernels] with the filters; the result is [N, G·O, ...counts]. */
function product(view: Value, filters: Value, slides: readonly Slide[], rows: number): Value {
  const rank = slides.length;
  const [count, groups, perGroup] = view.node.shape as [number, number, number];
  const counts = slides.map((slide) => slide.count);
  const outer = counts.slice(0, -1);
  const inner = perGroup * elementCount(slides.map(({ kernel }) => kernel));
  const axesFrom = (start: number, length: number): number[] =>
    Array.from({ length }, (_, axis) => start + axis);
  const columns = record.reshape(
    record.permute(view, [0, 1, ...axesFrom(3, rank - 1), 2, ...axesFrom(3 + rank, rank), 2 + rank]),
    [count, groups, ...outer, inner, counts[rank - 1]!],
  );
  const weights = record.expand(record.reshape(filters, [1, groups, ...outer.map(() => 1), rows, inner]), [
    count,
    groups,
    ...outer,
    rows,
    inner,
  ]);
  const ordered = record.permute(record.contract(weights, columns), [
    0,
    1,
    1 + rank,
    ...axesFrom(2, rank - 1),
    2 + rank,
  ]);
  return record.reshape(ordered, [count, groups * rows, ...counts]);
}

const gradientOfImage = (g: Value, image: Value, filters: Value, slides: readonly Slide[]): Value =>
  correlateBack(
    g,
    filters,
    slides.map((slide) => ({ ...slide, before: 0 })),
    image.node.shape as [number, number, number, ...number[]],
  );

/**
 * The transpose of {@link correlate}: filters times the elements of `g` [N, G·O, ...counts], added up at the places of their windows in an
 * image [N, G, C, ...sizes], without the places `before` it. If windows are one step apart, the reversed filters slide over the padded
 * `g`; otherwise the shares of all windows are added up.
 */
export function correlateBack(
  g: Value,
  filters: Value,
  slides: readonly Slide[],
  [count, groups, perGroup, ...sizes]: readonly [number, number, number, ...number[]],
): Value {
  const kernel = slides.map((slide) => slide.kernel);
  const counts = slides.map((slide) => slide.count);
  const rows = filters.node.shape[0]! / groups;
  const grouped = record.reshape(g, [count, groups, rows, ...counts]);
  const byGroup = record.reshape(filters, [groups, rows, perGroup, ...kernel]);
  const shape = [count, groups, perGroup, ...sizes];
  if (slides.some(({ stride }) => stride > 1)) {
    const inner = perGroup * elementCount(kernel);
    const compute = (): Value => {
      const columns = record.contract(
        record.expand(record.permute(record.reshape(byGroup, [1, groups, rows, inner]), [0, 1, 3, 2]), [
          ...[count, groups, inner, rows],
        ]),
        record.reshape(grouped, [count, groups, rows, elementCount(counts)]),
      );
      const each = record.reshape(columns, [count, groups, perGroup, ...kernel, ...counts]);
      return foldWindows(each, slides, sizes);
    };
    // Transposing each step would pad the gradient once for each place of a filter.
    return withRule("convolution", [g, filters], compute, (_, given, wanted) => {
      const image = surrounded(given, slides);
      return [
        wanted[0] === true ? correlate(image, filters, slides) : null,
        wanted[1] === true ? gradientOfFilters(g, image, filters, slides) : null,
      ];
    });
  }
  const padding = slides.map(({ kernel: size, dilation, before, count: places }, axis) => {
    const front = dilation * (size - 1) - before;
    return [front, sizes[axis]! - places + before];
  });
  const around = pad(grouped, padding.reverse().flat(), 0);
  const turned = flip(
    record.permute(byGroup, [0, 2, 1, ...kernel.map((_, axis) => 3 + axis)]),
    kernel.map((_, axis) => 3 + axis),
  );
  const back = slides.map((slide, axis) => ({ ...slide, before: 0, after: 0, count: sizes[axis]! }));
  const all = correlate(around, record.reshape(turned, [groups * perGroup, rows, ...kernel]), back);
  return record.reshape(all, shape);
}

/** An image without the places before the first window, with all that windows reach and no more. */
function surrounded(image: Value, slides: readonly Slide[]): Value {
  const sizes = image.node.shape.slice(-slides.length);
  const padding = slides.map(({ kernel, stride, dilation, before, count }, axis) => {
    const reach = (count - 1) * stride + dilation * (kernel - 1) + 1;
    return [before, reach - before - sizes[axis]!];
  });
  return pad(image, padding.reverse().flat(), 0);
}

/**
 * The gradient of the filters: for each place of a filter, the sum of products with what it met, over all windows and images. It is one
 * product for each image.
 */
function gradientOfFilters(g: Value, image: Value, filters: Value, slides: readonly Slide[]): Value {
  const [count, groups, perGroup] = image.node.shape as [number, number, number];
  const rank = slides.length;
  const rows = filters.node.shape[0]! / groups;
  const inner = perGroup * elementCount(slides.map(({ kernel }) => kernel));
  const all = elementCount(slides.map((slide) => slide.count));
  const axesFrom = (start: number): number[] => Array.from({ length: rank }, (_, axis) => start + axis);
  const places = record.permute(windows(image, slides), [0, 1, 2, ...axesFrom(3 + rank), ...axesFrom(3)]);
  // Of one channel by one, a product would be a sum for each place of the filter, along windows that are no rows of memory.
  if (perGroup === 1 && rows === 1) {
    const { shape } = places.node;
    const beside = [...shape.slice(0, 3), ...slides.map(() => 1), ...shape.slice(3 + rank)];
    const products = mul(places, record.reshape(g, beside));
    return record.reshape(record.reduce("sum", products, [0, ...axesFrom(3 + rank)]), filters.node.shape);
  }
  const met = record.reshape(places, [count, groups, inner, all]);
  const ofWindows = record.permute(record.reshape(g, [count, groups, rows, all]), [0, 1, 3, 2]);
  const ofImages = record.reduce("sum", record.contract(met, ofWindows), [0]);
  return record.reshape(record.permute(ofImages, [0, 2, 1]), filters.node.shape);
}
