/** What a review of jit found. */
import {
  type AnyTensor,
  type FloatScalar,
  float,
  jit,
  manualSeed,
  ones,
  precompile,
  rand,
  randn,
  tensor,
  zeros,
} from "fuseau";
import { describe, expect, it } from "vitest";

describe("of stated sizes", () => {
  it.each([
    ["rand", (x: AnyTensor) => x.add(rand([x.shape[0]!]))],
    ["randn twice", (x: AnyTensor) => x.add(randn([x.shape[0]!])).mul(rand([x.shape[0]!]))],
  ] as const)("%s goes on as unjitted", (_, fn) => {
    const sizes = [20, 60, 90, 40, 70, 50, 30, 80, 45, 31, 32];
    const run = (one: (x: AnyTensor) => AnyTensor): unknown => {
      manualSeed(1);
      return [...sizes.map((n) => one(zeros([n]).compute()).toArray()), rand([1]).toArray()];
    };
    expect(run(jit(fn, { dynamic: [[0]] }))).toEqual(run(fn));
  });

  it("those of an argument that is not there are refused", () => {
    const twice = jit((x: AnyTensor) => x.mul(2), { dynamic: [[0], [0]] });
    expect(() => twice(ones([2]))).toThrow(
      "jit: dynamic speaks of 2 arguments, but the function was called with 1",
    );
  });
});

it("a gradient that is given outlives the next one", () => {
  const p = tensor([1, 2]).requiresGrad_();
  const step = jit((x: AnyTensor): AnyTensor => {
    const old = p.grad;
    p.grad = null;
    p.mul(x).sum().backward();
    return old ?? x.mul(0);
  });
  const given = [1, 2, 3, 4, 5].map(() => step(tensor([3, 4]).compute()));
  expect(given.map((one) => one.toArray())).toEqual([[0, 0], ...[1, 2, 3, 4].map(() => [3, 4])]);
});

describe("precompile", () => {
  it("throws the function's own error, also where it had written before", () => {
    const held = zeros([2]);
    const failing = (x: AnyTensor): never => {
      held.add_(x);
      throw new Error("mine");
    };
    expect(() => precompile(failing, [[{ shape: [2] }]])).toThrow("mine");
    expect(held.toArray()).toEqual([0, 0]);
  });
  it("leaves gradients as they were", () => {
    const w = ones([3]).compute().requiresGrad_();
    const signature = [[{ shape: [3] }]];
    precompile((x: AnyTensor) => x.mul(w).sum().backward(), signature);
    expect(w.grad).toBeNull();
    w.mul(2).sum().backward();
    expect(() => precompile((x: AnyTensor) => x.mul(w).sum().backward(), signature)).toThrow(
      "writes into a tensor that was there before, which is undone",
    );
    expect(w.grad?.toArray()).toEqual([2, 2, 2]);
  });

  it("refuses what it would do nothing of", () => {
    const square = (x: AnyTensor): AnyTensor => x.square();
    expect(() => precompile(async (x: AnyTensor) => x, [[{ shape: [2] }]])).toThrow("must not be async");
    expect(() => precompile(square, [[{ shape: 4 }]])).toThrow("a shape is a list of sizes, not 4");
  });
});

describe("refused with what is wrong", () => {
  it("options that there are not", () => {
    const options = { emiter: "js" } as object;
    expect(() => jit((x: AnyTensor) => x, options)).toThrow(
      'jit: unknown option "emiter" (did you mean "emitter"?); the options are static, dynamic',
    );
  });

  it("arguments and results that hold themselves, and arrays with holes", () => {
    const self: { x: AnyTensor; self?: unknown } = { x: ones([2]) };
    self.self = self;
    expect(() => jit((o: typeof self) => o.x.mul(2))(self)).toThrow(
      "arguments are nested more than 100 deep",
    );
    expect(() => jit(() => self as never)()).toThrow("results are nested more than 100 deep");
    const first = jit((list: readonly (AnyTensor | undefined)[]) => list[0]!.mul(2));
    const holed = new Array<AnyTensor>(3);
    holed[0] = ones([2]);
    expect(first(holed).toArray()).toEqual([2, 2]);
  });

  it("a float among JavaScript's operators", () => {
    const less = jit((x: AnyTensor, r: FloatScalar) => x.mul(1 - (r as unknown as number)));
    expect(() => less(ones([2]), float(2))).toThrow("float(2) is a number for operations on tensors");
    expect(`${float(2)}`).toBe("float(2)");
  });
});
