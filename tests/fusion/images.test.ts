/** Images: what is padded, mixed, turned and joined is stored where a fused kernel would compute parts of parts, or walk across memory. */
import {
  type AnyTensor,
  conv2d,
  linspace,
  maxPool2d,
  pad,
  pixelUnshuffle,
  randint,
  type Tensor,
} from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";
import { explained, opsOf } from "./expect-kernels.ts";

compileWhole();

type Images = Tensor<[number, number, number, number], "float32">;
const images = (...shape: number[]): Images => {
  const count = shape.reduce((product, size) => product * size, 1);
  return linspace(-3, 2.7, count).mul(count).sin().reshape(shape).compute() as unknown as Images;
};
const loopsOf = (x: AnyTensor): string =>
  explained(x)
    .kernels.map(({ schedule }) => schedule)
    .join("\n");
const padded = (x: AnyTensor, mode: "reflect" | "replicate" | "circular") =>
  pad(x as Images, [1, 1, 1, 1], { mode });

/** By program: the ops of its kernels. */
const stored: readonly (readonly [string, () => AnyTensor, readonly string[]])[] = [
  [
    "padding of what is padded by reflection, whose places come from nine parts",
    () => padded(images(3, 5, 97, 126), "reflect").pad([1, 1, 1, 1]),
    ["concat", "pad"],
  ],
  [
    "a fold of rows that are padded, rather than the padding",
    () => {
      const x = images(24, 128, 7, 7);
      return padded(x.eq(x.amax([2, 3], { keepdim: true })).float(), "circular");
    },
    ["max eq cast", "concat", "concat"],
  ],
  [
    "windows in front of a transposition",
    () =>
      maxPool2d(images(3, 1, 256, 256), 2)
        .permute([0, 3, 1, 2])
        .neg(),
    ["max", "neg"],
  ],
  [
    "a fold whose readers would find their places by quotients",
    () =>
      images(4, 8, 64, 64)
        .reshape([4, 8, 32, 2, 32, 2])
        .permute([0, 1, 3, 5, 2, 4])
        .reshape([4, 32, 32, 32])
        .softmax(1),
    ["max", "sub", "exp", "sum reciprocal mul"],
  ],
  [
    "a mean of channels whose rows would find their places by quotients",
    () => {
      const x = pixelUnshuffle(images(1, 32, 56, 56), 2);
      return x.sub(x.mean(1, { keepdim: true }));
    },
    ["sum", "div", "sub"],
  ],
  [
    "short rows that an operand keeps apart, in front of a transposition",
    () =>
      images(12, 64, 14, 14)
        .add(images(1, 64, 1, 1))
        .permute([0, 3, 1, 2])
        .contiguous(),
    ["add", "permute"],
  ],
];

describe("of images", () => {
  for (const [name, make, kernels] of stored)
    it(`stores ${name}`, () => {
      expect(opsOf(make())).toEqual(kernels);
      expect(make().compute().toTypedArray()).toEqual(make().compute({ fusion: "none" }).toTypedArray());
    });

  it("chosen channels are transposed in registers", () => {
    const places = randint(0, 8, [8]).compute();
    const make = () => images(4, 8, 64, 64).indexSelect(1, places).permute([0, 3, 1, 2]).contiguous();
    expect(loopsOf(make())).toMatch(/jam 4/);
    expect(make().compute().toTypedArray()).toEqual(make().compute({ fusion: "none" }).toTypedArray());
  });

  it("few channels are mixed in lanes, without tiles", () => {
    const make = () => conv2d(images(1, 3, 128, 128), images(8, 3, 1, 1));
    expect(
      explained(make())
        .kernels.map(({ source }) => source)
        .join("\n"),
    ).not.toContain("func pack");
    expect(make().compute().toTypedArray()).toEqual(make().compute({ fusion: "none" }).toTypedArray());
  });
});
