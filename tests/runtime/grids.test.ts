/** Images read where a grid says, windows of frames, gates and relaxed samples: PyTorch's numbers. */
import {
  type AnyTensor,
  affineGrid,
  arange,
  autograd,
  bartlettWindow,
  blackmanWindow,
  func,
  glu,
  gridSample,
  gumbelSoftmax,
  hammingWindow,
  hannWindow,
  kaiserWindow,
  manualSeed,
  ones,
  randn,
  tensor,
  zeros,
} from "fuseau";
import { assertClose } from "fuseau/testing";
import { describe, expect, test } from "vitest";

const float64 = { dtype: "float64" } as const;
const near = (actual: AnyTensor, expected: unknown): void =>
  assertClose(actual, expected as never, { rtol: 1e-10, atol: 1e-10, checkDtype: false });

describe("gridSample", () => {
  const image = arange(1, 7, { dtype: "float64" }).square().reshape([1, 1, 2, 3]);
  const grid = tensor(
    [
      [
        [
          [-1.5, -0.4],
          [0.3, 0.9],
          [0, 0],
          [2.6, -1.1],
        ],
      ],
    ],
    float64,
  );
  test.each([
    ["bilinear", "zeros", [0, 17.97, 14.5, 0], [2.75, 27.16, 14.5, 0]],
    ["bilinear", "border", [2.5, 29.95, 14.5, 9], [5.5, 27.16, 14.5, 9]],
    ["bilinear", "reflection", [3.4, 29.95, 14.5, 1.3], [7.9, 27.16, 14.5, 3.07]],
    ["nearest", "zeros", [0, 25, 4, 0], [1, 25, 4, 0]],
    ["nearest", "border", [1, 25, 4, 9], [1, 25, 4, 9]],
    ["nearest", "reflection", [1, 25, 4, 1], [1, 25, 4, 1]],
    [
      "bicubic",
      "zeros",
      [-0.2529931640625, 23.555763, 17.21875, 0],
      [2.5165625, 30.8467866015625, 17.21875, -0.55673325],
    ],
    ["bicubic", "border", [2.23, 33.4225285, 14.5, 7.056], [4.7468125, 28.14387315625, 14.5, 8.08621875]],
    ["bicubic", "reflection", [2.828078125, 35.17036, 14.5, -1.56902], [5.395, 29.40976225, 14.5, 1.597798]],
  ] as const)("%s, %s", (mode, paddingMode, edges, corners) => {
    near(gridSample(image, grid, { mode, paddingMode }).flatten(), edges);
    near(gridSample(image, grid, { mode, paddingMode, alignCorners: true }).flatten(), corners);
  });
  test("has no slope along the grid where it reads the nearest place", () => {
    const places = grid.clone().requiresGrad_();
    const read = gridSample(image, places, { mode: "nearest" });
    expect(autograd.grad(read.sum(), [places])[0]!.flatten().toArray()).toEqual(new Array(8).fill(0));
  });
  test("by the grid of no movement gives the image", () => {
    const volume = randn([2, 3, 4, 5, 6], float64);
    const still = tensor(
      [
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
      ],
      float64,
    ).expand([2, 3, 4]);
    for (const alignCorners of [true, false])
      near(gridSample(volume, affineGrid(still, volume.shape, { alignCorners }), { alignCorners }), volume);
  });
  test("affineGrid", () => {
    const theta = tensor(
      [
        [
          [1, 0.5, 0.25],
          [-0.5, 1, 0],
        ],
      ],
      float64,
    );
    near(affineGrid(theta, [1, 3, 2, 2]), [
      [
        [
          [-0.5, -0.25],
          [0.5, -0.75],
        ],
        [
          [0, 0.75],
          [1, 0.25],
        ],
      ],
    ]);
    near(affineGrid(theta, [1, 3, 2, 2], { alignCorners: true }), [
      [
        [
          [-1.25, -0.5],
          [0.75, -1.5],
        ],
        [
          [-0.25, 1.5],
          [1.75, 0.5],
        ],
      ],
    ]);
  });
  test.each<[string, () => unknown]>([
    [
      "gridSample: expected grid and input to have same batch size",
      () => gridSample(zeros([1, 1, 2, 2]), zeros([2, 2, 2, 2])),
    ],
    [
      "gridSample: expected grid to have size 2 in last dimension",
      () => gridSample(zeros([1, 1, 2, 2]), zeros([1, 2, 2, 3])),
    ],
    [
      "gridSample: expected 4D or 5D input and grid with same number of dimensions",
      () => gridSample(zeros([1, 1, 2, 2]), zeros([1, 2, 2])),
    ],
    [
      'gridSample: mode must be one of "bilinear", "nearest", "bicubic", but got "linear"',
      () => gridSample(zeros([1, 1, 2, 2]), zeros([1, 2, 2, 2]), { mode: "linear" as never }),
    ],
    [
      "affineGrid: Expected a batch of 2D affine matrices of shape Nx2x3 for size [2, 3, 4, 4]. Got [1, 2, 3].",
      () => affineGrid(zeros([1, 2, 3]), [2, 3, 4, 4]),
    ],
    ["glu: Halving dimension must be even, but dimension 0 is size 3", () => glu(zeros([3]))],
    ["hannWindow: requires non-negative window_length, got window_length=-1", () => hannWindow(-1)],
  ])("%s", (message, run) => {
    expect(run).toThrow(message);
  });
});

