/**
 * What the entry points beside `fuseau` export, and what every-operation.test.ts leaves out of `fuseau`, refuses what it does not take: by
 * name, and at the user's line. Whatever is exported later is walked too.
 */
import * as fuseau from "fuseau";
import * as cache from "fuseau/cache";
import * as data from "fuseau/data";
import * as nn from "fuseau/nn";
import * as optim from "fuseau/optim";
import { describe, expect, test } from "vitest";

type Run = (...given: readonly unknown[]) => unknown;
type Class = new (...given: readonly unknown[]) => object;

const square = (): fuseau.AnyTensor => fuseau.ones([4, 4]) as fuseau.AnyTensor;
const params = (): unknown => [nn.parameter(fuseau.zeros([2]))];
const sgd = (): optim.SGD => new optim.SGD(params() as never, { lr: 1, momentum: 0.5 });
const encoderLayer = (): nn.Module => new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 4 });
const decoderLayer = (): nn.Module => new nn.TransformerDecoderLayer(4, 2, { dimFeedforward: 4 });
const schedules = (): readonly unknown[] => {
  const optimizer = sgd();
  return [optimizer, [new optim.StepLR(optimizer, 2), new optim.StepLR(optimizer, 3)]];
};

/** What makes one of each class of a pattern, options left out; of those that none fits, nothing has to be given. */
const samples: readonly (readonly [names: RegExp, given: () => readonly unknown[]])[] = [
  [/^PlainActivation$/, () => [fuseau.relu]],
  [/^AlongAxis$/, () => [fuseau.softmax, 0]],
  [/^(Softmax|LogSoftmax|Softmin)$/, () => [1]],
  [/^Threshold$/, () => [1, 2]],
  [/^(Linear|Embedding|EmbeddingBag|GroupNorm|RNN|LSTM|GRU|RNNCell|LSTMCell|GRUCell)$/, () => [4, 4]],
  [/^Bilinear$/, () => [4, 4, 4]],
  [/^Conv/, () => [4, 4, 1]],
  [/^(BatchNorm|InstanceNorm)\dd$|^(LayerNorm|RMSNorm|LocalResponseNorm)$/, () => [4]],
  [/^(Max|Avg)(Unp|P)ool\dd$|^Adaptive|^(Pixel|Channel)\w*huffle$|^Unfold$/, () => [1]],
  [/^LPPool/, () => [2, 1]],
  [/^ConstantPad/, () => [1, 0]],
  [/Pad\dd$/, () => [1]],
  [/^Unflatten$/, () => [0, [2, 2]]],
  [/^Fold$/, () => [2, 1]],
  [/^Upsampl/, () => []],
  [/^(MultiheadAttention|TransformerEncoderLayer|TransformerDecoderLayer|Transformer)$/, () => [4, 2]],
  [/^TransformerEncoder$/, () => [encoderLayer(), 1, null]],
  [/^TransformerDecoder$/, () => [decoderLayer(), 1, null]],
  [/^AveragedModel$/, () => [new nn.Linear(2, 2), new nn.Linear(2, 2)]],
  [/^SWALR$/, () => [sgd(), 0.1]],
  [/^ModuleList$/, () => [[new nn.ReLU()]]],
  [/^ModuleDict$/, () => [{ a: new nn.ReLU() }]],
  [/^ParameterList$/, () => [[fuseau.zeros([2])]]],
  [/^ParameterDict$/, () => [{ a: fuseau.zeros([2]) }]],
  [/^(SGD|Adam|AdamW|Adamax|NAdam|RAdam|RMSprop|Adagrad|Adadelta|Rprop|ASGD|LBFGS)$/, () => [params()]],
  [/^(StepLR|CosineAnnealingLR|CosineAnnealingWarmRestarts)$/, () => [sgd(), 3]],
  [/^MultiStepLR$/, () => [sgd(), [3]]],
  [/^(LambdaLR|MultiplicativeLR)$/, () => [sgd(), () => 1]],
  [/^ExponentialLR$/, () => [sgd(), 0.5]],
  [/^CyclicLR$/, () => [sgd(), 0.1, 0.2]],
  [/^OneCycleLR$/, () => [sgd(), 0.1]],
  [/^(ConstantLR|LinearLR|PolynomialLR|ReduceLROnPlateau)$/, () => [sgd()]],
  [/^SequentialLR$/, () => [...schedules(), [1]]],
  [/^ChainedScheduler$/, () => schedules().slice(1)],
  [/^(DataLoader|RandomSampler|SequentialSampler)$/, () => [[1, 2, 3]]],
  [/^Subset$/, () => [[1, 2, 3], [0]]],
  [/^ConcatDataset$/, () => [[[1, 2, 3]]]],
  [/^TensorDataset$/, () => [square()]],
  [/^BatchSampler$/, () => [[1, 2, 3], 2]],
  [/^SubsetRandomSampler$/, () => [[1, 2, 3]]],
  [/^WeightedRandomSampler$/, () => [[1, 2, 3], 2]],
];
/** Options without which there is none, or a large one. */
const needed: Readonly<Record<string, object>> = {
  OneCycleLR: { totalSteps: 10 },
  Transformer: { numEncoderLayers: 1, numDecoderLayers: 1, dimFeedforward: 4 },
  TransformerEncoderLayer: { dimFeedforward: 4 },
  TransformerDecoderLayer: { dimFeedforward: 4 },
  Upsample: { scaleFactor: 2 },
  UpsamplingNearest2d: { scaleFactor: 2 },
  UpsamplingBilinear2d: { scaleFactor: 2 },
};
/** Classes that users extend, which are walked as part of what extends them here; an error; what takes anything, as in PyTorch. */
const others: ReadonlySet<string> = new Set([
  ...["Module", "Layer", "Activation", "Optimizer", "Schedule"],
  ...["FormatError", "Identity"],
]);

