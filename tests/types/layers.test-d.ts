/** What layers make of shapes, and what they refuse. */
import { type AnyTensor, randint, randn, type Tensor, zeros } from "fuseau";
import {
  AdaptiveAvgPool2d,
  BatchNorm2d,
  Conv1d,
  Conv2d,
  CrossEntropyLoss,
  Embedding,
  Flatten,
  GLU,
  GRU,
  GRUCell,
  LayerNorm,
  Linear,
  LSTM,
  LSTMCell,
  MaxPool2d,
  Module,
  ModuleDict,
  ModuleList,
  MSELoss,
  MultiheadAttention,
  PixelShuffle,
  PixelUnshuffle,
  ReLU,
  RNN,
  RNNCell,
  Sequential,
  Unflatten,
  Upsample,
  UpsamplingNearest2d,
  utils,
  ZeroPad2d,
} from "fuseau/nn";
import { Adam, LBFGS, type Optimizer, SGD, StepLR } from "fuseau/optim";
import { expectTypeOf, test } from "vitest";

test("hooks know what they are of", () => {
  new LSTM(3, 8).registerForwardHook((module, [input], [output]) => {
    expectTypeOf(module).toEqualTypeOf<LSTM<3, 8>>();
    expectTypeOf(input).toExtend<AnyTensor>();
    expectTypeOf(output).toExtend<AnyTensor>();
  });
  new Linear(3, 2).registerForwardPreHook((module, [input]) => {
    expectTypeOf(module.inFeatures).toEqualTypeOf<3>();
    expectTypeOf(input).toExtend<AnyTensor>();
  });
});

test("a layer changes the axis that it is about", () => {
  expectTypeOf(new Linear(3, 2).forward(zeros([5, 4, 3]))).toEqualTypeOf<Tensor<[5, 4, 2], "float32">>();
  const images = zeros([8, 3, 28, 28], { dtype: "float64" });
  expectTypeOf(new Conv2d(3, 6, 5).forward(images)).toEqualTypeOf<Tensor<[8, 6, 24, 24], "float64">>();
  expectTypeOf(new Conv1d(3, 6, 5).forward(zeros([3, 20]))).toEqualTypeOf<Tensor<[6, 16], "float32">>();
  expectTypeOf(new MaxPool2d(2).forward(images)).toEqualTypeOf<Tensor<[8, 3, 14, 14], "float64">>();
  expectTypeOf(new AdaptiveAvgPool2d(1).forward(images)).toEqualTypeOf<Tensor<[8, 3, 1, 1], "float64">>();
  const size: number = 5;
  expectTypeOf(new Conv2d(3, 6, size).forward(images)).toEqualTypeOf<
    Tensor<[8, 6, number, number], "float64">
  >();
  expectTypeOf(new Flatten().forward(zeros([8, 3, 5]))).toEqualTypeOf<Tensor<[8, 15], "float32">>();
  expectTypeOf(new Unflatten(1, [3, 5]).forward(zeros([8, 15]))).toEqualTypeOf<
    Tensor<[8, 3, 5], "float32">
  >();
  const words = randint(10, [4, 7]);
  expectTypeOf(new Embedding(10, 6).forward(words)).toEqualTypeOf<Tensor<[4, 7, 6], "float32">>();
  expectTypeOf(new Embedding(10, 6, { dtype: "float64" }).forward(words)).toEqualTypeOf<
    Tensor<[4, 7, 6], "float64">
  >();
});

