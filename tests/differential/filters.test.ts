/** Filters of few taps that slide along rows: one is an unrolled sum in lanes, several are tiles. Both against plain loops, and bit by bit. */
import { type AnyTensor, conv1d, fromTypedArray } from "fuseau";
import { expect, it } from "vitest";

const floats = (count: number, seed: number): Float32Array =>
  Float32Array.from({ length: count }, (_, k) => Math.sin(k * 12.9898 + seed * 78.233) * 3);

interface Filter {
  readonly taps: number;
  readonly stride: number;
  readonly dilation: number;
}

/** The sums in float64, and those of absolute values. */
function slide(image: Float32Array, filter: Float32Array, width: number, { taps, stride, dilation }: Filter) {
  const places = Math.floor((width - (taps - 1) * dilation - 1) / stride) + 1;
  const rows = image.length / width;
  return Array.from({ length: rows * places }, (_, k) => {
    const [row, place] = [Math.floor(k / places), k % places];
    const terms = Array.from(
      { length: taps },
      (_, tap) => image[row * width + place * stride + tap * dilation]! * filter[tap]!,
    );
    return {
      sum: terms.reduce((sum, each) => sum + each, 0),
      size: terms.reduce((sum, each) => sum + Math.abs(each), 0),
    };
  });
}

it.each([1, 2, 3, 7, 15, 16, 17])("%i taps", (taps) => {
  for (const width of [taps + 2, 33, 67, 130])
    for (const stride of [1, 2])
      for (const dilation of [1, 2]) {
        if (width < (taps - 1) * dilation + 1) continue;
        const settings = { taps, stride, dilation };
        const [image, filters] = [floats(5 * width, 1), floats(3 * taps, 2)];
        const x = fromTypedArray(image, { shape: [5, 1, width] });
        const conv = (count: number): AnyTensor => {
          const weight = fromTypedArray(filters.slice(0, count * taps), { shape: [count, 1, taps] });
          return (conv1d(x, weight as never, { stride, dilation }) as AnyTensor).select(1, 0) as AnyTensor;
        };
        const expected = slide(image, filters, width, settings);
        // One filter in one place is a product and a sum, in the order of sums, if it is not unrolled.
        const several = expected.length === 5 && taps > 16 ? 1 : 3;
        for (const emitter of ["wasm", "js"] as const) {
          const given = conv(1).compute({ emitter }).toTypedArray() as Float32Array;
          const what = `${JSON.stringify({ ...settings, width })}, ${emitter}`;
          expect(given.length, what).toBe(expected.length);
          const isNear = expected.every(({ sum, size }, k) => Math.abs(given[k]! - sum) <= 1e-6 * size);
          expect(isNear, what).toBe(true);
          for (const fusion of ["on", "none"] as const)
            expect(conv(several).compute({ emitter, fusion }).toTypedArray(), what).toEqual(given);
        }
      }
});
