/** Images: what is padded, mixed, turned and joined is stored where a fused kernel would compute parts of parts, or walk across memory. */
import {
  type AnyTensor,
  batchNorm,
  cat,
  conv2d,
  linspace,
  maxPool2d,
  pad,
  pixelShuffle,
  pixelUnshuffle,
  randint,
  type Tensor,
  unfold,
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
    ["max", "sub exp", "sum reciprocal mul"],
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

describe("a chain of cheap ops on rows that lie apart, as a product leaves them", () => {
  const [batch, channels] = [16, 64];
  const each = linspace(0.5, 2, channels).compute();
  const given = (x: AnyTensor): AnyTensor => batchNorm(x, each, each, { weight: each, bias: each }).relu();
  const computed = (x: AnyTensor): AnyTensor =>
    batchNorm(x, null, null, { weight: each, bias: each, training: true }).relu();
  it("is one kernel", () => {
    const x = images(batch, 8, channels, 8).permute([0, 2, 1, 3]);
    for (const norm of [given, computed]) {
      expect(opsOf(norm(x)).length).toBe(1);
      expect(norm(x).compute().toTypedArray()).toEqual(norm(x).compute({ fusion: "none" }).toTypedArray());
    }
  });
});

it("a product of few columns in float16, whose vectors are put together, has its factors behind it", () => {
  const half = (...shape: number[]) =>
    images(...shape)
      .half()
      .compute() as Tensor<number[], "float16">;
  const product = half(5, 16, 7, 12).matmul(half(12, 4)).mul(half(7, 1));
  expect(opsOf(product)).toEqual(["contract", "mul"]);
});

describe("pixels that are shuffled", () => {
  it("have loops of their own in front of cheap ops, without quotients", () => {
    for (const by of [2, 3, 4]) {
      const x = pixelShuffle(images(2, 4 * by * by, 12, 12), by);
      expect(loopsOf(x.add(images(2, 4, 12 * by, 12 * by)))).not.toMatch(/x\d+ [/%]/);
    }
    expect(loopsOf(images(2, 3, 12, 12).repeatInterleave(3, 3).exp())).not.toMatch(/x\d+ [/%]/);
    const patches = unfold(images(2, 4, 32, 32), 8, { stride: 8 }).transpose(1, 2);
    expect(loopsOf(patches.add(1))).not.toMatch(/x\d+ [/%]/);
    expect(patches.add(1).compute().toTypedArray()).toEqual(
      patches.contiguous().compute().add(1).toTypedArray(),
    );
  });
  it("are stored in front of folds that would look for each of them", () => {
    expect(opsOf(pixelShuffle(images(4, 64, 16, 16), 2).softmax(3))).toContain("permute");
    const patches = images(4, 8, 64, 64)
      .reshape([4, 8, 8, 8, 8, 8])
      .permute([0, 2, 4, 1, 3, 5])
      .reshape([4, 64, 512]);
    expect(opsOf(patches.layerNorm([512]))[0]).toBe("permute");
    const readers: readonly ((x: AnyTensor) => AnyTensor)[] = [
      (x) => x.layerNorm([512]),
      (x) => cat([x, x.mul(2)], 2),
      (x) => x.flip(2).add(1),
      (x) => x.slice([1, 60]).softmax(2),
    ];
    for (const read of readers) {
      expect(opsOf(read(patches))[0]).toBe("permute");
      expect(read(patches).compute().toTypedArray()).toEqual(
        read(patches).compute({ fusion: "none" }).toTypedArray(),
      );
    }
  });
});

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
