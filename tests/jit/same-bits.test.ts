/** A step gives the same bits recorded, in parts that are computed as they are read, and jitted, as one program: whatever size either has. */
import { type AnyTensor, arange, crossEntropy, jit, linear, manualSeed, mseLoss, randn } from "fuseau";
import { expect, it } from "vitest";

type Parameters = readonly [AnyTensor, AnyTensor, AnyTensor, AnyTensor];

const functions = ["tanh", "relu", "sigmoid"] as const;
/** Rows, and inputs, hidden units and outputs of a perceptron: some of its programs are large enough for WebAssembly, and some are not. */
const sizes = [
  [1, 7, 26, 2],
  [5, 10, 9, 10],
  [12, 3, 30, 4],
  [20, 17, 5, 3],
  [28, 20, 38, 11],
  [3, 1, 2, 2],
] as const;

it.each(functions.flatMap((fn) => sizes.map((own) => [fn, own] as const)))("%s, %j", (fn, own) => {
  const [rows, inputs, hidden, outputs] = own;
  const parameters = (): Parameters => {
    manualSeed(7);
    const of = (...shape: number[]): AnyTensor => randn(shape).mul(0.3).compute().requiresGrad_();
    return [of(hidden, inputs), of(hidden), of(outputs, hidden), of(outputs)];
  };
  manualSeed(3);
  const [x, y] = [randn([rows, inputs]).compute(), randn([rows, outputs]).compute()];
  const classes = arange(rows).remainder(outputs).compute();
  const step = ([w1, b1, w2, b2]: Parameters): AnyTensor => {
    const z = linear(linear(x as never, w1 as never, b1 as never)[fn]() as never, w2 as never, b2 as never);
    const loss: AnyTensor =
      fn === "relu" ? crossEntropy(z as never, classes as never) : mseLoss(z as never, y as never);
    loss.backward();
    for (const p of [w1, b1, w2, b2]) {
      p.detach().sub_((p.grad as AnyTensor).mul(0.1));
      p.grad = null;
    }
    return loss.detach();
  };
  const [recorded, captured] = [parameters(), parameters()];
  const jitted = jit(() => step(captured));
  for (let k = 0; k < 5; k++) expect(jitted().item()).toBe(step(recorded).item());
  expect(captured.map((p) => p.toArray())).toEqual(recorded.map((p) => p.toArray()));
});
