/** Running maxima and minima are the elements at their places, NaN and signs of zeros included. */
import { compute, setOptions, tensor } from "fuseau";
import { afterEach, describe, expect, test } from "vitest";

afterEach(() => setOptions({ fusion: undefined, emitter: undefined }));

const nan = Number.NaN;
const special = [0, -0, 1, -0, 0, -Infinity, 2, nan, 5, nan, Infinity, -1, 1, 1, -0, 0, Infinity];

/** 13 rows of 29, that begin anywhere among the special values, and plain ones between them. */
const elements = Array.from({ length: 13 * 29 }, (_, k) =>
  k % 7 < 4 ? special[(k * 5 + Math.floor(k / 29)) % special.length]! : ((k * 31) % 17) - 8,
);
const finite = elements.map((element) => (Number.isFinite(element) ? element : 3));

const settings = [{}, { fusion: "none" }, { emitter: "wasm" }, { emitter: "closure" }] as const;

describe.each(settings)("%o", (setting) => {
  test.each([
    ["float32", elements],
    ["float16", elements],
    ["float64", elements],
    ["int64", finite],
    ["int8", finite],
    ["bool", finite.map((element) => element > 4)],
  ] as const)("of %s", (dtype, given) => {
    setOptions(setting);
    const x = tensor(given as number[], { dtype }).reshape([13, 29]);
    for (const dim of [0, 1])
      for (const op of ["cummax", "cummin"] as const) {
        const { values, indices } = x[op](dim);
        compute(values, indices);
        const picked = x.gather(dim, indices).toTypedArray();
        values.toTypedArray().forEach((value: number | bigint, k: number) => {
          if (!Object.is(value, picked[k]))
            expect.fail(`${op} along ${dim}: ${value} at ${k}, not ${picked[k]}`);
        });
      }
  });

  test("a zero is the last of the zeros, and a NaN stays", () => {
    setOptions(setting);
    const { values, indices } = tensor([-0, 0, -0, nan, 1, nan, 2]).cummax(0);
    expect(values.toArray()).toEqual([-0, 0, -0, nan, nan, nan, nan]);
    expect(indices.toArray()).toEqual([0, 1, 2, 3, 3, 5, 5]);
  });
});

test.each(["float32", "float16", "float64", "int32", "int64"] as const)(
  "steps of WebAssembly give the values and places that single elements do, of %s",
  (dtype) => {
    const x = tensor(dtype.startsWith("int") ? finite : elements, { dtype });
    for (const rows of [1, 13])
      for (const op of ["cummax", "cummin"] as const) {
        const [inSteps, oneByOne] = (["wasm", "closure"] as const).map((emitter) => {
          const { values, indices } = x.reshape([rows, -1])[op](1);
          const doubled = values.mul(2);
          compute(values, indices, doubled, { emitter });
          return [values, indices, doubled].map((each) => [...each.toTypedArray()]);
        });
        expect(inSteps).toEqual(oneByOne);
      }
  },
);
