/** What each operation is called with where its derivatives are tested. An operation that is in no table is tried with tensors alone. */
import { type AnyTensor, arange, eye, type linalg, tensor } from "fuseau";

/** Tensors that are differentiated, in order. `others` makes what stands behind them. */
export interface Sample {
  readonly shapes: readonly (readonly number[])[];
  /** All elements lie in here. */
  readonly within?: readonly [from: number, to: number];
  readonly others?: readonly unknown[];
  /** How the call is written, where tensors do not come first. */
  readonly call?: (run: (...given: never[]) => unknown, tensors: readonly AnyTensor[]) => unknown;
}

type Run = (...given: never[]) => unknown;

const places = (...list: readonly number[]): AnyTensor => tensor([...list], { dtype: "int64" }) as AnyTensor;
const matrixOfPlaces = (...rows: readonly number[][]): AnyTensor =>
  tensor([...rows], { dtype: "int64" }) as AnyTensor;
const truths = (...rows: readonly boolean[][]): AnyTensor => tensor([...rows]) as AnyTensor;

const one = (shape: readonly number[], ...others: readonly unknown[]): Sample => ({
  shapes: [shape],
  others,
});
const two = (a: readonly number[], b: readonly number[], ...others: readonly unknown[]): Sample => ({
  shapes: [a, b],
  others,
});
const three = (
  a: readonly number[],
  b: readonly number[],
  c: readonly number[],
  ...others: readonly unknown[]
): Sample => ({ shapes: [a, b, c], others });
const written = (
  shapes: readonly (readonly number[])[],
  call: (run: (...given: readonly unknown[]) => unknown, tensors: readonly AnyTensor[]) => unknown,
): Sample => ({ shapes, call: call as (run: Run, tensors: readonly AnyTensor[]) => unknown });

const index = matrixOfPlaces([0, 2, 1], [1, 1, 0]);
/** x·xᵀ + 1/2 on the diagonal: positive-definite. */
const positive = (x: AnyTensor | undefined): AnyTensor => {
  const { mT, shape } = x as AnyTensor;
  return (x as AnyTensor)
    .matmul(mT)
    .add(eye(shape.at(-1) as number, { dtype: "float64" }).mul(0.5)) as AnyTensor;
};
/** x + the diagonal 1, 2, …: of full rank, and no two singular values alike, whichever way x is laid out. */
const regular = (x: AnyTensor | undefined): AnyTensor => {
  const { shape } = x as AnyTensor;
  const [rows, columns] = shape.slice(-2) as [number, number];
  const diagonal = eye(rows, columns, { dtype: "float64" }).mul(arange(1, columns + 1));
  return (x as AnyTensor).add(diagonal as AnyTensor) as AnyTensor;
};
const ofRegular = (shape: readonly number[], ...others: readonly unknown[]): Sample =>
  written([shape], (run, [x]) => run(regular(x), ...others));
const mask = truths([true, false, true], [false, true, true]);

