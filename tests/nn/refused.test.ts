/** What modules, optimizers and loaders refuse: when they are made, at the line that makes them. */
import { Generator, manualSeed, ones, zeros } from "fuseau";
import { DataLoader, randomSplit, TensorDataset } from "fuseau/data";
import * as nn from "fuseau/nn";
import * as optim from "fuseau/optim";
import { describe, expect, it } from "vitest";

/** As from JavaScript, where nobody checks types. */
type Loose = Record<string, new (...args: unknown[]) => { forward(...args: unknown[]): unknown }>;
const { made, optimizers, loaders } = {
  made: nn as unknown as Loose,
  optimizers: optim as unknown as Loose,
  loaders: { DataLoader, TensorDataset } as unknown as Loose,
};
const make = (name: string, ...args: unknown[]): unknown => new made[name]!(...args);
const params = () => [nn.parameter(zeros([2]))];
const sgd = () => new optim.SGD(params(), { lr: 1 });

const cases: readonly (readonly [RegExp, () => unknown])[] = [
  [/^Linear: unknown option "bais" \(did you mean "bias"\?\)/, () => make("Linear", 3, 2, { bais: false })],
  [
    /^Linear: takes options as an object last: { bias: false }, but got false$/,
    () => make("Linear", 3, 2, false),
  ],
  [/^Linear: bias must be true or false, but got "no"/, () => make("Linear", 3, 2, { bias: "no" })],
  [/^Linear: inFeatures must be a whole number of at least 0, but got 1.5/, () => make("Linear", 1.5, 2)],
  [/^Linear: outFeatures must be a whole number .* undefined/, () => make("Linear", 3)],
  [/^Linear: dtype must be a floating dtype .* "int32"/, () => make("Linear", 3, 2, { dtype: "int32" })],
  [
    /^Conv2d: unknown option "strides" \(did you mean "stride"/,
    () => make("Conv2d", 3, 8, 5, { strides: 2 }),
  ],
  [/^Conv2d: takes options as an object last: { .* }, but got 2$/, () => make("Conv2d", 3, 8, 5, 2)],
  [
    /^Conv2d: padding must be .* "same" or "valid", but got "sam"/,
    () => make("Conv2d", 3, 8, 5, { padding: "sam" }),
  ],
  [
    /^Conv2d: in_channels must be divisible by groups \(3 by 2\)/,
    () => make("Conv2d", 3, 8, 5, { groups: 2 }),
  ],
  [/^Conv2d: kernelSize must have 2 sizes, but got \[5\]/, () => make("Conv2d", 3, 8, [5])],
  [
    /^Conv2d: padding='same' is not supported for strided convolutions \(stride 2\)/,
    () => make("Conv2d", 3, 8, 5, { padding: "same", stride: 2 }),
  ],
  [/^softmax: Dimension out of range/, () => new nn.Softmax(5).forward(zeros([2, 3]) as never)],
  [
    /^avgPool2d: pad should be at most half/,
    () => new nn.AvgPool2d(2, { padding: 3 }).forward(zeros([1, 1, 8, 8])),
  ],
  [
    /^LSTM: lengths are from 1 to 5, .*lengths\[1\] is 9/,
    () => new nn.LSTM(3, 4).forward(zeros([5, 2, 3]), null, { lengths: [5, 9] }),
  ],
  [
    /^loadStateDict: the entry state must be an object, but got undefined/,
    () => sgd().loadStateDict({} as never),
  ],
  [/^MaxPool2d: unknown option "strid"/, () => make("MaxPool2d", 2, { strid: 1 })],
  [/^AdaptiveAvgPool2d: outputSize must be .* "all"/, () => make("AdaptiveAvgPool2d", "all")],
  [/^LSTM: takes options as an object last: { numLayers: 2 }, but got 2$/, () => make("LSTM", 3, 4, 2)],
  [
    /^RNN: nonlinearity must be one of "tanh", "relu", but got "gelu"/,
    () => make("RNN", 3, 4, { nonlinearity: "gelu" }),
  ],
  [/^GroupNorm: num_channels must be divisible by num_groups/, () => make("GroupNorm", 3, 8)],
  [/^BatchNorm2d: unknown option "momentun"/, () => make("BatchNorm2d", 4, { momentun: 0.1 })],
  [/^LayerNorm: takes options as an object last/, () => make("LayerNorm", [4], 1e-5)],
  [
    /^Embedding: Padding_idx must be within num_embeddings \(10 of 10\)/,
    () => make("Embedding", 10, 3, { paddingIdx: 10 }),
  ],
  [
    /^MultiheadAttention: unknown option "batch_first" \(did you mean "batchFirst"/,
    () => make("MultiheadAttention", 12, 3, { batch_first: true }),
  ],
  [/^MultiheadAttention: embed_dim must be divisible by num_heads/, () => make("MultiheadAttention", 10, 3)],
  [
    /^TransformerEncoder: layers must be a Module, but got a function/,
    () => make("TransformerEncoder", () => 1),
  ],
  [
    /^Sequential: layers\[1\] must be a Module, but got a function/,
    () => make("Sequential", new nn.ReLU(), () => 1),
  ],
  [/^Sequential: layers\[0\] .* new Sequential\(\.\.\.layers\)/, () => make("Sequential", [new nn.ReLU()])],
  [/^ModuleDict: items\["a"\] must be a Module, but got 3/, () => make("ModuleDict", { a: 3 })],
  [/^Dropout: p must be between 0 and 1/, () => make("Dropout", 2)],
  [
    /^LeakyReLU: negativeSlope must be a number, but got an object/,
    () => make("LeakyReLU", { negativeSlope: 1 }),
  ],
  [/^Softmax: dim must be an integer, but got undefined/, () => make("Softmax")],
  [
    /^CrossEntropyLoss: reduction must be one of "none", "mean", "sum", but got "avg"/,
    () => make("CrossEntropyLoss", { reduction: "avg" }),
  ],
  [/^ZeroPad2d: padding must have 4 widths, but got \[1, 2\]/, () => make("ZeroPad2d", [1, 2])],
  [
    /^PixelShuffle: upscaleFactor must be a whole number of at least 1, but got 0/,
    () => make("PixelShuffle", 0),
  ],
  [/^Adam: unknown option "learningRate"/, () => new optimizers.Adam!(params(), { learningRate: 1 })],
  [
    /^AdamW: takes options as an object last: { lr: 0.1 }, but got 0.1/,
    () => new optimizers.AdamW!(params(), 0.1),
  ],
  [
    /^Adam: amsgrad must be true or false, but got "yes"/,
    () => new optimizers.Adam!(params(), { amsgrad: "yes" }),
  ],
  [
    /^Adam: params must be an array .* got a Linear \(a module gives its own: model.parameters\(\)\)/,
    () => new optimizers.Adam!(new nn.Linear(2, 2)),
  ],
  [/^SGD: unknown option "rate"/, () => new optimizers.SGD!([{ params: params(), rate: 1 }])],
  [/^StepLR: stepSize must be .* but got an object/, () => new optimizers.StepLR!(sgd(), { stepSize: 2 })],
  [/^StepLR: optimizer must be an Optimizer, but got 1/, () => new optimizers.StepLR!(1, 2)],
  [/^OneCycleLR: You must define either totalSteps OR/, () => new optimizers.OneCycleLR!(sgd(), 0.1, {})],
  [
    /^OneCycleLR: takes options as an object last: { totalSteps: 10 }, but got 10$/,
    () => new optimizers.OneCycleLR!(sgd(), 0.1, 10),
  ],
  [
    /^Conv2d: kernelSize must be .* got an object \(arguments stand in their order, and options last\)$/,
    () => make("Conv2d", 1, 8, { kernelSize: 3, padding: 1 }),
  ],
  [
    /^DataLoader: unknown option "batchsize" \(did you mean "batchSize"/,
    () => new loaders.DataLoader!(new TensorDataset(zeros([4])), { batchsize: 2 }),
  ],
  [/^TensorDataset: Size mismatch/, () => new TensorDataset(zeros([4]), zeros([3]))],
  [
    /^clipGradNorm_: maxNorm must be a number/,
    () => (nn.utils.clipGradNorm_ as (...given: unknown[]) => unknown)(params(), { maxNorm: 1 }),
  ],
  [
    /^loadStateDict: .* Missing key\(s\) in state_dict: "bias"/,
    () => new nn.Linear(2, 2).loadStateDict({ weight: zeros([2, 2]) }),
  ],
  [
    /^Linear: takes at most 3 arguments, but 4 were given: new Linear\(inFeatures, outFeatures, \{/,
    () => make("Linear", 3, 4, {}, 5),
  ],
  [/^ReLU: takes no arguments, but 1 was given: new ReLU\(\)$/, () => make("ReLU", true)],
  [/^ReLU: takes no options, but got \{ inplace \}/, () => make("ReLU", { inplace: true })],
  [
    /^forward: takes at most 1 argument, but 2 were given/,
    () => (new nn.ReLU() as unknown as { forward(...given: unknown[]): unknown }).forward(zeros([2]), 1),
  ],
  [
    /^forward: input must be a tensor, but got an array \(wrap it in tensor\(...\)\)$/,
    () => new nn.Linear(2, 2).forward([1, 2] as never),
  ],
  [
    /^forward: unknown option "needWeight" \(did you mean "needWeights"/,
    () =>
      (new nn.MultiheadAttention(4, 2).forward as (...given: unknown[]) => unknown)(
        zeros([1, 4]),
        zeros([1, 4]),
        zeros([1, 4]),
        { needWeight: false },
      ),
  ],
  [
    /^DataLoader: shuffle must be true or false, but got "yes"$/,
    () => new loaders.DataLoader!([1], { shuffle: "yes" }),
  ],
  [
    /^DataLoader: dropLast must be true or false, but got 1$/,
    () => new loaders.DataLoader!([1], { dropLast: 1 }),
  ],
  [
    /^DataLoader: batchSize must be a whole number of at least 1, but got 0$/,
    () => new loaders.DataLoader!([1], { batchSize: 0 }),
  ],
  [
    /^randomSplit: unknown option "seed" \(did you mean "generator"/,
    () => randomSplit([1, 2], [1, 1], { seed: 1 } as never),
  ],
  [
    /^Adam: betas must be two numbers in an array, but got \[0.9\]$/,
    () => new optimizers.Adam!(params(), { betas: [0.9] }),
  ],
  [/^SGD: lr must be a number, but got "0.1"$/, () => new optimizers.SGD!(params(), { lr: "0.1" })],
  [
    /^SGD: params must be an array .* but got a tensor \(write \[tensor\]\)$/,
    () => new optimizers.SGD!(zeros([2])),
  ],
  [
    /^SGD: takes at most 2 arguments, but 3 were given: new SGD\(params, \{ lr, /,
    () => new optimizers.SGD!(params(), {}, 1),
  ],
  [
    /^zeroGrad: unknown option "setNone" \(did you mean "setToNone"/,
    () => sgd().zeroGrad({ setNone: true } as never),
  ],
  [
    /^zeroGrad: unknown option "setNone" \(did you mean "setToNone"/,
    () => new nn.ReLU().zeroGrad({ setNone: true } as never),
  ],
  [/^step: closure must be a function, but got 3$/, () => sgd().step(3 as never)],
  [/^step: called without its Optimizer; write x.step\(…\)$/, () => Reflect.apply(sgd().step, undefined, [])],
  [
    /^loadStateDict: paramGroups must be an array, but got undefined/,
    () => sgd().loadStateDict({ state: {} } as never),
  ],
  [
    /^addParamGroup: unknown option "rate"/,
    () => sgd().addParamGroup({ params: params(), rate: 1 } as never),
  ],
  [
    /^loadStateDict: unknown option "stric" \(did you mean "strict"/,
    () => new nn.ReLU().loadStateDict({}, { stric: true } as never),
  ],
  [/^to: dtype must be a floating dtype .* but got "cuda"$/, () => new nn.ReLU().to("cuda" as never)],
  [
    /^get: there is no "layer"; there are inner$/,
    () => new nn.ModuleDict({ inner: new nn.ReLU() }).get("layer" as never),
  ],
  [
    /^append: item must be a Module, but got a function$/,
    () => new nn.ModuleList().append((() => 1) as never),
  ],
  [
    /^normal_: mean must be a number, but got an object \(options come last: normal_\(x, mean, std, \{ generator \}\)\)$/,
    () => nn.init.normal_(zeros([2]), { generator: new Generator(1) } as never),
  ],
  [
    /^normal_: .* \(mean is an argument of its own: normal_\(x, mean, std, \{ generator \}\)\)$/,
    () => nn.init.normal_(zeros([2]), { mean: 1 } as never),
  ],
  [/^kaimingUniform_: Fan in and fan out can not be computed/, () => nn.init.kaimingUniform_(zeros([2]))],
  [/^train: training must be true or false/, () => new nn.ReLU().train("no" as unknown as boolean)],
];

describe("is refused at the user's line", () => {
  it.each(cases.map(([message, run]) => [message.source, message, run] as const))("%s", (_, message, run) => {
    let thrown: unknown;
    try {
      run();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(Error);
    const { message: said, stack } = thrown as Error;
    expect(said).toMatch(message);
    expect(stack?.slice(stack.indexOf(said) + said.length).match(/\n +at .*/)?.[0]).toContain(
      "refused.test.ts",
    );
  });

  it("what a layer refuses, with its place in a Sequential", () => {
    const model = new nn.Sequential(new nn.Flatten(), new nn.Linear(4, 3), new nn.Linear(2, 1));
    let thrown: unknown;
    try {
      (model as unknown as { forward(x: unknown): unknown }).forward(ones([5, 2, 2]));
    } catch (error) {
      thrown = error;
    }
    const { message, stack } = thrown as Error;
    expect(message).toMatch(/\(in layers\[2\], Linear\)$/);
    expect(stack?.slice(stack.indexOf(message) + message.length).match(/\n +at .*/)?.[0]).toContain(
      "refused.test.ts",
    );
  });
});

it("options that are undefined are left out", () => {
  expect(new nn.Conv2d(1, 2, 3, { padding: undefined, bias: undefined } as object).bias).not.toBeNull();
});

it("AlphaDropout sets what it drops to one number, and nothing in evaluation", () => {
  manualSeed(1);
  const drop = new nn.AlphaDropout(0.25);
  const x = ones([4_000]);
  const found = drop.forward(x).toArray();
  const [kept, dropped] = [Math.max(...found), Math.min(...found)];
  expect(found.every((value) => value === kept || value === dropped)).toBe(true);
  // a·1 + b and a·α′ + b, with a = ((1 − p)(1 + p·α′²))^−½ and b = −a·α′·p
  const alpha = -1.7580993408473766;
  const a = ((1 - 0.25) * (1 + 0.25 * alpha ** 2)) ** -0.5;
  expect(kept).toBeCloseTo(a - a * alpha * 0.25, 5);
  expect(dropped).toBeCloseTo(a * alpha - a * alpha * 0.25, 5);
  expect(found.filter((value) => value === dropped).length / 4_000).toBeCloseTo(0.25, 1);
  expect(drop.eval().forward(x)).toBe(x);
});

it.each([
  [nn.Dropout1d, [3, 4], 1],
  [nn.Dropout1d, [2, 3, 4], 2],
  [nn.Dropout2d, [2, 3, 4], 2],
  [nn.Dropout3d, [3, 4, 2, 2], 1],
  [nn.FeatureAlphaDropout, [2, 3, 4, 2], 2],
] as const)("%o of %j drops whole channels, and the others not", (Dropping, shape, axes) => {
  manualSeed(5);
  const drop = new Dropping(0.5);
  const many = ones([...shape.slice(0, axes - 1), 400, ...shape.slice(axes)]);
  const found = drop.forward(many).reshape([-1, many.numel() / (axes === 1 ? 400 : 800)]);
  expect(found.amax(1).toArray()).toEqual(found.amin(1).toArray());
  const dropped = found.amin(1).eq(found.min()).float().mean();
  expect(dropped.item()).toBeCloseTo(0.5, 1);
  for (const wrong of [ones([2]), ones([2, 2, 2, 2])])
    expect(() => new nn.Dropout1d(0.5).forward(wrong as never)).toThrow(
      `dropout1d: Expected 2D or 3D input, but received a ${wrong.ndim}D input`,
    );
  expect(() => new nn.FeatureAlphaDropout(0.5).forward(ones([2]))).toThrow(
    "featureAlphaDropout: Feature dropout requires at least 2 dimensions in the input",
  );
});

it("RReLU draws a slope for each element in training, and its gradient with it", () => {
  manualSeed(2);
  const x = ones([1000]).neg().requiresGrad_();
  const y = new nn.RReLU(0.25, 0.5).forward(x);
  y.sum().backward();
  const slopes = y.neg().toArray();
  expect(Math.min(...slopes)).toBeGreaterThanOrEqual(0.25);
  expect(Math.max(...slopes)).toBeLessThanOrEqual(0.5);
  expect(new Set(slopes).size).toBeGreaterThan(990);
  expect(x.grad!.toArray()).toEqual(slopes);
  expect(() => new nn.RReLU(1, 0.5).forward(x)).toThrow(/^rrelu: Lower bound should be less/);
});