test("windows", () => {
  near(
    hannWindow(5, float64),
    [0, 0.3454915028125263, 0.9045084971874737, 0.9045084971874737, 0.3454915028125264],
  );
  near(hannWindow(4, { periodic: false }), [0, 0.75, 0.75, 0]);
  near(hammingWindow(4, { periodic: false, ...float64 }), [0.08, 0.77, 0.77, 0.08]);
  near(hammingWindow(4, { alpha: 0.5, beta: 0.4, ...float64 }), [0.1, 0.5, 0.9, 0.5]);
  near(
    blackmanWindow(5, float64),
    [0, 0.20077014326253045, 0.8492298567374694, 0.8492298567374694, 0.20077014326253045],
  );
  near(bartlettWindow(5, float64), [0, 0.4, 0.8, 0.8, 0.4]);
  near(
    kaiserWindow(4, { periodic: false, ...float64 }),
    [5.2773441320097665e-5, 0.5188447216723606, 0.5188447216723606, 5.2773441320097665e-5],
  );
  expect([
    hannWindow(1).toArray(),
    hannWindow(0).toArray(),
    hannWindow(3, { requiresGrad: true }).requiresGrad,
  ]).toEqual([[1], [], true]);
});

test("glu gates one half by the other", () => {
  near(glu(tensor([[1, 2, 0, 0]], float64)), [[0.5, 1]]);
});

describe("gumbelSoftmax", () => {
  test("samples as the logits say", () => {
    manualSeed(4);
    const logits = tensor([Math.log(0.1), Math.log(0.7), Math.log(0.2)]).expand([20_000, 3]);
    const share = gumbelSoftmax(logits, { hard: true }).mean(0);
    assertClose(share, [0.1, 0.7, 0.2], { rtol: 0, atol: 0.015 });
    assertClose(gumbelSoftmax(logits, { tau: 0.5 }).sum(1), ones([20_000]));
  });
  test("is one-hot, with the gradient of what is not", () => {
    const gradientOf = (hard: boolean): AnyTensor => {
      manualSeed(4);
      return func.grad(
        (x: AnyTensor): AnyTensor =>
          gumbelSoftmax(x, { hard })
            .mul(tensor([1, 2, 3]))
            .sum(),
      )(zeros([3]));
    };
    near(gradientOf(true), gradientOf(false));
  });
});
