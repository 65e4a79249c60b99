/** Modules, and their gradients, against values of PyTorch (fixtures/modules.py made them): weights come in by PyTorch's names. */
import { readFileSync } from "node:fs";
import { type AnyTensor, type DType, embeddingBag, noGrad, ones, tensor } from "fuseau";
import * as nn from "fuseau/nn";
import { describe, expect, it } from "vitest";

interface Numbers {
  readonly shape: number[];
  readonly dtype: DType;
  readonly data: number[];
}

interface Case {
  readonly name: string;
  readonly state: Record<string, Numbers>;
  readonly inputs: Numbers[];
  readonly outputs: Numbers[];
  readonly grads: Numbers[];
  readonly parameterGrads: Record<string, Numbers>;
  readonly after: Record<string, Numbers>;
}

const cases: readonly Case[] = JSON.parse(
  readFileSync(new URL("./fixtures/modules.json", import.meta.url), "utf8"),
);

const toTensor = ({ shape, dtype, data }: Numbers): AnyTensor => tensor(data, { dtype }).reshape(shape);

/** A module, and how it is called when it takes more than tensors. */
type Made = nn.Module | readonly [nn.Module, (...inputs: AnyTensor[]) => unknown];

const called = <M extends nn.Module>(module: M, call: (module: M, inputs: AnyTensor[]) => unknown): Made => [
  module,
  (...inputs) => call(module, inputs),
];

class Listed extends nn.Module {
  readonly factors = new nn.ParameterList([ones([3]), ones([2, 1])]);
  forward(x: AnyTensor): AnyTensor {
    return x.mul(this.factors.at(0)).add(this.factors.at(-1));
  }
}

class Named extends nn.Module {
  readonly named = new nn.ParameterDict({
    scaleBy: ones([3]) as AnyTensor,
    shift: ones([2, 1]) as AnyTensor,
  });
  forward(x: AnyTensor): AnyTensor {
    return x.mul(this.named.get("scaleBy")).add(this.named.get("shift"));
  }
}

