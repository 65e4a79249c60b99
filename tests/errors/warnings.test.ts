/** Mistakes of training that PyTorch or a program lets pass: each is said once, with the user's line. */
import { type AnyTensor, arange, crossEntropy, manualSeed, mseLoss, ones, randn, zeros } from "fuseau";
import * as nn from "fuseau/nn";
import * as optim from "fuseau/optim";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const warn = vi.spyOn(console, "warn");
const said = (): readonly string[] => warn.mock.calls.map(([message]) => String(message));

beforeEach(() => {
  manualSeed(1);
  warn.mockReset();
  warn.mockImplementation(() => {});
});
afterEach(() => expect(said().filter((message) => /runtime\/src/.test(message))).toEqual([]));

const labels = (): ReturnType<typeof arange> => arange(6).remainder(2).long() as never;
const lossOf = (model: nn.Linear<3, 2>) => crossEntropy(model.forward(randn([6, 3])), labels() as never);

describe("is warned of", () => {
  test("a target of another size, which is broadcast", () => {
    for (let k = 0; k < 2; k++) mseLoss(zeros([4, 1]), ones([4]));
    expect(said()).toEqual([
      expect.stringMatching(
        /^mseLoss: Using a target size \(\[4\]\) that is different to the input size \(\[4, 1\]\)\. .* \(at .*warnings\.test\.ts/,
      ),
    ]);
    mseLoss(zeros([4, 1]), ones([4, 1]));
    expect(said()).toHaveLength(1);
  });

  test("a step without gradients: backward forgotten, or parameters replaced", () => {
    const model = new nn.Linear(3, 2);
    const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
    optimizer.step();
    expect(said()).toEqual([
      expect.stringMatching(/^SGD: step: none of the parameters has a gradient, .*warnings\.test\.ts/),
    ]);
    model.to("float64").to("float32");
    lossOf(model).backward();
    optimizer.step();
    expect(said()).toHaveLength(2);
  });

  test("a schedule that goes on before its optimizer", () => {
    const model = new nn.Linear(3, 2);
    const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
    new optim.StepLR(optimizer, 1).step();
    expect(said()).toEqual([
      expect.stringMatching(/^StepLR: Detected call of schedule\.step\(\) before optimizer\.step\(\)/),
    ]);
  });

  test("modules and parameters that nobody finds", () => {
    class Hidden extends nn.Module {
      readonly layers = { first: new nn.Linear(3, 2) };
      readonly scales = [nn.parameter(ones([2]))];
      forward(): void {}
    }
    expect(new Hidden().parameters()).toEqual([]);
    new Hidden().parameters();
    expect(said()).toEqual([
      expect.stringMatching(/^Hidden: modules and parameters in the field "layers" are not found/),
      expect.stringMatching(/^Hidden: modules and parameters in the field "scales" are not found/),
    ]);
  });
});

test("training as it should be is warned of nothing", () => {
  const model = new nn.Linear(3, 2);
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
  const schedule = new optim.StepLR(optimizer, 1);
  for (let epoch = 0; epoch < 2; epoch++) {
    optimizer.zeroGrad();
    lossOf(model).backward();
    optimizer.step();
    schedule.step();
  }
  expect(said()).toEqual([]);
});

describe("is refused", () => {
  const model = new nn.Linear(3, 2);
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });

  test("a rate of a group that has become no number", () => {
    for (const lr of ["0.1", undefined]) {
      lossOf(model).backward();
      optimizer.paramGroups[0]!.lr = lr as never;
      expect(() => optimizer.step()).toThrow(/^step: paramGroups\[0\]\.lr must be a number, but got/);
      optimizer.paramGroups[0]!.lr = 0.1;
    }
  });

  test("a closure that returns no loss", () => {
    const own = new optim.LBFGS(model.parameters());
    expect(() => own.step(() => lossOf(model).backward())).toThrow(
      /^step: the closure must return the loss, a tensor or a number, but returned undefined/,
    );
  });

  test("a state that went through JSON, and one of another optimizer", () => {
    const plain: unknown = JSON.parse(JSON.stringify(model.stateDict()));
    expect(() => model.loadStateDict(plain as never)).toThrow(
      /^loadStateDict: "weight" must be a tensor, but got an object \(fromJSON\(…\) makes one/,
    );
    const adam = new optim.Adam(model.parameters());
    expect(() => adam.loadStateDict(optimizer.stateDict() as never)).toThrow(
      /^loadStateDict: unknown option "momentum"/,
    );
  });
});

test("an index that is out of range is of the line that called the layer", () => {
  const model = new nn.Sequential(new nn.Embedding(3, 2), new nn.Flatten());
  expect(() => (model.forward(arange(4).long() as never) as AnyTensor).toArray()).toThrow(
    /^embedding: index 3 is out of bounds .* recorded at .*warnings\.test\.ts/,
  );
});
