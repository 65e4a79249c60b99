/** Elements two apart, and from the last to the first, are other code in WebAssembly: they are those that the slice names. */
import { type DType, setOptions, tensor } from "fuseau";
import { afterEach, expect, it } from "vitest";

afterEach(() => setOptions({ emitter: undefined }));

const lengths = [1, 2, 3, 8, 15, 31, 64, 101];
const dtypes: readonly DType[] = [
  "bool",
  "uint8",
  "int16",
  "float16",
  "int32",
  "float32",
  "float64",
  "int64",
];

it.each(dtypes)("of %s, from every place on", (dtype) => {
  setOptions({ emitter: "wasm" });
  for (const length of lengths) {
    const numbers = Array.from({ length }, (_, k) => (dtype === "bool" ? (k % 3) % 2 : (k * 37) % 101));
    const x = tensor(numbers, { dtype });
    const expected = [...x.toTypedArray()];
    for (const begin of [0, 1, 2, 3]) {
      const every = x.slice([Math.min(begin, length), null, 2]).clone();
      expect([...every.toTypedArray()]).toEqual(
        expected.filter((_, k) => k >= begin && (k - begin) % 2 === 0),
      );
    }
    expect([...x.flip([0]).clone().toTypedArray()]).toEqual([...expected].reverse());
  }
});

it("both of each pair in one kernel, and written to every second place", () => {
  setOptions({ emitter: "wasm" });
  const numbers = Array.from({ length: 3 * 42 }, (_, k) => (k * 37) % 101);
  const x = tensor(numbers).reshape([3, 42]);
  const sums = x.slice(":", [0, null, 2]).add(x.slice(":", [1, null, 2]));
  const pairs = x.reshape([3, 21, 2]);
  expect(sums.toArray()).toEqual(pairs.select(2, 0).add(pairs.select(2, 1)).toArray());
  const y = x.clone();
  y.slice(":", [1, null, 2]).mul_(-1);
  expect(y.flatten().toArray()).toEqual(numbers.map((number, k) => (k % 2 === 1 ? -number : number)));
});