const modules: Readonly<Record<string, () => Made>> = {
  Linear: () => new nn.Linear(3, 2),
  Conv1d: () => new nn.Conv1d(2, 4, 3, { stride: 2, padding: 1, groups: 2 }),
  Conv2d: () => new nn.Conv2d(2, 3, [3, 2], { padding: 1 }),
  Conv3d: () => new nn.Conv3d(1, 2, 2),
  ConvTranspose1d: () => new nn.ConvTranspose1d(2, 3, 3, { stride: 2, outputPadding: 1 }),
  ConvTranspose2d: () => new nn.ConvTranspose2d(2, 2, 2, { stride: 2, groups: 2, bias: false }),
  MaxPool1d: () => new nn.MaxPool1d(2),
  MaxPool2d: () => new nn.MaxPool2d(2, { stride: 1 }),
  AvgPool1d: () => new nn.AvgPool1d(3, { stride: 2, padding: 1 }),
  AvgPool2d: () => new nn.AvgPool2d(2),
  AdaptiveAvgPool1d: () => new nn.AdaptiveAvgPool1d(3),
  AdaptiveAvgPool2d: () => new nn.AdaptiveAvgPool2d([1, 2]),
  BatchNorm1d: () => new nn.BatchNorm1d(3),
  "BatchNorm1d averaged": () => new nn.BatchNorm1d(3, { momentum: null, affine: false }),
  BatchNorm2d: () => new nn.BatchNorm2d(2),
  "BatchNorm2d eval": () => new nn.BatchNorm2d(2).eval(),
  LayerNorm: () => new nn.LayerNorm([3, 4]),
  GroupNorm: () => new nn.GroupNorm(2, 4),
  Embedding: () => new nn.Embedding(5, 3, { paddingIdx: 1 }),
  PReLU: () => new nn.PReLU(2),
  GELU: () => new nn.GELU(),
  SiLU: () => new nn.SiLU(),
  ELU: () => new nn.ELU(0.5),
  Softplus: () => new nn.Softplus(),
  LeakyReLU: () => new nn.LeakyReLU(0.2),
  Softmax: () => new nn.Softmax(1),
  LogSoftmax: () => new nn.LogSoftmax(-1),
  MultiheadAttention: () => new nn.MultiheadAttention(4, 2),
  "MultiheadAttention self": () =>
    called(new nn.MultiheadAttention(4, 2, { batchFirst: true, bias: false }), (module, [x]) =>
      module.forward(x!, x!, x!, { attnMask: ones([3, 3], { dtype: "bool" }).triu(1), needWeights: false }),
    ),
  "MultiheadAttention padded": () =>
    called(new nn.MultiheadAttention(4, 2, { kdim: 3, vdim: 5, batchFirst: true }), (module, [q, k, v]) =>
      module.forward(q!, k!, v!, {
        keyPaddingMask: tensor([
          [false, true],
          [false, false],
        ]),
        averageAttnWeights: false,
      }),
    ),
  TransformerEncoderLayer: () => new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 6, dropout: 0 }),
  "TransformerEncoderLayer first": () =>
    new nn.TransformerEncoderLayer(4, 2, {
      dimFeedforward: 6,
      dropout: 0,
      activation: "gelu",
      batchFirst: true,
      normFirst: true,
    }),
  RNN: () => new nn.RNN(3, 2, { numLayers: 2 }),
  GRU: () => new nn.GRU(3, 2, { bidirectional: true, batchFirst: true }),
  LSTM: () => new nn.LSTM(3, 2, { numLayers: 2, bidirectional: true }),
  "LSTM unbatched": () => called(new nn.LSTM(3, 2), (module, [x, h, c]) => module.forward(x!, [h!, c!])),
  RNNCell: () => new nn.RNNCell(3, 2, { nonlinearity: "relu" }),
  GRUCell: () => new nn.GRUCell(3, 2),
  LSTMCell: () => new nn.LSTMCell(3, 2),
  MSELoss: () => new nn.MSELoss(),
  L1Loss: () => new nn.L1Loss({ reduction: "sum" }),
  SmoothL1Loss: () => new nn.SmoothL1Loss({ beta: 0.5 }),
  HuberLoss: () => new nn.HuberLoss({ delta: 0.7 }),
  CrossEntropyLoss: () => new nn.CrossEntropyLoss({ labelSmoothing: 0.1 }),
  NLLLoss: () => new nn.NLLLoss({ ignoreIndex: 0 }),
  BCELoss: () => new nn.BCELoss(),
  BCEWithLogitsLoss: () => new nn.BCEWithLogitsLoss({ reduction: "none" }),
  KLDivLoss: () => new nn.KLDivLoss({ reduction: "batchmean" }),
  TransformerDecoderLayer: () => new nn.TransformerDecoderLayer(4, 2, { dimFeedforward: 6, dropout: 0 }),
  "TransformerDecoderLayer first": () =>
    called(
      new nn.TransformerDecoderLayer(4, 2, {
        ...{ dimFeedforward: 6, dropout: 0, activation: "gelu", batchFirst: true, normFirst: true },
      }),
      (module, [x, memory]) =>
        module.forward(x!, memory!, {
          tgtMask: ones([3, 3], { dtype: "bool" }).triu(1),
          memoryKeyPaddingMask: tensor([0, 1].map(() => [false, false, false, false, true])),
        }),
    ),
  MaxPool3d: () => new nn.MaxPool3d(2, { padding: 1 }),
  AvgPool3d: () => new nn.AvgPool3d([2, 1, 2], { countIncludePad: false, padding: [1, 0, 1] }),
  AdaptiveAvgPool3d: () => new nn.AdaptiveAvgPool3d([null, 2, 1]),
  AdaptiveMaxPool3d: () => new nn.AdaptiveMaxPool3d(2),
  InstanceNorm1d: () => new nn.InstanceNorm1d(3, { affine: true }),
  InstanceNorm2d: () => new nn.InstanceNorm2d(2, { trackRunningStats: true }),
  "InstanceNorm2d eval": () => new nn.InstanceNorm2d(2, { trackRunningStats: true, affine: true }).eval(),
  "InstanceNorm3d one": () => new nn.InstanceNorm3d(2),
  ZeroPad2d: () => new nn.ZeroPad2d([1, 0, 2, 1]),
  ConstantPad1d: () => new nn.ConstantPad1d(2, 1.5),
  ReflectionPad2d: () => new nn.ReflectionPad2d(1),
  ReplicationPad3d: () => new nn.ReplicationPad3d([1, 0, 0, 2, 1, 1]),
  CircularPad: () => new nn.CircularPad1d([1, 2]),
  Upsample: () => new nn.Upsample({ scaleFactor: 2, mode: "bilinear" }),
  UpsamplingNearest2d: () => new nn.UpsamplingNearest2d({ size: [3, 5] }),
  UpsamplingBilinear2d: () => new nn.UpsamplingBilinear2d({ scaleFactor: 2 }),
  PixelShuffle: () => new nn.PixelShuffle(2),
  PixelUnshuffle: () => new nn.PixelUnshuffle(2),
  ChannelShuffle: () => new nn.ChannelShuffle(3),
  Hardshrink: () => new nn.Hardshrink(),
  Softshrink: () => new nn.Softshrink(0.3),
  Tanhshrink: () => new nn.Tanhshrink(),
  Threshold: () => new nn.Threshold(0.1, -2),
  GLU: () => new nn.GLU(1),
  Softmax2d: () => new nn.Softmax2d(),
  CosineSimilarity: () => new nn.CosineSimilarity(),
  PairwiseDistance: () => new nn.PairwiseDistance({ p: 1, keepdim: true }),
  PoissonNLLLoss: () =>
    called(new nn.PoissonNLLLoss({ full: true }), (module, [x, y]) => module.forward(x!, y!.detach())),
  GaussianNLLLoss: () => new nn.GaussianNLLLoss(),
  HingeEmbeddingLoss: () => new nn.HingeEmbeddingLoss({ margin: 0.5 }),
  SoftMarginLoss: () => new nn.SoftMarginLoss(),
  MultiMarginLoss: () => new nn.MultiMarginLoss({ p: 2 }),
  MultiLabelMarginLoss: () => new nn.MultiLabelMarginLoss(),
  MultiLabelSoftMarginLoss: () =>
    called(new nn.MultiLabelSoftMarginLoss(), (module, [x, y]) => module.forward(x!, y!.detach())),
  CosineEmbeddingLoss: () => new nn.CosineEmbeddingLoss({ margin: 0.2 }),
  MarginRankingLoss: () => new nn.MarginRankingLoss({ margin: 0.1 }),
  TripletMarginLoss: () => new nn.TripletMarginLoss({ margin: 0.7, swap: true }),
  TransformerEncoder: () =>
    called(
      new nn.TransformerEncoder(
        new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 6, dropout: 0 }),
        2,
        new nn.LayerNorm(4),
      ),
      (module, [x]) => module.forward(x!, { srcMask: ones([3, 3], { dtype: "bool" }).triu(1) }),
    ),
  TransformerDecoder: () =>
    new nn.TransformerDecoder(
      new nn.TransformerDecoderLayer(4, 2, { dimFeedforward: 6, dropout: 0, batchFirst: true }),
      2,
    ),
  Transformer: () =>
    called(
      new nn.Transformer(4, 2, {
        ...{ numEncoderLayers: 1, numDecoderLayers: 2, dimFeedforward: 6, dropout: 0, batchFirst: true },
      }),
      (module, [x, y]) =>
        module.forward(x!, y!, { tgtMask: nn.Transformer.generateSquareSubsequentMask(3).double() }),
    ),
  Bilinear: () => new nn.Bilinear(3, 2, 4),
  BatchNorm3d: () => new nn.BatchNorm3d(2),
  Unfold: () => new nn.Unfold([2, 3], { dilation: [2, 1], padding: 1, stride: [1, 2] }),
  "Unfold unbatched": () => new nn.Unfold(2),
  Fold: () => new nn.Fold([4, 5], [2, 3], { padding: 1, stride: [1, 2] }),
  "Fold unbatched": () => new nn.Fold(4, 2, { stride: 2 }),
  EmbeddingBag: () => new nn.EmbeddingBag(6, 3),
  "EmbeddingBag sum": () =>
    called(
      new nn.EmbeddingBag(6, 3, { mode: "sum", paddingIdx: 1, includeLastOffset: true }),
      (module, [x, offsets, weights]) => module.forward(x!, offsets!, weights!.abs()),
    ),
  "EmbeddingBag max": () => new nn.EmbeddingBag(6, 3, { mode: "max" }),
  LPPool1d: () => new nn.LPPool1d(2, 3, { stride: 2, ceilMode: true }),
  LPPool2d: () => called(new nn.LPPool2d(3, [2, 1]), (module, [x]) => module.forward(x!.abs())),
  MaxUnpool1d: () => new nn.MaxUnpool1d(2),
  MaxUnpool2d: () => new nn.MaxUnpool2d(2, { stride: 1 }),
  MaxUnpool3d: () =>
    called(new nn.MaxUnpool3d(2), (module, [x, places]) =>
      module.forward(x!, places!, { outputSize: [2, 4, 3] }),
    ),
  LocalResponseNorm: () => new nn.LocalResponseNorm(3, { alpha: 0.1, beta: 0.6, k: 2 }),
  "RReLU eval": () => new nn.RReLU(0.1, 0.5).eval(),
  "FeatureAlphaDropout eval": () => new nn.FeatureAlphaDropout(0.4).eval(),
  TripletMarginWithDistanceLoss: () =>
    new nn.TripletMarginWithDistanceLoss({
      ...{ distanceFunction: (a, b) => a.sub(b).abs().amax(1), margin: 0.7, swap: true },
    }),
  "TripletMarginWithDistanceLoss plain": () => new nn.TripletMarginWithDistanceLoss({ reduction: "sum" }),
  ParameterList: () => new Listed(),
  ParameterDict: () => new Named(),
};