test("a recurrent layer changes the last axis, and its state has an axis of layers", () => {
  const [out, h] = new GRU(3, 8).forward(zeros([7, 5, 3]));
  expectTypeOf(out).toEqualTypeOf<Tensor<[7, 5, 8], "float32">>();
  expectTypeOf(h).toEqualTypeOf<Tensor<[1, 5, 8], "float32">>();
  const options = { numLayers: 2, bidirectional: true, batchFirst: true } as const;
  const [both, [hN, cN]] = new LSTM(3, 8, options).forward(zeros([5, 7, 3], { dtype: "float64" }));
  expectTypeOf(both).toEqualTypeOf<Tensor<[5, 7, 16], "float64">>();
  expectTypeOf(hN).toEqualTypeOf<Tensor<[4, 5, 8], "float64">>();
  expectTypeOf(cN).toEqualTypeOf<Tensor<[4, 5, 8], "float64">>();
  const [one, last] = new RNN(3, 8, { nonlinearity: "relu" }).forward(zeros([7, 3]));
  expectTypeOf(one).toEqualTypeOf<Tensor<[7, 8], "float32">>();
  expectTypeOf(last).toEqualTypeOf<Tensor<[1, 8], "float32">>();
  const some: AnyTensor = zeros([7, 5, 3]);
  const [small, [hSmall, cLarge]] = new LSTM(3, 8, { projSize: 2, bidirectional: true }).forward(
    zeros([7, 5, 3]),
    null,
    { lengths: [3, 2, 7, 1, 1] },
  );
  expectTypeOf(small).toEqualTypeOf<Tensor<[7, 5, 4], "float32">>();
  expectTypeOf(hSmall).toEqualTypeOf<Tensor<[2, 5, 2], "float32">>();
  expectTypeOf(cLarge).toEqualTypeOf<Tensor<[2, 5, 8], "float32">>();
  const unsaid: { readonly projSize?: number; readonly numLayers?: number } = {};
  const [any, [hAny, cAny]] = new LSTM(3, 8, unsaid).forward(zeros([7, 5, 3]));
  expectTypeOf(any).toEqualTypeOf<Tensor<[7, 5, number], "float32">>();
  expectTypeOf(hAny).toEqualTypeOf<Tensor<[number, 5, number], "float32">>();
  expectTypeOf(cAny).toEqualTypeOf<Tensor<[number, 5, 8], "float32">>();
  expectTypeOf(new GRU(3, 8).forward(some)[0].shape).toEqualTypeOf<readonly number[]>();
  const asked: { readonly bidirectional?: boolean } = {};
  expectTypeOf(new GRU(3, 8, asked).forward(zeros([7, 5, 3]))[0].shape).toEqualTypeOf<
    readonly [7, 5, 8 | 16]
  >();
});

test("a cell gives the next state the shape of the one before", () => {
  let h = zeros([4, 16]);
  const gru = new GRUCell(8, 16);
  for (let k = 0; k < 3; k++) h = gru.forward(zeros([4, 8]), h);
  expectTypeOf(gru.forward(zeros([4, 8]))).toEqualTypeOf<Tensor<[4, 16], "float32">>();
  expectTypeOf(new RNNCell(8, 16).forward(zeros([8], { dtype: "float64" }))).toEqualTypeOf<
    Tensor<[16], "float64">
  >();
  let [a, c] = [zeros([4, 16]), zeros([4, 16])];
  const lstm = new LSTMCell(8, 16);
  for (let k = 0; k < 3; k++) [a, c] = lstm.forward(zeros([4, 8]), [a, c]);
  expectTypeOf(lstm.forward(zeros([4, 8]))[1]).toEqualTypeOf<Tensor<[4, 16], "float32">>();
  const [width, some]: [number, AnyTensor] = [16, zeros([4, 8])];
  let state: Tensor<[4, 16], "float32"> | null = null;
  state = new GRUCell(8, width).forward(zeros([4, 8]), h);
  expectTypeOf(new GRUCell(8, width).forward(zeros([4, 8]))).toEqualTypeOf<Tensor<[4, number], "float32">>();
  expectTypeOf(gru.forward(some).shape).toEqualTypeOf<readonly number[]>();
  // @ts-expect-error the last size of the input must be 8, but is 9
  (): unknown => gru.forward(zeros([4, 9]));
  expectTypeOf(state).toEqualTypeOf<Tensor<[4, 16], "float32">>();
});

test("others keep shape and dtype", () => {
  expectTypeOf(new ReLU().forward(zeros([2, 3]))).toEqualTypeOf<Tensor<[2, 3], "float32">>();
  expectTypeOf(new LayerNorm(3).forward(zeros([2, 3]))).toEqualTypeOf<Tensor<[2, 3], "float32">>();
  expectTypeOf(new BatchNorm2d(3).forward(zeros([2, 3, 4, 4]))).toEqualTypeOf<
    Tensor<[2, 3, 4, 4], "float32">
  >();
});

class Doubled extends Module {
  forward(x: Tensor<[number, 4], "float32">): Tensor<[number, 8], "float32"> {
    return x.repeat([1, 2]) as Tensor<[number, 8], "float32">;
  }
}

test("a Sequential follows shapes through layers and modules", () => {
  const model = new Sequential(new Linear(3, 4), new ReLU(), new Doubled(), new Linear(8, 1));
  expectTypeOf(model.forward(randn([5, 3]))).toEqualTypeOf<Tensor<[number, 1], "float32">>();
  expectTypeOf(model.layers[0]).toEqualTypeOf<Linear<3, 4>>();
  const nested = new Sequential(new Sequential(new Linear(3, 4)), new Linear(4, 2));
  expectTypeOf(nested.forward(randn([5, 3]))).toEqualTypeOf<Tensor<[5, 2], "float32">>();
});

