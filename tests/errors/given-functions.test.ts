/** Functions that are given to others, ours among them: what they throw begins at the user's line, by the name of what failed. */
import { type AnyTensor, autograd, func, jit, linalg, ones, relu, tensor } from "fuseau";
import { describe, expect, test } from "vitest";

const wide = (x: AnyTensor): AnyTensor => x.mul(2);
const x = tensor([1, 2, 3]) as AnyTensor;

class Half extends autograd.Function {
  static forward(_ctx: autograd.FunctionContext, given: AnyTensor): AnyTensor {
    return given.mul(0.5);
  }
}

class Whole extends Half {
  static backward(_ctx: autograd.FunctionContext, gradient: AnyTensor): unknown {
    return gradient;
  }
}

const failures: { readonly [name: string]: readonly [fail: () => unknown, message: string] } = {
  hvp: [() => func.hvp(wide, [x], [x]), "func.hvp: Expected fn to return a scalar tensor"],
  "grad of grad": [
    () => func.grad(func.grad(wide) as typeof wide)(x),
    "func.grad: Expected fn to return a scalar tensor",
  ],
  "vmap of grad": [
    () => func.vmap(func.grad((row: AnyTensor) => row.mul(2)))(ones([2, 3])),
    "func.grad: Expected fn to return a scalar tensor",
  ],
  "jit of grad": [() => jit(func.grad(wide))(x), "func.grad: Expected fn to return a scalar tensor"],
  "jit of jacrev": [
    () => jit(func.jacrev(wide, { argnums: 4 }))(x),
    "func.jacrev: argnums 4 is no place of the 1 arguments",
  ],
  "vmap of an operation": [
    () => func.vmap(relu as never)(["a"] as never),
    "must be a tensor, or an array or plain object of tensors",
  ],
  "jit of a decomposition": [
    () => jit(linalg.cholesky as unknown as typeof wide)(ones([2, 3])),
    "linalg.cholesky: A must be batches of square matrices",
  ],
  "a function without backward": [
    () => (Half as unknown as typeof Whole).apply(x),
    "apply: Half must have static forward and backward",
  ],
};

describe("an error of a function that was given begins at the user's line", () => {
  test.each(Object.entries(failures))("%s", (_, [fail, message]) => {
    let caught: unknown;
    try {
      fail();
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(Error);
    const { message: said, stack } = caught as Error;
    expect(said).toContain(message);
    expect(stack?.split("\n    at ")[1]).toContain("given-functions.test.ts");
    expect(wide(x).toArray()).toEqual([2, 4, 6]);
  });
});

test("a decomposition inside a jitted function says that it is none of its program, and the way out", () => {
  const solved = jit((a: AnyTensor, b: AnyTensor) => linalg.solve(a as never, b as never) as AnyTensor);
  expect(() =>
    solved(
      tensor([
        [2, 0],
        [0, 4],
      ]) as AnyTensor,
      tensor([1, 2]) as AnyTensor,
    ),
  ).toThrow(
    /^linalg\.solve: decompositions read their matrices and run on the host, .* \(call it outside and give the function its result/,
  );
});
