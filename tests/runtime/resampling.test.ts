/** Resampling to a whole part of the size, where neighbours are slices, against the weights spelt out in float32. */
import { interpolate, setOptions, tensor } from "fuseau";
import { afterEach, describe, expect, test } from "vitest";

afterEach(() => setOptions({ fusion: undefined, emitter: undefined }));

const f = Math.fround;

/** A line by a factor: place i is i·step + (step − 1) / 2. */
function halved(line: readonly number[], step: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => {
    const place = Math.max(f(f(f(i + 0.5) * step) - 0.5), 0);
    const low = Math.floor(place);
    const weight = f(place - low);
    const high = Math.min(low + 1, line.length - 1);
    return f(f(line[low]! * f(1 - weight)) + f(line[high]! * weight));
  });
}

const numbers = (count: number): number[] =>
  Array.from({ length: count }, (_, k) =>
    k % 41 === 40 ? Number.POSITIVE_INFINITY : f(((k * 37) % 101) / 7),
  );

describe.each([{}, { fusion: "none" }, { emitter: "wasm" }, { emitter: "closure" }] as const)(
  "%o",
  (setting) => {
    test.each([
      [12, 2],
      [13, 2],
      [12, 3],
      [20, 4],
      [17, 5],
      [90, 6],
    ])("a line of %d by a part of 1/%d", (from, step) => {
      setOptions(setting);
      const line = numbers(from);
      const count = Math.floor(from / step);
      const scaled = interpolate(tensor(line).reshape([1, 1, from]), {
        scaleFactor: 1 / step,
        mode: "linear",
      });
      expect(scaled.shape).toEqual([1, 1, Math.floor(from * (1 / step))]);
      expect(scaled.toArray()[0]![0]).toEqual(halved(line, step, count));
    });

    test("a picture by half, of two channels", () => {
      setOptions(setting);
      const [height, width] = [10, 14];
      const elements = numbers(2 * height * width);
      const x = tensor(elements).reshape([1, 2, height, width]);
      const found = interpolate(x, { size: [5, 7], mode: "bilinear" }).toArray()[0]!;
      for (const [channel, plane] of found.entries()) {
        const rows = Array.from({ length: height }, (_, i) => {
          const start = (channel * height + i) * width;
          return halved(elements.slice(start, start + width), 2, 7);
        });
        const columns = rows[0]!.map((_, j) =>
          halved(
            rows.map((row) => row[j]!),
            2,
            5,
          ),
        );
        expect(plane).toEqual(columns[0]!.map((_, i) => columns.map((column) => column[i])));
      }
    });
  },
);
