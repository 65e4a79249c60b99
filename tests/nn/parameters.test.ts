/** Padded sequences, and weights that are computed, against values of PyTorch (fixtures/parameters.py made them). */
import { readFileSync } from "node:fs";
import { type AnyTensor, arange, type DType, jit, ones, ShapeError, stats, tensor, zeros } from "fuseau";
import * as nn from "fuseau/nn";
import { SGD } from "fuseau/optim";
import { describe, expect, it, vi } from "vitest";

interface Numbers {
  readonly shape: number[];
  readonly dtype: DType;
  readonly data: number[];
}

interface Case {
  readonly name: string;
  readonly state: Record<string, Numbers>;
  readonly input: Numbers;
  readonly outputs: Numbers[];
  readonly grad: Numbers;
  readonly parameterGrads: Record<string, Numbers>;
}

const {
  sequences,
  normed,
}: {
  readonly sequences: readonly (Case & { readonly lengths: number[] })[];
  readonly normed: readonly (Case & { readonly after: Record<string, Numbers> })[];
} = JSON.parse(readFileSync(new URL("./fixtures/parameters.json", import.meta.url), "utf8"));

const toTensor = ({ shape, dtype, data }: Numbers): AnyTensor => tensor(data, { dtype }).reshape(shape);

function expectClose(actual: AnyTensor | null | undefined, expected: Numbers, what: string): void {
  expect(actual?.shape, what).toEqual(expected.shape);
  const found = Array.from(actual!.toTypedArray(), Number);
  for (const [k, value] of expected.data.entries())
    expect(Math.abs(found[k]! - value), `${what}[${k}]: ${found[k]} is not ${value}`).toBeLessThan(
      1e-6 * (1 + Math.abs(value)),
    );
}

const weighted = (x: AnyTensor): AnyTensor =>
  x
    .mul(tensor(Float64Array.from({ length: x.numel() }, (_, k) => Math.sin(k + 1))).reshape([...x.shape]))
    .sum();

function load(module: nn.Module, state: Record<string, Numbers>): void {
  module.to("float64");
  expect(Object.keys(module.stateDict())).toEqual(Object.keys(state));
  module.loadStateDict(Object.fromEntries(Object.entries(state).map(([name, x]) => [name, toTensor(x)])));
}

function expectGradients(module: nn.Module, x: AnyTensor, { grad, parameterGrads }: Case): void {
  expectClose(x.grad, grad, "gradient of the input");
  for (const [name, item] of module.namedParameters())
    expectClose(item.grad, parameterGrads[name]!, `gradient of ${name}`);
}