test("a convolutional network is followed to its last layer", () => {
  const features = [
    new Conv2d(1, 8, 5),
    new ReLU(),
    new MaxPool2d(2),
    new Conv2d(8, 16, 5),
    new ReLU(),
  ] as const;
  const model = new Sequential(...features, new MaxPool2d(2), new Flatten(), new Linear(256, 10));
  expectTypeOf(model.forward(zeros([64, 1, 28, 28]))).toEqualTypeOf<Tensor<[64, 10], "float32">>();
  const unfit = new Sequential(...features, new MaxPool2d(2), new Flatten(), new Linear(400, 10));
  // @ts-expect-error: the last size of the input must be 400, but is 256
  expectTypeOf(() => unfit.forward(zeros([64, 1, 28, 28]))).toBeFunction();
});

test("unknown shapes are left to run time", () => {
  const some: AnyTensor = zeros([5, 3]);
  expectTypeOf(new Linear(3, 2).forward(some).shape).toEqualTypeOf<readonly number[]>();
  const width: number = 3;
  expectTypeOf(new Linear(width, 2).forward(zeros([5, 7])).shape).toEqualTypeOf<readonly [5, 2]>();
});

test("what does not fit is refused", () => {
  const linear = new Linear(3, 2);
  // @ts-expect-error: the last size of the input must be 3, but is 4
  expectTypeOf(() => linear.forward(zeros([5, 4]))).toBeFunction();
  // @ts-expect-error: the input must have 3 channels (axis 1), but has 1
  expectTypeOf(() => new Conv2d(3, 8, 5).forward(zeros([2, 1, 9, 9]))).toBeFunction();
  const unfit = new Sequential(new Linear(3, 4), new Linear(8, 2));
  // @ts-expect-error: the last size of the input must be 8, but is 4
  expectTypeOf(() => unfit.forward(zeros([5, 3]))).toBeFunction();
  // @ts-expect-error: the last size of the input must be 3, but is 4
  expectTypeOf(() => new GRU(3, 8).forward(zeros([7, 5, 4]))).toBeFunction();
  // @ts-expect-error: the input must have 2 or 3 axes
  expectTypeOf(() => new LSTM(3, 8).forward(zeros([3]))).toBeFunction();
  // @ts-expect-error: the input must have 4 channels (axis 1), but has 3
  expectTypeOf(() => new BatchNorm2d(4).forward(zeros([2, 3, 4, 4]))).toBeFunction();
});

test("losses are numbers, unless there is one for each element", () => {
  const x = zeros([5, 3]);
  expectTypeOf(new CrossEntropyLoss().forward(x, randint(3, [5]))).toEqualTypeOf<Tensor<[], "float32">>();
  expectTypeOf(new MSELoss({ reduction: "none" }).forward(x, x)).toEqualTypeOf<Tensor<number[], "float32">>();
});

test("a field of a layer's class needs no sizes", () => {
  class Net extends Module {
    encoder: Sequential;
    embedding: Embedding;
    conv: Conv2d;
    norm: BatchNorm2d;
    pool: MaxPool2d;
    adaptive: AdaptiveAvgPool2d;
    border: ZeroPad2d;
    flat: Flatten;
    unflat: Unflatten;
    rnn: LSTM;
    layers: ModuleList<Linear>;
    heads: ModuleDict;
    head: Linear;
    mean: MSELoss;
    sum: CrossEntropyLoss;

    constructor(width: number) {
      super();
      this.mean = new MSELoss();
      this.sum = new CrossEntropyLoss({ reduction: "sum" });
      this.encoder = new Sequential(new Linear(3, width), new ReLU());
      this.embedding = new Embedding(10, width);
      this.conv = new Conv2d(3, 6, 5, { padding: 2 });
      this.norm = new BatchNorm2d(6);
      this.pool = new MaxPool2d(2, { stride: 1 });
      this.adaptive = new AdaptiveAvgPool2d([1, 1]);
      this.border = new ZeroPad2d(2);
      this.flat = new Flatten(1, 2);
      this.unflat = new Unflatten(1, [3, 4]);
      this.rnn = new LSTM(width, 8, { batchFirst: true, bidirectional: true });
      this.layers = new ModuleList([new Linear(width, 4), new Linear(4, 2)]);
      this.heads = new ModuleDict({ first: new Linear(width, 4) });
      this.head = new Linear(width, 10, { bias: false });
    }

    forward(): Tensor<[5, number], "float32"> {
      const images = zeros([8, 3, 28, 28]);
      expectTypeOf(this.conv.forward(images)).toEqualTypeOf<Tensor<[8, number, number, number], "float32">>();
      expectTypeOf(this.pool.forward(images)).toEqualTypeOf<Tensor<[8, 3, number, number], "float32">>();
      expectTypeOf(this.sum.forward(zeros([2, 3]), randint(3, [2]))).toEqualTypeOf<Tensor<[], "float32">>();
      return this.head.forward(zeros([5, 3]));
    }
  }
  expectTypeOf(new Net(4).head.forward(zeros([2, 3]))).toEqualTypeOf<Tensor<[2, number], "float32">>();
});

