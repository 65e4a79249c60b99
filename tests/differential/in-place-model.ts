/** A plain model of strided memory, as PyTorch's documentation describes it: an array, and windows onto it. Nothing is clever here. */

export type ModelDType = "float32" | "int32" | "uint8" | "bool";

export interface Memory {
  readonly dtype: ModelDType;
  readonly cells: number[];
}

/** A tensor: which cells of a memory, in which order. */
export interface Window {
  readonly memory: Memory;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}

export const count = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

/** A number as an element of the dtype holds it. */
export function rounded(dtype: ModelDType, value: number): number {
  if (dtype === "float32") return Math.fround(value);
  if (dtype === "int32") return value | 0;
  return dtype === "uint8" ? value & 255 : Number(value !== 0);
}

export function rowMajor(shape: readonly number[]): number[] {
  return shape.map((_, axis) =>
    shape.slice(axis + 1).reduce((product, size) => product * Math.max(size, 1), 1),
  );
}

export const fresh = (dtype: ModelDType, shape: readonly number[], cells: readonly number[]): Window => ({
  memory: { dtype, cells: [...cells] },
  shape,
  strides: rowMajor(shape),
  offset: 0,
});

/** Every index of a shape, the last axis fastest. */
export function indices(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (found, size) => found.flatMap((index) => Array.from({ length: size }, (_, place) => [...index, place])),
    [[]],
  );
}

/** The cell of every element, row-major. */
export const places = ({ shape, strides, offset }: Window): number[] =>
  indices(shape).map((index) =>
    index.reduce((place, at, axis) => place + at * (strides[axis] as number), offset),
  );

export const read = (window: Window): number[] =>
  places(window).map((place) => window.memory.cells[place] as number);

export function write(window: Window, values: readonly number[]): void {
  places(window).forEach((place, k) => {
    window.memory.cells[place] = rounded(window.memory.dtype, values[k] as number);
  });
}

/** The elements of one window as another shape reads them by broadcasting; null when they do not broadcast to it. */
export function broadcast(window: Window, shape: readonly number[]): number[] | null {
  const missing = shape.length - window.shape.length;
  if (missing < 0) return null;
  const fits = window.shape.every((size, axis) => size === 1 || size === shape[axis + missing]);
  if (!fits) return null;
  return indices(shape).map((index) => {
    const place = window.strides.reduce(
      (sum, stride, axis) =>
        sum + (window.shape[axis] === 1 ? 0 : (index[axis + missing] as number) * stride),
      window.offset,
    );
    return window.memory.cells[place] as number;
  });
}

export const sharesCells = (window: Window): boolean => new Set(places(window)).size < count(window.shape);

/** All cells of a range once each. */
function isDense(window: Window): boolean {
  const found = places(window);
  return new Set(found).size === found.length && Math.max(...found) - Math.min(...found) === found.length - 1;
}

/** What PyTorch refuses: dense windows of one memory that share cells, and are not the very same. */
export function overlapsPartly(a: Window, b: Window): boolean {
  if (a.memory !== b.memory || count(a.shape) === 0 || count(b.shape) === 0) return false;
  if (!isDense(a) || !isDense(b)) return false;
  const cells = new Set(places(a));
  if (!places(b).some((place) => cells.has(place))) return false;
  const same =
    a.offset === b.offset &&
    count(a.shape) === count(b.shape) &&
    a.strides.length === b.strides.length &&
    a.strides.every((stride, axis) => stride === b.strides[axis]);
  return !same;
}

/** The window of another shape over the same cells in the same order; null when no strides give it. */
export function reshaped(window: Window, shape: readonly number[]): Window | null {
  const found = places(window);
  const rows = rowMajor(shape);
  const offset = found[0] ?? window.offset;
  const strides = shape.map((size, axis) =>
    size > 1 && found.length > 0 ? (found[rows[axis] as number] as number) - offset : (rows[axis] as number),
  );
  const view = { memory: window.memory, shape, strides, offset };
  return places(view).every((place, k) => place === found[k]) ? view : null;
}