export const samples: Readonly<Record<string, readonly Sample[]>> = {
  acosh: [{ shapes: [[2, 3]], within: [1.2, 3] }],
  arccosh: [{ shapes: [[2, 3]], within: [1.2, 3] }],
  add: [two([2, 1, 3], [4, 1]), two([], [3]), two([2, 3], [3], { alpha: 2.5 })],
  mul: [two([2, 1, 3], [4, 1]), two([0, 3], [1]), two([], [])],
  sub: [two([2, 3], [2, 1]), two([3], [], { alpha: -2 })],
  div: [two([2, 1, 3], [4, 1]), two([2], [2, 1])],
  pow: [two([2, 3], [3]), one([3], 3), one([3], -0.5), two([2, 1], [1, 3])],
  threshold: [one([2, 3], 0.5, 2)],
  moveaxis: [one([2, 3, 4], [0, 1], [2, 0])],
  movedim: [one([2, 3, 4], [0, 1], [2, 0])],
  swapaxes: [one([2, 3, 4], 0, 2)],
  swapdims: [one([2, 3, 4], 0, 2)],
  transpose: [one([2, 3, 4], 0, 2)],
  unflatten: [one([2, 6], 1, [2, 3])],
  batchNorm: [{ ...one([3, 2, 4], null, null, { training: true }) }],
  nativeBatchNorm: [
    written([[3, 2, 4], [2], [2]], (run, [x, w, b]) => run(x, w, b, null, null, true, 0.1, 1e-5)),
  ],
  nativeLayerNorm: [written([[3, 4], [4], [4]], (run, [x, w, b]) => run(x, [4], w, b, 1e-5))],
  layerNorm: [
    written([[3, 4], [4], [4]], (run, [x, w, b]) => run(x, [4], { weight: w, bias: b })),
    one([2, 3, 4], [3, 4]),
  ],
  rmsNorm: [written([[3, 4], [4]], (run, [x, w]) => run(x, [4], { weight: w }))],
  groupNorm: [written([[2, 4, 3], [4], [4]], (run, [x, w, b]) => run(x, 2, { weight: w, bias: b }))],
  where: [written([[2, 3], [3]], (run, [a, b]) => run(mask, a, b))],
  einsum: [
    written(
      [
        [2, 3],
        [3, 4],
      ],
      (run, [a, b]) => run("ij,jk->ik", a, b),
    ),
    written([[3, 3]], (run, [a]) => run("ii->i", a)),
    written([[2, 3], [2, 3], [3]], (run, [a, b, c]) => run("ij,ij,j->i", a, b, c)),
  ],
  conv1d: [
    written([[2, 4, 6], [4, 2, 3], [4]], (run, [x, w, b]) =>
      run(x, w, { bias: b, stride: 2, padding: 1, groups: 2 }),
    ),
  ],
  conv2d: [
    written([[2, 2, 5, 4], [3, 2, 2, 3], [3]], (run, [x, w, b]) => run(x, w, { bias: b, padding: 1 })),
    two([1, 2, 6, 6], [2, 1, 2, 2], { groups: 2, dilation: 2, stride: 2 }),
  ],
  conv3d: [two([1, 2, 3, 3, 3], [2, 2, 2, 2, 2])],
  convTranspose1d: [
    written([[2, 2, 4], [2, 3, 3], [3]], (run, [x, w, b]) =>
      run(x, w, { bias: b, stride: 2, padding: 1, outputPadding: 1 }),
    ),
  ],
  convTranspose2d: [two([1, 2, 3, 3], [2, 3, 2, 2], { stride: 2 })],
  convTranspose3d: [two([1, 2, 2, 2, 2], [2, 1, 2, 2, 2])],
  baddbmm: [three([2, 4], [3, 2, 5], [3, 5, 4], { alpha: 2, beta: 0.5 })],
  bmm: [two([3, 2, 4], [3, 4, 2])],
  bilinear: [written([[4, 2], [4, 3], [5, 2, 3], [5]], (run, [a, b, w, c]) => run(a, b, w, c))],
  localResponseNorm: [one([2, 4, 3], 3)],
  cholesky: [written([[2, 3, 3]], (run, [x]) => run(positive(x), { upper: true }))],
  det: [ofRegular([3, 3])],
  inverse: [ofRegular([3, 3])],
  pinverse: [ofRegular([3, 4])],
  slogdet: [ofRegular([3, 3])],
  choleskySolve: [
    written(
      [
        [3, 2],
        [3, 3],
      ],
      (run, [b, x]) => run(b, positive(x).cholesky()),
    ),
  ],
  logdet: [written([[2, 3, 3]], (run, [x]) => run(positive(x)))],
  "linalg.cholesky": [written([[2, 3, 3]], (run, [x]) => run(positive(x)))],
  "linalg.cond": [written([[3, 3]], (run, [x]) => run(positive(x)))],
  "linalg.eigh": [
    written([[2, 3, 3]], (run, [x]) => {
      const { eigenvalues, eigenvectors } = run(positive(x)) as unknown as ReturnType<typeof linalg.eigh>;
      return [eigenvalues, eigenvectors.abs()];
    }),
  ],
  "linalg.eigvalsh": [written([[2, 3, 3]], (run, [x]) => run(positive(x)))],
  "linalg.lstsq": [
    written([[4, 3], [4]], (run, [a, b]) => {
      const found = run(regular(a), b) as unknown as ReturnType<typeof linalg.lstsq>;
      return [found.solution, found.residuals];
    }),
    written(
      [
        [2, 3, 3],
        [2, 3],
      ],
      (run, [a, b]) => (run(regular(a), b) as unknown as ReturnType<typeof linalg.lstsq>).solution,
    ),
  ],
  "linalg.det": [ofRegular([2, 3, 3])],
  "linalg.householderProduct": [
    written(
      [
        [2, 4, 3],
        [2, 3],
      ],
      (run, [x, tau]) => run(x, tau),
    ),
  ],
  "linalg.inv": [ofRegular([2, 3, 3])],
  "linalg.matrixNorm": [ofRegular([2, 3], 2), ofRegular([2, 3], "nuc"), ofRegular([2, 3, 2], -2)],
  "linalg.matrixPower": [ofRegular([3, 3], 3), ofRegular([2, 2], -2)],
  "linalg.pinv": [ofRegular([4, 3])],
  "linalg.qr": [ofRegular([2, 4, 3]), ofRegular([3, 4]), ofRegular([3, 3], "complete")],
  "linalg.slogdet": [ofRegular([2, 3, 3])],
  "linalg.luSolve": [
    written(
      [
        [3, 3],
        [3, 2],
      ],
      (run, [lu, b]) => run(regular(lu), tensor([2, 2, 3], { dtype: "int32" }), b),
    ),
  ],
  "linalg.solve": [
    written(
      [
        [2, 3, 3],
        [3, 2],
      ],
      (run, [a, b]) => run(regular(a), b),
    ),
    written([[2, 2], [2]], (run, [a, b]) => run(regular(a), b)),
    written(
      [
        [3, 3],
        [2, 3],
      ],
      (run, [a, b]) => run(regular(a), b, { left: false }),
    ),
  ],
  "linalg.solveTriangular": [
    written(
      [
        [2, 3, 3],
        [3, 2],
      ],
      (run, [a, b]) => run(regular(a), b, { upper: true }),
    ),
    written(
      [
        [3, 3],
        [2, 2, 3],
      ],
      (run, [a, b]) => run(a, b, { upper: false, left: false, unitriangular: true }),
    ),
  ],
  "linalg.svdvals": [ofRegular([3, 2])],
  "linalg.svd": [
    [2, 4, 3],
    [3, 4],
  ].map((shape) =>
    written([shape], (run, [x]) => {
      const { U, S, Vh } = run(regular(x), { fullMatrices: false }) as unknown as ReturnType<
        typeof linalg.svd
      >;
      return [U.abs(), S, Vh.abs()];
    }),
  ),
  affineGrid: [one([2, 2, 3], [2, 1, 3, 4])],
  glu: [one([2, 4]), one([4, 3], 0)],
  gridSample: [
    two([1, 2, 3, 4], [1, 3, 2, 2]),
    two([2, 1, 3, 4], [2, 1, 2, 2], { mode: "bicubic", paddingMode: "border", alignCorners: true }),
    two([1, 1, 2, 3, 4], [1, 2, 1, 2, 3], { paddingMode: "reflection" }),
  ],
  xlogy: [two([2, 3], [3])],
  fmod: [{ ...two([2, 3], [2, 3]), within: [0.3, 2] }],
  remainder: [{ ...two([2, 3], [2, 3]), within: [0.3, 2] }],
  quantile: [one([2, 5], [0.3, 0.8], 1)],
  nanquantile: [one([2, 5], 0.4, 1)],
  "Tensor.to": [one([2, 3], "float64")],
  "Tensor.expand": [one([2, 1], [3, 2, 4])],
  "Tensor.repeat": [one([2, 3], [2, 1, 2])],
  "Tensor.view": [one([2, 6], [3, 4])],
  asStrided: [one([3, 4], [3, 2], [2, 3], 1)],
  asStridedScatter: [two([3, 4], [3, 2], [3, 2], [4, 1], 1)],
  "Tensor.slice": [one([4, 5], [1, null, 2], [1, 4])],
  "Tensor.index": [one([3, 4], [places(2, 0, 2)]), one([3, 4], [":", places(1, 1)])],
  embedding: [written([[4, 3]], (run, [w]) => run(index, w))],
  embeddingBag: [written([[4, 3]], (run, [w]) => run(index, w, { mode: "mean" }))],
  gather: [one([3, 3], 0, index), one([2, 3], 1, index)],
  take: [one([2, 3], index)],
  takeAlongDim: [one([3, 3], index, 0)],
  indexSelect: [one([3, 4], 0, places(2, 0, 2))],
  indexPut: [
    written(
      [
        [3, 4],
        [2, 4],
      ],
      (run, [x, v]) => run(x, [places(2, 0)], v),
    ),
  ],
  indexAdd: [
    written(
      [
        [3, 4],
        [3, 4],
      ],
      (run, [x, v]) => run(x, 0, places(2, 0, 2), v, { alpha: 2 }),
    ),
  ],
  indexCopy: [
    written(
      [
        [3, 4],
        [2, 4],
      ],
      (run, [x, v]) => run(x, 0, places(2, 0), v),
    ),
  ],
  indexFill: [one([3, 4], 0, places(2, 0), 5)],
  indexReduce: [
    written(
      [
        [3, 4],
        [3, 4],
      ],
      (run, [x, v]) => run(x, 0, places(2, 0, 2), v, "prod"),
    ),
    written(
      [
        [3, 4],
        [3, 4],
      ],
      (run, [x, v]) => run(x, 0, places(2, 0, 2), v, "amax"),
    ),
    written(
      [
        [3, 4],
        [3, 4],
      ],
      (run, [x, v]) => run(x, 0, places(2, 0, 2), v, "mean"),
    ),
  ],
  put: [written([[2, 3], [3]], (run, [x, v]) => run(x, places(5, 0, 2), v))],
  scatter: [
    written(
      [
        [3, 3],
        [2, 3],
      ],
      (run, [x, v]) => run(x, 0, matrixOfPlaces([0, 2, 1], [1, 1, 0]), v),
    ),
  ],
  scatterAdd: [
    written(
      [
        [3, 3],
        [2, 3],
      ],
      (run, [x, v]) => run(x, 0, index, v),
    ),
  ],
  scatterReduce: ["sum", "prod", "mean", "amax", "amin"].map((reduce) =>
    written(
      [
        [3, 3],
        [2, 3],
      ],
      (run, [x, v]) => run(x, 0, index, v, reduce),
    ),
  ),
  selectScatter: [
    written(
      [
        [2, 3, 4],
        [2, 4],
      ],
      (run, [x, v]) => run(x, v, 1, 2),
    ),
  ],
  diagonalScatter: [written([[3, 4], [3]], (run, [x, v]) => run(x, v))],
  maskedFill: [one([2, 3], mask, 4)],
  maskedScatter: [written([[2, 3], [6]], (run, [x, v]) => run(x, mask, v))],
  maskedSelect: [one([2, 3], mask)],
  addbmm: [three([2, 4], [3, 2, 5], [3, 5, 4], { alpha: 2, beta: 0.5 })],
  addmv: [three([2], [2, 3], [3])],
  matmul: [two([2, 3], [3, 4]), two([2, 1, 2, 3], [4, 3, 2]), two([3], [3]), two([0, 3], [3, 2])],
  mv: [two([2, 3], [3])],
  nllLoss: [one([3, 4], places(1, 3, 1))],
  crossEntropy: [
    one([3, 4], places(1, 3, 1), { labelSmoothing: 0.1 }),
    one([2, 4, 3], index, { ignoreIndex: 1 }),
    two([3, 4], [3, 4]),
  ],
  cosineEmbeddingLoss: [two([3, 4], [3, 4], tensor([1, -1, 1], { dtype: "float64" }))],
  tripletMarginLoss: [three([3, 4], [3, 4], [3, 4])],
  multiMarginLoss: [one([3, 4], places(1, 3, 1))],
  multilabelMarginLoss: [one([2, 3], matrixOfPlaces([0, 2, -1], [1, -1, 0]))],
  broadcastTo: [one([2, 1], [3, 2, 4])],
  pad: [one([2, 3], [1, 2, -1, 1]), one([1, 2, 4], [2, 1], { mode: "reflect" })],
  permute: [one([2, 3, 4], [2, 0, 1])],
  reshape: [one([2, 6], [3, 4])],
  tile: [one([2, 3], [2, 1, 2])],
  renorm: [one([3, 4], 2, 0, 1)],
  narrow: [one([2, 5], 1, 1, 3)],
  narrowCopy: [one([2, 5], 1, 1, 3)],
  select: [one([2, 3, 4], 1, 2)],
  lpPool1d: [one([1, 2, 6], 2, 3, { stride: 2 })],
  lpPool2d: [one([1, 2, 4, 4], 2, 2)],
  maxPool1d: [one([1, 2, 7], 3, { stride: 2, padding: 1 })],
  maxPool2d: [one([1, 2, 5, 6], 3, { stride: 2, padding: 1 })],
  maxUnpool1d: [one([1, 1, 3], tensor([[[0, 3, 4]]], { dtype: "int64" }), 2)],
  maxUnpool2d: [
    one(
      [1, 1, 2, 2],
      tensor(
        [
          [
            [
              [0, 3],
              [8, 15],
            ],
          ],
        ],
        { dtype: "int64" },
      ),
      2,
    ),
  ],
  maxUnpool3d: [one([1, 1, 1, 1, 2], tensor([[[[[0, 3]]]]], { dtype: "int64" }), 2)],
  sumToSize: [one([2, 3, 4], [3, 1])],
  fold: [one([1, 8, 4], [3, 3], [2, 2])],
  interpolate: ["nearest", "linear"].map((mode) => one([1, 2, 5], { size: 8, mode })),
  upsample: [one([1, 2, 5], { size: 8, mode: "linear" })],
  upsampleBilinear: [one([1, 2, 3, 4], { scaleFactor: 2 })],
  upsampleNearest: [one([1, 2, 3, 4], { size: [5, 6] })],
  polygamma: [written([[2, 3]], (run, [x]) => run(1, x))],
  ...Object.fromEntries(
    ["igamma", "igammac", "gammainc", "gammaincc"].map((name) => [
      name,
      [written([[2, 3]], (run, [x]) => run(tensor([0.5, 2.5, 30], { dtype: "float64" }), x))],
    ]),
  ),
  segmentReduce: (["sum", "mean", "prod", "max", "min"] as const).map((reduce) =>
    one([4, 2], reduce, { lengths: tensor([1, 0, 3], { dtype: "int64" }), initial: 0.5 }),
  ),
  multigammaln: [one([2, 3], 1)],
  zeta: [written([[2, 3]], (run, [q]) => run(tensor([2, 3.5, 5], { dtype: "float64" }), q))],
  sum: [one([2, 3, 4], [0, 2]), one([0, 3]), one([])],
  var: [one([3, 4], 1)],
  prod: [one([2, 3], 1), one([2, 2])],
  cumprod: [one([2, 4], 1)],
  logcumsumexp: [one([2, 4], 1)],
  norm: [one([3, 4]), one([3, 4], 3, 1), one([3, 4], 1), one([3, 4], Number.POSITIVE_INFINITY, 1)],
  sliceScatter: [
    written(
      [
        [4, 3],
        [2, 3],
      ],
      (run, [x, v]) => run(x, v, 0, 1, 3),
    ),
  ],
  softmax: [one([2, 4], 1), one([3, 2, 4], -2)],
  logSoftmax: [one([2, 4], 1)],
  hingeEmbeddingLoss: [one([4], tensor([1, -1, 1, -1], { dtype: "float64" }))],
};
