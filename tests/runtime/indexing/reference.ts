/** Gathers and scatters written as their equations, one element at a time. */

/** Elements in row-major order. */
export interface Dense {
  readonly shape: readonly number[];
  readonly data: readonly number[];
}

export const count = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

/** The place of every element, in row-major order. */
export function* places(shape: readonly number[]): Generator<readonly number[]> {
  const total = count(shape);
  for (let flat = 0; flat < total; flat++) {
    let rest = flat;
    const place = shape.map(() => 0);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      place[axis] = rest % shape[axis]!;
      rest = Math.floor(rest / shape[axis]!);
    }
    yield place;
  }
}

export const flatPlace = (shape: readonly number[], place: readonly number[]): number =>
  place.reduce((flat, at, axis) => flat * shape[axis]! + at, 0);

export const at = ({ shape, data }: Dense, place: readonly number[]): number =>
  data[flatPlace(shape, place)]!;

const moved = (place: readonly number[], axis: number, to: number): number[] =>
  place.map((here, k) => (k === axis ? to : here));

/** out[…][i][…] = x[…][index[…][i][…]][…] */
export const gather = (x: Dense, axis: number, index: Dense): number[] =>
  [...places(index.shape)].map((place) => at(x, moved(place, axis, at(index, place))));

export type Fold = "set" | "sum" | "prod" | "mean" | "amax" | "amin";

const fold: Record<Exclude<Fold, "set" | "mean">, (a: number, b: number) => number> = {
  sum: (a, b) => a + b,
  prod: (a, b) => a * b,
  amax: (a, b) => Math.max(a, b),
  amin: (a, b) => Math.min(a, b),
};

/** out[…][index[…][i][…]][…] = source[…][i][…], folded with what came there before. `floor` for integers. */
export function scatter(
  x: Dense,
  axis: number,
  index: Dense,
  source: Dense,
  how: Fold,
  includeSelf: boolean,
  floor: boolean,
): number[] {
  const arrived = x.data.map(() => [] as number[]);
  for (const place of places(index.shape))
    arrived[flatPlace(x.shape, moved(place, axis, at(index, place)))]!.push(at(source, place));
  const folded = x.data.map((own, k) => {
    const come = arrived[k]!;
    if (come.length === 0) return own;
    if (how === "set") return come.at(-1)!;
    const all = includeSelf ? [own, ...come] : come;
    if (how !== "mean") return all.reduce((a, b) => fold[how](a, b));
    const mean = all.reduce((a, b) => a + b) / all.length;
    return floor ? Math.floor(mean) : mean;
  });
  // Integers have no −0.
  return folded.map((element) => element + 0);
}

/** What stands for one axis in an advanced index: a whole axis, places, or a mask over several axes. */
export type Item = ":" | { readonly places: Dense } | { readonly mask: Dense };

interface Reading {
  readonly shape: readonly number[];
  /** For each element of the result, the place in x. */
  readonly from: readonly (readonly number[])[];
}

/** NumPy's rules: masks become lists of places, lists broadcast, and their axes stand in front unless they are side by side. */
export function index(x: Dense, items: readonly Item[]): Reading {
  const lists: { readonly axis: number; readonly places: Dense }[] = [];
  let axis = 0;
  for (const item of items) {
    if (item === ":") axis++;
    else if ("places" in item) lists.push({ axis: axis++, places: item.places });
    else {
      const found = [...places(item.mask.shape)].filter((place) => at(item.mask, place) !== 0);
      for (let k = 0; k < item.mask.shape.length; k++) {
        const column = found.map((place) => place[k]!);
        lists.push({ axis: axis++, places: { shape: [column.length], data: column } });
      }
    }
  }
  const rank = Math.max(0, ...lists.map(({ places: { shape } }) => shape.length));
  const together = Array.from({ length: rank }, (_, k) => {
    const sizes = lists.map(({ places: { shape } }) => shape[k - rank + shape.length] ?? 1);
    return sizes.find((size) => size !== 1) ?? 1;
  });
  const indexed = lists.map((list) => list.axis);
  const kept = x.shape.map((_, k) => k).filter((k) => !indexed.includes(k));
  const adjacent = indexed.every((k, n) => k === indexed[0]! + n);
  const front = adjacent ? kept.filter((k) => k < indexed[0]!).length : 0;
  const sizes = kept.map((k) => x.shape[k]!);
  const shape = [...sizes.slice(0, front), ...together, ...sizes.slice(front)];
  const from = [...places(shape)].map((place) => {
    const among = place.slice(front, front + rank);
    const rest = [...place.slice(0, front), ...place.slice(front + rank)];
    const source = x.shape.map(() => 0);
    kept.forEach((k, n) => {
      source[k] = rest[n]!;
    });
    for (const list of lists) {
      const { shape: own } = list.places;
      const here = own.map((size, k) => (size === 1 ? 0 : among[k + rank - own.length]!));
      const given = at(list.places, here);
      source[list.axis] = given < 0 ? given + x.shape[list.axis]! : given;
    }
    return source;
  });
  return { shape, from };
}