/** The tensors of nested lists. */
const flat = (made: unknown): AnyTensor[] =>
  Array.isArray(made) ? made.flatMap(flat) : made === null ? [] : [made as AnyTensor];

function expectClose(actual: AnyTensor | null | undefined, expected: Numbers, what: string): void {
  expect(actual?.shape, what).toEqual(expected.shape);
  const found = Array.from(actual!.toTypedArray(), Number);
  for (const [k, value] of expected.data.entries())
    expect(Math.abs(found[k]! - value), `${what}[${k}]: ${found[k]} is not ${value}`).toBeLessThan(
      1e-6 * (1 + Math.abs(value)),
    );
}

describe("modules give PyTorch's values and gradients", () => {
  it("every one of the fixtures is made", () => {
    expect(Object.keys(modules)).toEqual(cases.map(({ name }) => name));
  });

  it.each(cases)("$name", ({ name, state, inputs, outputs, grads, parameterGrads, after }) => {
    const made = modules[name]!();
    const [module, call] =
      made instanceof nn.Module
        ? [
            made,
            (...given: AnyTensor[]) =>
              (made as { forward(...given: AnyTensor[]): unknown }).forward(...given),
          ]
        : made;
    module.to("float64");
    module.loadStateDict(Object.fromEntries(Object.entries(state).map(([key, x]) => [key, toTensor(x)])));
    const given = inputs.map(toTensor);
    for (const x of given) if (x.isFloatingPoint()) x.requiresGrad_();
    const results = flat(call.apply(null, given));
    expect(results).toHaveLength(outputs.length);
    outputs.forEach((output, k) => {
      expectClose(results[k], output, `output ${k}`);
    });
    const losses = results.map((result) => {
      const weights = Float64Array.from({ length: result.numel() }, (_, k) => Math.sin(k + 1));
      return result.mul(tensor(weights).reshape([...result.shape])).sum();
    });
    losses.reduce((sum, loss) => sum.add(loss)).backward();
    const found = given.filter((x) => x.grad !== null).map((x) => x.grad);
    grads.forEach((grad, k) => {
      expectClose(found[k], grad, `gradient of input ${k}`);
    });
    for (const [key, item] of module.namedParameters())
      expectClose(item.grad, parameterGrads[key]!, `gradient of ${key}`);
    const end = module.stateDict();
    for (const [key, value] of Object.entries(after)) expectClose(end[key], value, key);
    expect(Object.keys(end)).toEqual(Object.keys(state));
  });
});

