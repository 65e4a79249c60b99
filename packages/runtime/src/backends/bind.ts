import type { KernelCall } from "@fuseau/compiler";

/** The sizes of a call in this run: the numbers where slices and windows begin are added in. */
export function sizesOf({ sizes, begins }: KernelCall, numbers: readonly number[]): readonly number[] {
  if (begins.length === 0) return sizes;
  const bound = [...sizes];
  for (const { slot, terms } of begins)
    for (const { place, factor } of terms)
      bound[slot] = (bound[slot] as number) + factor * (numbers[place] as number);
  return bound;
}