describe("sequences of several lengths in a recurrent layer", () => {
  const layers: Readonly<Record<string, () => nn.RNN<3, 2> | nn.GRU<3, 2> | nn.LSTM<3, 4>>> = {
    RNN: () => new nn.RNN(3, 2),
    GRU: () => new nn.GRU(3, 2, { numLayers: 2, bidirectional: true, batchFirst: true }) as nn.GRU<3, 2>,
    LSTM: () => new nn.LSTM(3, 4, { numLayers: 2, bidirectional: true, projSize: 2 }) as nn.LSTM<3, 4>,
  };
  const run = (layer: nn.Module, x: AnyTensor, lengths: AnyTensor | number[]): AnyTensor[] =>
    (layer as nn.RNN<3, 2>).forward(x as never, null, { lengths }).flat() as AnyTensor[];

  it.each(sequences)("$name gives what it gives packed ones", (example) => {
    const layer = layers[example.name]!();
    load(layer, example.state);
    const x = toTensor(example.input).requiresGrad_();
    const outputs = run(layer, x, example.lengths);
    expect(outputs).toHaveLength(example.outputs.length);
    for (const [k, output] of example.outputs.entries()) expectClose(outputs[k], output, `output ${k}`);
    outputs
      .map(weighted)
      .reduce((sum, part) => sum.add(part))
      .backward();
    expectGradients(layer, x, example);
  });

  it("is not reached by what padding holds, NaN neither", () => {
    const { state, input, lengths, grad } = sequences[0]!;
    const layer = layers.RNN!();
    load(layer, state);
    const data = input.data.map((value) => (value === 7 ? Number.NaN : value));
    const x = toTensor({ ...input, data }).requiresGrad_();
    run(layer, x, lengths)
      .map(weighted)
      .reduce((sum, part) => sum.add(part))
      .backward();
    expectClose(x.grad, grad, "gradient");
  });

  it("is one recording and one program for all lengths", () => {
    const layer = new nn.GRU(2, 3, { bidirectional: true });
    for (const item of layer.parameters()) item.requiresGrad_(false);
    let calls = 0;
    const forward = jit((x: AnyTensor, lengths: AnyTensor) => {
      calls++;
      return layer.forward(x as never, null, { lengths })[0] as AnyTensor;
    });
    const x = () => ones([4, 2, 2]) as AnyTensor;
    const lengths = (...list: number[]) => tensor(list, { dtype: "int64" }) as AnyTensor;
    forward(x(), lengths(4, 2)).compute();
    const { misses } = stats().programs;
    const made = forward(x(), lengths(1, 3));
    expect([calls, stats().programs.misses - misses]).toEqual([1, 0]);
    expect(made.select(0, 3).abs().sum().item()).toBe(0);
  });

  it("refuses other lengths than one for each sequence, and a projection that is none", () => {
    const layer = new nn.GRU(2, 3);
    const forward = (x: AnyTensor, lengths: number[]) => () => layer.forward(x as never, null, { lengths });
    expect(forward(ones([4, 2, 2]), [1])).toThrow("lengths has one number for each sequence of a batch");
    expect(forward(ones([4, 2]), [1])).toThrow("lengths has one number for each sequence of a batch");
    expect(() => new nn.LSTM(2, 3, { projSize: 3 })).toThrow(
      "LSTM: proj_size has to be smaller than hidden_size (3 and 3)",
    );
    expect(() => new nn.GRU(2, 3, { projSize: 1 } as object)).toThrow(/^GRU: .*projSize/);
  });
});

describe("a recurrent layer", () => {
  it("broadcasts no initial state", () => {
    const x = ones([4, 2, 3]);
    for (const wrong of [
      [2, 2, 2],
      [1, 1, 2],
      [1, 2, 1],
      [1, 2],
    ])
      expect(() => new nn.GRU(3, 2).forward(x, zeros(wrong))).toThrow(
        new ShapeError(`GRU: Expected hidden size [1, 2, 2], got [${wrong.join(", ")}]`),
      );
    const lstm = new nn.LSTM(3, 2, { projSize: 1 });
    expect(() => lstm.forward(x, [zeros([1, 2, 1]), zeros([1, 2, 1])])).toThrow(
      "LSTM: Expected hidden size [1, 2, 2], got [1, 2, 1]",
    );
    const wide = zeros([1, 2, 2], { dtype: "float64" });
    expect(() => new nn.RNN(3, 2).forward(x, wide)).toThrow(/not the same dtype.* float32 .* float64/);
    expect(() => new nn.GRUCell(3, 2).forward(ones([2, 3]), zeros([1, 2]))).toThrow(
      "GRUCell: Expected hidden size [2, 2], got [1, 2]",
    );
  });

  it("says what it expects of an input", () => {
    const layer: { forward(x: AnyTensor): unknown } = new nn.RNN(3, 2) as never;
    expect(() => layer.forward(ones([4, 2, 5]))).toThrow("RNN: input.size(-1) must be equal to input_size");
    expect(() => layer.forward(ones([0, 2, 3]))).toThrow("Expected sequence length to be larger than 0");
  });

  it("says that dropout is between layers", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    new nn.GRU(3, 2, { dropout: 0.5, numLayers: 2 });
    expect(warn).not.toHaveBeenCalled();
    new nn.GRU(3, 2, { dropout: 0.5 });
    expect(warn.mock.calls.flat()).toEqual([
      expect.stringMatching(
        /^GRU: dropout option adds dropout after all but last recurrent layer.*parameters.test/,
      ),
    ]);
    warn.mockRestore();
  });

  it("takes lengths within the input", () => {
    const run = (lengths: AnyTensor | number[]) =>
      new nn.RNN(3, 2).forward(ones([4, 2, 3]), null, { lengths });
    for (const wrong of [0, 5]) expect(() => run([wrong, 4])).toThrow(RangeError);
    expect(() => run(tensor([1.5, 4]))).toThrow(/RNN: lengths are integers \(got float32/);
  });
});