describe("stacks of layers", () => {
  it("start with copies of one layer, which share nothing", () => {
    const layer = new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 6 }).eval();
    const stack = new nn.TransformerEncoder(layer, 3);
    expect(stack.layers.map(({ training }) => training)).toEqual([false, false, false]);
    const [first, second] = stack.layers.map((one) => one.linear1.weight);
    expect(stack.layers[0]).toBe(layer);
    expect(second!.toArray()).toEqual(first!.toArray());
    noGrad(() => first!.zero_());
    expect(
      second!
        .toArray()
        .flat()
        .some((value) => value !== 0),
    ).toBe(true);
  });

  it("or with the layers that are given", () => {
    const layers = [1, 2].map(() => new nn.TransformerEncoderLayer(4, 2));
    const stack = new nn.TransformerEncoder(layers, new nn.LayerNorm(4));
    expect(stack.layers).toBe(layers);
    expect(stack.norm).toBeInstanceOf(nn.LayerNorm);
  });

  it("refuse what is neither", () => {
    const layer = new nn.TransformerEncoderLayer(4, 2);
    expect(() => new nn.TransformerEncoder(layer, 0)).toThrow(/^TransformerEncoder: numLayers must be/);
    expect(() => new nn.TransformerDecoder(layer as never, 2, 3 as never)).toThrow(/norm.* must be a Module/);
  });

  it("a mask of the future is -Infinity above the diagonal, and 0 elsewhere", () => {
    expect(nn.Transformer.generateSquareSubsequentMask(2).toArray()).toEqual([
      [0, Number.NEGATIVE_INFINITY],
      [0, 0],
    ]);
  });
});

