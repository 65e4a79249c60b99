/** Products whose axes are turned and joined by what reads them are stored that way: nobody takes quotients of places. */
import { type AnyTensor, conv2d, groupNorm, type Tensor } from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";
import { explained } from "./expect-kernels.ts";
import { floats } from "./floats.ts";

compileWhole();

type Images = Tensor<[number, number, number, number], "float32">;
const images = (...shape: number[]): Images => floats(...shape) as unknown as Images;
/** Loops that read the buffer of the product, by the kernel's ops. */
const readersOf = (x: AnyTensor): string[] =>
  explained(x)
    .kernels.filter(({ ops }) => !ops.includes("contract"))
    .map(({ loop }) => loop);

describe("a product is stored turned", () => {
  it("where a convolution's channels are normalised in groups", () => {
    const channels = conv2d(images(2, 16, 28, 28), images(16, 16, 3, 3), { padding: 1 });
    const normal = groupNorm(channels, 4);
    expect(explained(normal).kernels.map(({ ops }) => ops.join(" "))[1]).toBe("contract permute");
    for (const loops of readersOf(normal)) expect(loops).not.toMatch(/ [/%] n/);
  });

  it("where the heads of an attention are joined for the product that follows", () => {
    const [weights, values] = [floats(4, 4, 64, 64), floats(4, 4, 64, 32)];
    const joined = weights.matmul(values).transpose(1, 2).reshape([4, 64, 128]);
    const { kernels } = explained(joined.matmul(floats(128, 128)).add(1));
    expect(kernels.map(({ loop }) => loop).join("\n")).not.toMatch(/ [/%] n/);
  });

  it("and not where its readers take it in its own order", () => {
    const channels = conv2d(images(2, 16, 28, 28), images(16, 16, 3, 3), { padding: 1 });
    const kernels = explained(channels.mean([2, 3])).kernels.map(({ ops }) => ops.join(" "));
    expect(kernels).not.toContain("contract permute");
  });
});
