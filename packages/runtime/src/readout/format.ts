/**
 * The printed form of a tensor: PyTorch's, to the character, but that shape and dtype always follow the elements.
 * Source: torch/_tensor_str.py with the default PrinterOptions, named where they are used.
 */
import { float16FromBits } from "@fuseau/compiler";
import { type DType, elementCount, isFloat, type Shape, showShape, type TypedArray } from "@fuseau/ir";
import { type ElementFormat, exactFormat, floatFormat } from "./element-format.ts";
import { edgeItems, type ShownAxis, shownAxes, shownPositions } from "./shown.ts";

/** PrinterOptions.linewidth. */
const lineWidth = 80;
const prefix = "tensor(";

/**
 * `tensor([[1., 2.],\n        [3., 4.]], shape=[2, 2], dtype=float32)`. Reads the shown elements only: more than 1000
 * are elided in the middle of each axis longer than six.
 * @param elements contiguous, the last axis innermost; as many as `shape` has.
 */
export function formatTensor(dtype: DType, shape: Shape, elements: TypedArray): string {
  const text = elementCount(shape) === 0 ? "[]" : elementsText(dtype, shape, elements);
  return withSuffixes(prefix + text, [`shape=${showShape(shape)}`, `dtype=${dtype}`]);
}

function elementsText(dtype: DType, shape: Shape, elements: TypedArray): string {
  const axes = shownAxes(shape);
  const values = shownPositions(axes).map((position) => elements[position]!);
  if (isFloat(dtype)) {
    const numbers = dtype === "float16" ? (values as number[]).map(float16FromBits) : (values as number[]);
    return blocksText(axes, numbers, floatFormat(numbers));
  }
  if (dtype !== "bool") return blocksText(axes, values, exactFormat(values));
  const booleans = values.map((value) => value !== 0);
  return blocksText(axes, booleans, exactFormat(booleans));
}

/** Brackets and line breaks around `values`, which are the shown ones in order (`_tensor_str_with_formatter`). */
function blocksText<Element>(
  axes: readonly ShownAxis[],
  values: readonly Element[],
  format: ElementFormat<Element>,
): string {
  let next = 0;
  const block = (depth: number): string => {
    const axis = axes[depth];
    if (axis === undefined) return format.text(values[next++]!).padStart(format.width);
    const innermost = depth === axes.length - 1;
    const parts = axis.indices.map(() => block(depth + 1));
    if (axis.elided) parts.splice(edgeItems, 0, innermost ? " ..." : "...");
    const column = prefix.length + depth;
    const indent = " ".repeat(column + 1);
    if (innermost) return `[${wrapped(parts, lineWidth - column, format.width).join(`,\n${indent}`)}]`;
    return `[${parts.join(`,${"\n".repeat(axes.length - depth - 1)}${indent}`)}]`;
  };
  return block(0);
}

/** A row in lines of equally many elements, as many as fit into `room` characters (`_vector_str`). */
function wrapped(parts: readonly string[], room: number, width: number): string[] {
  const perLine = Math.max(1, Math.floor(room / (width + ", ".length)));
  const lines: string[] = [];
  for (let i = 0; i < parts.length; i += perLine) lines.push(parts.slice(i, i + perLine).join(", "));
  return lines;
}

/** Each suffix on the last line, or on one of its own where the line would become too long (`_add_suffixes`). */
function withSuffixes(text: string, suffixes: readonly string[]): string {
  let result = text;
  // PyTorch counts the line feed and one more, so a line is broken two characters early.
  let length = text.length - text.lastIndexOf("\n") + 1;
  for (const suffix of suffixes) {
    if (length + suffix.length + 2 > lineWidth) {
      result += `,\n${" ".repeat(prefix.length)}${suffix}`;
      length = prefix.length + suffix.length;
    } else {
      result += `, ${suffix}`;
      length += suffix.length + 2;
    }
  }
  return `${result})`;
}