it("the gradient of a bag's maximum goes to the first place that has it", () => {
  // PyTorch: embedding_bag(places, weight, [0, 2], mode="max"), and of [[0, 1], [5, 4]].
  const rows = [
    [1, 2, 3],
    [3, 2, 1],
    [0, 0, 0],
    [0, 0, 0],
    [1, 1, 1],
    [0, 1, 2],
  ];
  const gradient = (places: number[] | number[][], offsets: number[] | null) => {
    const weight = tensor(rows, { requiresGrad: true });
    const ints = (list: number[] | number[][]) => tensor(list, { dtype: "int64" });
    const bags = embeddingBag(ints(places), weight, {
      ...{ mode: "max", offsets: offsets && ints(offsets) },
    });
    bags
      .mul(
        tensor([
          [1, 2, 3],
          [4, 5, 6],
        ]),
      )
      .sum()
      .backward();
    return weight.grad!.toArray();
  };
  const expected = [
    [0, 2, 3],
    [1, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
    [4, 0, 0],
    [0, 5, 6],
  ];
  expect(gradient([0, 1, 5, 4, 4], [0, 2])).toEqual(expected);
  expect(
    gradient(
      [
        [0, 1],
        [5, 4],
      ],
      null,
    ),
  ).toEqual(expected);
});