describe("padSequence", () => {
  const list = () => [arange(4).reshape([2, 2]), ones([1, 2]).long(), zeros([3, 2]).long()];

  it("puts padding behind, and unpadSequence takes it away", () => {
    // PyTorch 1.13: pad_sequence([arange(4).reshape(2, 2), ones(1, 2), zeros(3, 2)], padding_value=-1).
    const padded = nn.utils.padSequence(list(), { paddingValue: -1 });
    expect(padded.toArray()).toEqual([
      [
        [0, 1],
        [1, 1],
        [0, 0],
      ],
      [
        [2, 3],
        [-1, -1],
        [0, 0],
      ],
      [
        [-1, -1],
        [-1, -1],
        [0, 0],
      ],
    ]);
    const first = nn.utils.padSequence(list(), { batchFirst: true });
    expect(first.shape).toEqual([3, 3, 2]);
    const expected = list().map((x) => x.toArray());
    expect(nn.utils.unpadSequence(padded, [2, 1, 3]).map((x) => x.toArray())).toEqual(expected);
    const lengths = tensor([2, 1, 3], { dtype: "int64" });
    const again = nn.utils.unpadSequence(first, lengths, { batchFirst: true });
    expect(again.map((x) => x.toArray())).toEqual(expected);
  });

  it("takes lengths within the tensor", () => {
    for (const wrong of [-1, 4])
      expect(() => nn.utils.unpadSequence(ones([3, 2]), [wrong, 2])).toThrow(
        "unpadSequence: lengths are from 0 to 3",
      );
  });

  it("passes gradients on", () => {
    const x = ones([2]).requiresGrad_();
    nn.utils
      .padSequence([x, ones([3])])
      .mul(arange(6).reshape([3, 2]))
      .sum()
      .backward();
    expect(x.grad!.toArray()).toEqual([0, 2]);
  });

  it("refuses sequences that differ otherwise", () => {
    expect(() => nn.utils.padSequence([])).toThrow("padSequence: expected at least one sequence");
    expect(() => nn.utils.padSequence([ones([2, 3]), ones([2, 4])])).toThrow(
      "padSequence: sequences differ in their first axis alone, but sequences[1] has shape [2, 4]",
    );
    expect(() => nn.utils.unpadSequence(ones([3, 2]), [1])).toThrow(
      "there are 2 sequences, and lengths has 1",
    );
  });
});

