/** Random numbers in WebAssembly, where a step makes whole blocks of words: those that the JS emitter makes one by one. */
import { type AnyTensor, cat, dropout, Generator, ones, rand, randint, randn, setOptions } from "fuseau";
import { afterEach, describe, expect, test } from "vitest";

afterEach(() => setOptions({ slice: undefined }));

type Draw = (generator: Generator) => AnyTensor;

/** Words of 1, 2 and 4 for each element, in loops that begin anywhere in a block. */
const draws: Readonly<Record<string, Draw>> = {
  rand: (generator) => rand([1001], { generator }),
  "rand, rows of an odd length": (generator) => rand([33, 37], { generator }).add(ones([33, 1])),
  "rand, turned": (generator) => rand([33, 37], { generator }).t().contiguous(),
  "rand, flipped": (generator) => rand([333], { generator }).flip([0]).contiguous(),
  "rand, every second": (generator) => rand([333], { generator }).slice([1, null, 2]).mul(3),
  "rand, joined": (generator) => cat([rand([37], { generator }), rand([53], { generator })]),
  "rand of float64": (generator) => rand([333], { generator, dtype: "float64" }),
  "rand of float16": (generator) => rand([333], { generator, dtype: "float16" }),
  "rand, summed by rows": (generator) => rand([33, 37], { generator }).gt(0.5).sum(1),
  randint: (generator) => randint(1000, [333], { generator }),
  "randint of 2^60": (generator) => randint(2n ** 60n, [333], { generator }),
  dropout: (generator) => dropout(ones([333]), 0.25, { generator }),
};

/** Offsets of words: the first, any, and blocks whose number passes 2^32 within the tensor, and far beyond. */
const offsets = [0, 20, 2 ** 34 - 40, 2 ** 34 - 4, 2 ** 50 + 12];

const drawn = (draw: Draw, offset: number, emitter: "wasm" | "js"): AnyTensor => {
  const generator = new Generator().setState({ seed: 0x1234567890abcdefn, offset });
  return draw(generator).compute({ emitter });
};

describe.each(Object.entries(draws))("%s", (_, draw) => {
  test.each(offsets)("from word %d", (offset) => {
    for (const slice of [undefined, 5]) {
      setOptions({ slice });
      const made = drawn(draw, offset, "wasm").toTypedArray();
      expect(made).toEqual(drawn(draw, offset, "js").toTypedArray());
    }
  });
});

/** Places of float32 numbers in their order. */
function placesOf(tensor: AnyTensor): Int32Array {
  const bits = new Int32Array((tensor.toTypedArray() as Float32Array).slice().buffer);
  return bits.map((each) => (each < 0 ? -(each & 0x7fffffff) : each));
}

/** What docs/random.md tells. */
const MOST_ULP = 4;

test.each(offsets)("randn is JavaScript's within 4 ulp, from word %d", (offset) => {
  for (const draw of [
    (generator: Generator) => randn([20_001], { generator }),
    (generator: Generator) => randn([33, 37], { generator }).mul(ones([33, 1])),
  ]) {
    const [made, expected] = (["wasm", "js"] as const).map((emitter) =>
      placesOf(drawn(draw, offset, emitter)),
    );
    const most = made!.reduce((far, place, k) => Math.max(far, Math.abs(place - expected![k]!)), 0);
    expect(most).toBeLessThanOrEqual(MOST_ULP);
  }
});

test("randn of float64 is JavaScript's within the bounds of its logarithm and cosine", () => {
  const draw: Draw = (generator) => randn([1001], { generator, dtype: "float64" });
  const [made, expected] = (["wasm", "js"] as const).map(
    (emitter) => drawn(draw, 20, emitter).toArray() as number[],
  );
  for (const [k, each] of made!.entries()) expect(each).toBeCloseTo(expected![k]!, 13);
});
