/**
 * What the compiler makes of representative expressions, kept as files: a change of any pass shows as a difference to read.
 * `npx vitest run tests/golden -u` writes them anew.
 */
import { type AnyTensor, clearCaches, concat, type Explanation, fromTypedArray, type Tensor } from "fuseau";
import { beforeEach, expect, it } from "vitest";

const stored = (...shape: number[]): Tensor<number[], "float32"> =>
  fromTypedArray(new Float32Array(count(shape)), { shape });

const count = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

const expressions: Readonly<Record<string, () => AnyTensor>> = {
  "chain with broadcast rows": () => {
    const [a, b] = [stored(100, 200), stored(100, 200)];
    const [c, d] = [stored(200), stored(200)];
    return a.mul(b).add(c).mul(d).sub(a);
  },
  "transposed add": () => stored(100, 200).add(stored(200, 100).t()),
  "row softmax": () => stored(100, 200).softmax(1),
  "column standardise": () => {
    const x = stored(100, 64);
    return x.sub(x.mean(0)).div(x.std(0));
  },
  "full sum of float64": () => fromTypedArray(new Float64Array(100_000), { shape: [100, 1000] }).sum(),
  argmin: () => stored(50, 300).argmin(1),
  "pad and concat": () => {
    const x = stored(20, 30);
    return concat([x.pad([1, 2]), x.slice(":", [0, 3]).mul(2)], 1);
  },
  "int64 sum": () => fromTypedArray(new BigInt64Array(3000), { shape: [50, 60] }).sum(1),
  "uint8 image to float planes": () => {
    const image = fromTypedArray(new Uint8Array(64 * 48 * 3), { shape: [64, 48, 3] });
    const [mean, deviation] = [stored(3, 1, 1), stored(3, 1, 1)];
    return image.permute([2, 0, 1]).to("float32").div(255).sub(mean).div(deviation);
  },
};

const section = (title: string, text: string): string => `== ${title} ==\n${text}\n`;

const golden = ({ graph, simplified, kernels }: Explanation): string =>
  [
    section("recorded", graph),
    section("simplified", simplified),
    ...kernels.flatMap(({ name, phases, loop, sizes, source }) => [
      section(`${name}, ${phases} ${phases === 1 ? "phase" : "phases"}, sizes ${sizes.join(" ")}`, loop),
      section(`${name}, JavaScript`, source.trimEnd()),
    ]),
  ].join("\n");

// An equal kernel that was made before, in any file, would keep its name.
beforeEach(() => clearCaches());

it.each(Object.keys(expressions))("%s", async (name) => {
  const explanation = (expressions[name] as () => AnyTensor)().explain({ emitter: "js", fusion: "on" });
  await expect(golden(explanation)).toMatchFileSnapshot(`expected/${name.replaceAll(" ", "-")}.txt`);
});

it("what stands in a golden file is JavaScript that runs", () => {
  const sources = Object.values(expressions).flatMap((make) =>
    make()
      .explain({ emitter: "js" })
      .kernels.map(({ source }) => source),
  );
  expect(sources.length).toBeGreaterThanOrEqual(Object.keys(expressions).length);
  for (const source of sources)
    expect(() => new Function(`"use strict";\nreturn ${source};`)()).not.toThrow();
});