const isClass = (value: unknown): value is Class => /^class\b/.test(String(value));
const entryPoints = Object.entries({ ...nn, ...optim, ...data, ...cache, init: null, utils: null });

const classes = entryPoints
  .flatMap(([name, value]): (readonly [string, Class])[] => (isClass(value) ? [[name, value]] : []))
  .filter(([name]) => !others.has(name));

const functions: readonly (readonly [string, Run])[] = [
  ...entryPoints,
  ...Object.entries(nn.init),
  ...Object.entries(nn.utils),
  ...Object.entries(fuseau.autograd).filter(([name]) => name !== "Function"),
  ["Transformer.generateSquareSubsequentMask", nn.Transformer.generateSquareSubsequentMask] as const,
].flatMap(([name, value]): (readonly [string, Run])[] =>
  typeof value === "function" && !isClass(value) ? [[name, value as Run]] : [],
);

const sampleOf = (name: string): readonly unknown[] =>
  samples.find(([names]) => names.test(name))?.[1]() ?? [];
const optionsOf = (name: string): readonly unknown[] => (name in needed ? [needed[name]] : []);

/** For those that extend a class, `protected` in its types; and what a schedule tells others. */
const inner: readonly (readonly [
  Made: abstract new (...given: never[]) => object,
  names: readonly string[],
])[] = [
  [Object, ["constructor", "slots", "fields", "run", "added", "inner", "through"]],
  [nn.RNNCell, ["step"]],
  [nn.LSTMCell, ["step"]],
  [nn.GRUCell, ["step"]],
  [optim.Optimizer, ["check", "begin", "update", "counted", "decayed", "passing", "kept", "keptIn"]],
  [optim.Schedule, ["apply", "perGroup", "at", "onto", "pivot", "isBeside", "release"]],
];

/** Methods of an object's classes, up to what JavaScript has. */
function methodsOf(made: object): readonly string[] {
  const hidden = new Set(inner.flatMap(([Made, names]) => (made instanceof Made ? names : [])));
  const found = new Set<string>();
  for (let at = Object.getPrototypeOf(made); at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === "function" && !hidden.has(name)) found.add(name);
  return [...found];
}

async function errorOf(run: () => unknown): Promise<Error | null> {
  try {
    const given = run();
    // What is iterated over fails then.
    if (given instanceof Promise) await given;
  } catch (error) {
    return error as Error;
  }
  return null;
}

/** What JavaScript answers where nobody has looked at an argument. */
const ofEngine =
  /Cannot (read|convert|mix|use|destructure)|is not a (function|constructor)|(is|are) not iterable|of undefined|of null|no initial value|Method \w+\.prototype/;
const fromHere = /^[^\n]*(\n(?! {4}at )[^\n]*)*\n {4}at [^\n]*every-export/;

function expectRefusal(name: string, error: Error | null, said: string): void {
  if (error === null) expect.fail(`${said} is accepted in silence`);
  // What an operation in a layer refuses has that one's name.
  const own = name === "forward" ? "[\\w.]+" : name.replace(/^.*\./, "");
  if (!new RegExp(`^${own}: `).test(error.message))
    expect(error.message, said).toMatch(new RegExp(`^${own}: `));
  if (ofEngine.test(error.message)) expect(error.message, said).not.toMatch(ofEngine);
  if (!fromHere.test(error.stack ?? ""))
    expect(error.stack, `${said}: the stack begins at the user's line`).toMatch(fromHere);
}

