/**
 * Functions of a kernel's sizes, made of others. A kernel keeps them, and a closure keeps what the function around it holds: made where a
 * kernel is written, one would keep all that was written. So they are made here, of nothing but their parts.
 */
import type { OfSizes } from "@fuseau/ir";

export const always =
  (value: number): OfSizes =>
  () =>
    value;

/** How often nested loops run. */
export const productOf =
  (extents: readonly OfSizes[]): OfSizes =>
  (sizes) => {
    let product = 1;
    for (const extent of extents) product *= extent(sizes);
    return product;
  };

export const sumOf =
  (terms: readonly OfSizes[]): OfSizes =>
  (sizes) => {
    let sum = 0;
    for (const term of terms) sum += term(sizes);
    return sum;
  };

export const greatestOf =
  (values: readonly OfSizes[]): OfSizes =>
  (sizes) =>
    values.reduce((most, value) => Math.max(most, value(sizes)), Number.NEGATIVE_INFINITY);

/** `of` is a function that is defined once, not one that is made for a kernel. */
export const computed =
  <const Parts extends readonly OfSizes[]>(
    parts: Parts,
    of: (...values: { readonly [K in keyof Parts]: number }) => number,
  ): OfSizes =>
  (sizes) =>
    of(...(parts.map((part) => part(sizes)) as { [K in keyof Parts]: number }));

/** Items of so many elements, the last of which may be shorter. */
export const itemsOf =
  (elements: OfSizes, perItem: number): OfSizes =>
  (sizes) =>
    Math.ceil(elements(sizes) / perItem);

export const scaled =
  (value: OfSizes, by: number): OfSizes =>
  (sizes) =>
    by * value(sizes);
