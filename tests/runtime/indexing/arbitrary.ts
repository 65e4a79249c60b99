/** Random arrays, and indices that fit them. */

import fc from "fast-check";
import { type DType, type Tensor, tensor } from "fuseau";
import { count, type Dense, type Item } from "./reference.ts";

export const toTensor = <D extends DType>({ shape, data }: Dense, dtype: D): Tensor<number[], D> =>
  tensor([...data], { shape: [...shape], dtype }) as Tensor<number[], D>;

export const elements = (shape: readonly number[], element: fc.Arbitrary<number>): fc.Arbitrary<Dense> =>
  fc.array(element, { minLength: count(shape), maxLength: count(shape) }).map((data) => ({ shape, data }));

export const small: fc.Arbitrary<number> = fc.integer({ min: -4, max: 4 });

export const shapes = (least: number): fc.Arbitrary<number[]> =>
  fc.array(fc.integer({ min: 1, max: 4 }), { minLength: least, maxLength: 3 });

export interface Scattering {
  readonly x: Dense;
  readonly axis: number;
  readonly index: Dense;
  readonly source: Dense;
}

/** An index that is no longer than x off the axis, and a source that may be longer than the index. */
export const scatterings: fc.Arbitrary<Scattering> = shapes(1).chain((shape) =>
  fc
    .record({
      axis: fc.integer({ min: 0, max: shape.length - 1 }),
      lengths: fc.tuple(...shape.map((size) => fc.integer({ min: 0, max: size }))),
      along: fc.integer({ min: 0, max: 6 }),
      more: fc.tuple(...shape.map(() => fc.integer({ min: 0, max: 2 }))),
    })
    .chain(({ axis, lengths, along, more }) => {
      const sizes = lengths.map((length, k) => (k === axis ? along : length));
      return fc.record({
        x: elements(shape, small),
        axis: fc.constant(axis),
        index: elements(sizes, fc.integer({ min: 0, max: shape[axis]! - 1 })),
        source: elements(
          sizes.map((size, k) => size + more[k]!),
          small,
        ),
      });
    }),
);

/** x and an item for each axis, or fewer; tensors broadcast to `[2, 3]`, masks have three true places. */
export const indexings: fc.Arbitrary<{ readonly x: Dense; readonly items: readonly Item[] }> = fc
  .array(fc.integer({ min: 2, max: 4 }), { minLength: 1, maxLength: 4 })
  .chain((shape) =>
    fc.record({
      x: fc.constant({ shape, data: Array.from({ length: count(shape) }, (_, k) => k) }),
      items: itemsFor(shape),
    }),
  );

const itemsFor = (sizes: readonly number[]): fc.Arbitrary<Item[]> => {
  if (sizes.length === 0) return fc.constant([]);
  const rest = (taken: number) => itemsFor(sizes.slice(taken));
  const list = fc
    .constantFrom([3], [2, 3], [2, 1], [1])
    .chain((shape) => elements(shape, fc.integer({ min: -sizes[0]!, max: sizes[0]! - 1 })))
    .map((found): Item => ({ places: found }));
  const choices = [
    fc.constant<Item[]>([]),
    rest(1).map((later): Item[] => [":", ...later]),
    fc.tuple(list, rest(1)).map(([first, later]): Item[] => [first, ...later]),
  ];
  const mask = (rank: number): void => {
    const shape = sizes.slice(0, rank);
    if (shape.length < rank || count(shape) < 3) return;
    const trueAt = fc
      .uniqueArray(fc.integer({ min: 0, max: count(shape) - 1 }), { minLength: 3, maxLength: 3 })
      .map((found): Item => ({ mask: { shape, data: masked(count(shape), found) } }));
    choices.push(fc.tuple(trueAt, rest(rank)).map(([first, later]): Item[] => [first, ...later]));
  };
  mask(1);
  mask(2);
  return fc.oneof(...choices);
};

const masked = (length: number, found: readonly number[]): number[] =>
  Array.from({ length }, (_, k) => (found.includes(k) ? 1 : 0));