describe("weights that are computed", () => {
  type Layer = nn.Module & { forward(x: never): unknown };
  const { weightNorm, spectralNorm } = nn.utils;
  const layers: Readonly<Record<string, () => Layer>> = {
    weightNorm: () => weightNorm(new nn.Linear(3, 2)),
    "weightNorm of all": () => weightNorm(new nn.Linear(3, 2), "weight", { dim: null }),
    "weightNorm of a filter": () => weightNorm(new nn.Conv1d(2, 3, 2), "weight", { dim: 1 }),
    "weightNorm of a state": () => weightNorm(new nn.GRU(3, 2), "weightHhL0"),
    spectralNorm: () => spectralNorm(new nn.Linear(3, 2)),
    "spectralNorm of a filter": () =>
      spectralNorm(new nn.ConvTranspose1d(2, 3, 2), "weight", { nPowerIterations: 2 }),
    "spectralNorm in evaluation": () => spectralNorm(new nn.Linear(3, 2).eval()),
  };
  const calls: Readonly<Record<string, number>> = { spectralNorm: 3, "spectralNorm of a filter": 2 };

  it.each(normed)("$name", (example) => {
    const { name, state, input, outputs, after } = example;
    const layer = layers[name]!();
    load(layer, state);
    const x = toTensor(input).requiresGrad_();
    let output = layer.forward(x as never);
    for (let k = 1; k < (calls[name] ?? 1); k++) output = layer.forward(x as never);
    const first = (Array.isArray(output) ? output[0] : output) as AnyTensor;
    expectClose(first, outputs[0]!, "output");
    weighted(first).backward();
    expectGradients(layer, x, example);
    for (const [key, value] of Object.entries(after)) expectClose(layer.stateDict()[key], value, key);
  });

  it("spectralNorm knows a transposed convolution by its kind, and not by its name, which bundlers change", () => {
    class t extends nn.ConvTranspose1d<2, 3> {}
    expect(Reflect.get(nn.utils.spectralNorm(new t(2, 3, 2)), "weightU").shape).toEqual([3]);
  });

  it("are learned through what they are computed from, and become parameters again", () => {
    const layer = weightNorm(new nn.Linear(2, 1, { bias: false }));
    layer.loadStateDict({ weight_g: tensor([[5]]), weight_v: tensor([[3, 4]]) });
    expect(layer.weight.toArray()).toEqual([[3, 4]]);
    const optimizer = new SGD(layer.parameters(), { lr: 1 });
    layer
      .forward(tensor([[1, 1]]))
      .sum()
      .backward();
    optimizer.step();
    // PyTorch 1.13: the same, by weight_norm(nn.Linear(2, 1, bias=False)) and SGD.
    const values = () => Array.from(layer.weight.toTypedArray());
    const expected = [2.0432, 2.964];
    for (const [k, value] of expected.entries()) expect(values()[k]).toBeCloseTo(value, 3);
    nn.utils.removeWeightNorm(layer);
    expect(Object.keys(layer.stateDict())).toEqual(["weight"]);
    for (const [k, value] of expected.entries()) expect(values()[k]).toBeCloseTo(value, 3);
    expect(nn.utils.removeSpectralNorm(spectralNorm(layer)).parameters()).toHaveLength(1);
  });

  it("have an axis of the weight, or all of it: -1 is all of it, as in PyTorch", () => {
    const layer = (dim: number | null) => nn.utils.weightNorm(new nn.Linear(3, 2), "weight", { dim });
    const shapes = [0, 1, -2, -1, null].map((dim) => layer(dim).stateDict().weight_g!.shape.join());
    expect(shapes).toEqual(["2,1", "1,3", "2,1", "", ""]);
    const kept = new nn.Linear(3, 2);
    for (const dim of [2, -3])
      expect(() => nn.utils.weightNorm(kept, "weight", { dim })).toThrow(
        /^weightNorm: Dimension out of range/,
      );
    expect(kept.parameters()).toHaveLength(2);
  });

  it("stay frozen", () => {
    const layer = new nn.Linear(3, 2).requiresGrad_(false);
    const flags = () => layer.parameters().map(({ requiresGrad }) => requiresGrad);
    nn.utils.weightNorm(layer);
    expect(flags()).toEqual([false, false, false]);
    nn.utils.removeWeightNorm(layer);
    expect(flags()).toEqual([false, false]);
  });

  it("refuse a name that no parameter has, and a second time", () => {
    const layer = new nn.Linear(2, 2);
    expect(() => weightNorm(layer, "wieght")).toThrow(
      'weightNorm: Linear has no parameter in a field "wieght"',
    );
    expect(() => weightNorm(ones([2]) as never)).toThrow("weightNorm: module must be a Module, but got");
    spectralNorm(layer);
    expect(() => weightNorm(layer)).toThrow("weightNorm: weight of Linear is computed already");
    expect(() => nn.utils.removeWeightNorm(layer)).toThrow('weightNorm of "weight" not found in Linear');
  });
});