test("sequences are padded along their first axis", () => {
  const words = [randint(5, [3]), randint(5, [4])];
  expectTypeOf(utils.padSequence(words)).toEqualTypeOf<Tensor<[number, number], "int64">>();
  const frames: Tensor<[number, 8]>[] = [zeros([3, 8])];
  expectTypeOf(utils.padSequence(frames, { batchFirst: true })).toEqualTypeOf<Tensor<[number, number, 8]>>();
  const some: AnyTensor[] = [];
  expectTypeOf(utils.padSequence(some)).toExtend<AnyTensor>();
});

test("dicts of known names are dicts, and know their items", () => {
  const heads = new ModuleDict({ linear: new Linear(2, 3), relu: new ReLU() });
  const any: ModuleDict = heads;
  expectTypeOf([...any.values()]).toExtend<Module[]>();
  expectTypeOf([...heads.values()]).toEqualTypeOf<(Linear<2, 3> | ReLU)[]>();
  expectTypeOf(heads.get("linear")).toEqualTypeOf<Linear<2, 3>>();
});

test("a function that makes one of several optimizers", () => {
  const made = (name: "adam" | "lbfgs" | "sgd", parameters: Iterable<AnyTensor>): Optimizer => {
    if (name === "adam") return new Adam(parameters, { lr: 0.1 });
    return name === "sgd" ? new SGD(parameters, { lr: 0.1 }) : new LBFGS(parameters);
  };
  const optimizer = made("adam", new Linear(2, 3).parameters());
  expectTypeOf(optimizer.paramGroups[0]?.lr).toEqualTypeOf<number | undefined>();
  expectTypeOf(new StepLR(optimizer, 3)).toExtend<StepLR>();
});

test("attention has the shape of its queries, and weights unless they are not needed", () => {
  const attention = new MultiheadAttention(8, 2, { batchFirst: true });
  const x = zeros([3, 5, 8]);
  const [output, weights] = attention.forward(x, x, x);
  expectTypeOf(output).toEqualTypeOf<Tensor<[3, 5, 8], "float32">>();
  expectTypeOf(weights).toEqualTypeOf<Tensor<[number, number, number], "float32">>();
  const { 1: each } = attention.forward(x, x, x, { averageAttnWeights: false });
  expectTypeOf(each).toEqualTypeOf<Tensor<[number, number, number, number], "float32">>();
  expectTypeOf(attention.forward(x, x, x, { needWeights: false })[1]).toEqualTypeOf<null>();
  const needWeights = Math.random() < 0.5;
  const { 1: some } = attention.forward(x, x, x, { needWeights });
  expectTypeOf(some).toEqualTypeOf<Tensor<[number, number, number], "float32"> | null>();
});

test("images are resampled, shuffled and halved", () => {
  const images = zeros([2, 8, 6, 10]);
  expectTypeOf(new Upsample({ scaleFactor: 2 }).forward(images)).toEqualTypeOf<
    Tensor<[2, 8, 12, 20], "float32">
  >();
  expectTypeOf(new UpsamplingNearest2d({ size: 7 }).forward(images)).toEqualTypeOf<
    Tensor<[2, 8, 7, 7], "float32">
  >();
  expectTypeOf(new PixelShuffle(2).forward(images)).toEqualTypeOf<Tensor<[2, 2, 12, 20], "float32">>();
  expectTypeOf(new PixelUnshuffle(2).forward(images)).toEqualTypeOf<Tensor<[2, 32, 3, 5], "float32">>();
  expectTypeOf(new GLU().forward(images)).toEqualTypeOf<Tensor<[2, 8, 6, 5], "float32">>();
  expectTypeOf(new GLU(1).forward(images)).toEqualTypeOf<Tensor<[2, 4, 6, 10], "float32">>();
  const any: Module = new Sequential(new PixelShuffle(2), new Upsample({ size: [3, 4] }));
  expectTypeOf(any).toEqualTypeOf<Module>();
  expectTypeOf(
    new Sequential(new PixelShuffle(2), new Upsample({ size: [3, 4] })).forward(images),
  ).toEqualTypeOf<Tensor<[2, 2, 3, 4], "float32">>();
});