const junk: readonly unknown[] = [
  ...[undefined, null, "2", {}, { dim: 0 }, [], [null], ["a"], () => 1, NaN, 1.5, -7, 3n, Symbol("wrong")],
];

test("there are many", () => {
  expect(classes.length).toBeGreaterThan(150);
  expect(functions.length).toBeGreaterThan(30);
});

const replaced = (list: readonly unknown[], place: number, item: unknown): readonly unknown[] =>
  list.map((each, k) => (k === place ? item : each));

describe("constructors", () => {
  test.each(classes)("%s", async (name, Made) => {
    const sample = () => [...sampleOf(name), ...optionsOf(name)];
    expect(new Made(...sample()), "the sample").toBeInstanceOf(Made);
    const surplus = await errorOf(() => new Made(...sampleOf(name), {}, {}, "surplus"));
    expectRefusal(name, surplus, `new ${name}(…, {}, {}, "surplus")`);
    const unknown = await errorOf(() => new Made(...sampleOf(name), { bogusOption: 1 }));
    expectRefusal(name, unknown, `new ${name}(…, { bogusOption })`);
    for (const option of listedBy(unknown)) {
      const wrong = { ...needed[name], [option]: Symbol("wrong") };
      const error = await errorOf(() => new Made(...sampleOf(name), wrong));
      expectRefusal(name, error, `new ${name}(…, { ${option}: Symbol() })`);
      expect(error?.message).toContain(option);
    }
    for (const k of sampleOf(name).keys())
      for (const wrong of junk) {
        const error = await errorOf(
          () => new Made(...replaced(sampleOf(name), k, wrong), ...optionsOf(name)),
        );
        const said = `new ${name}, argument ${k}: ${String(wrong)}`;
        if (error !== null || typeof wrong === "symbol") expectRefusal(name, error, said);
      }
    for (const wrong of junk) {
      const error = await errorOf(() => new Made(...sampleOf(name), wrong));
      if (error !== null || typeof wrong === "symbol")
        expectRefusal(name, error, `new ${name}(…, ${String(wrong)})`);
    }
  });
});

/** Calls it with too much, and with each kind of argument, and option, behind what may stand before it. */
async function walk(
  name: string,
  call: (given: readonly unknown[]) => unknown,
  beginnings: readonly (() => unknown[])[],
): Promise<void> {
  const surplus = await errorOf(() => call(Array.from({ length: 12 }, () => "surplus")));
  expectRefusal(name, surplus, `${name} of twelve strings`);
  for (const beginning of beginnings) {
    for (const wrong of junk) {
      const error = await errorOf(() => call([...beginning(), wrong]));
      if (error !== null) expectRefusal(name, error, `${name}(…${beginning().length}, ${String(wrong)})`);
    }
    const unknown = await errorOf(() => call([...beginning(), { bogusOption: 1 }]));
    for (const option of listedBy(unknown)) {
      const error = await errorOf(() => call([...beginning(), { [option]: Symbol("wrong") }]));
      expectRefusal(name, error, `${name} with ${option}: Symbol()`);
    }
  }
}

/** The options that an error names. */
const listedBy = (error: Error | null): readonly string[] =>
  /the options are ([\w, ]+)/.exec(error?.message ?? "")?.[1]?.split(", ") ?? [];

const beginnings: readonly (() => unknown[])[] = [
  () => [],
  () => [square()],
  () => [square(), 1],
  () => [square(), square()],
  () => [square(), square(), square()],
  () => [[square()]],
  () => [[square()], 1],
  () => [() => square()],
  () => [() => square(), [square()]],
];

describe("functions", () => {
  test.each(functions)("%s", (name, run) => walk(name, (given) => run(...given), beginnings));
});

describe("methods", () => {
  const walked = new Set<Run>();
  test.each(classes)("of %s", async (name, Made) => {
    const make = () => new Made(...sampleOf(name), ...optionsOf(name)) as Record<string, Run>;
    for (const method of methodsOf(make())) {
      // What a class inherits is walked once; a layer's forward calls what the layer has of its own.
      const shared = make()[method]!;
      if (method !== "forward" && walked.has(shared)) continue;
      walked.add(shared);
      const call = (given: readonly unknown[]): unknown => make()[method]!(...given);
      await walk(method, call, beginnings.slice(0, 5));
    }
  });
});
