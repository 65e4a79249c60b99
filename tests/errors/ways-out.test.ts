/** What a user reads who knows neither the order of arguments nor PyTorch's rules: each sentence has a way out. */
import * as fuseau from "fuseau";
import { func, ones, zeros } from "fuseau";
import { Linear } from "fuseau/nn";
import { describe, expect, test } from "vitest";
import { refuses } from "./refuses.ts";
import { untyped } from "./untyped.ts";

const { arange, where } = untyped(fuseau);
const x = zeros([2, 3]) as unknown as ReturnType<typeof arange>;

describe("arguments", () => {
  refuses({
    "that are left out": [
      () => x.softmax(),
      TypeError,
      "softmax: a dimension must be an integer, but got undefined (it is called as softmax(dim, { dtype }))",
    ],
    "of which the second is left out": [
      () => x.transpose(0),
      TypeError,
      "transpose: a dimension must be an integer, but got undefined (it is called as transpose(dim0, dim1))",
    ],
    "that another way to call has, as an option": [
      () => arange(0, 10, { step: 2 }),
      TypeError,
      'arange: unknown option "step"; step is an argument of its own: arange(start, end, step, { dtype, requiresGrad }); the options are dtype, requiresGrad',
    ],
    "of which only a condition is given": [
      () => where(x.gt(0)),
      TypeError,
      "where: takes what to choose from; places are condition.nonzero({ asTuple: true })",
    ],
    "of floats where integers are counted": [
      () => x.select(0, 0).bincount(),
      fuseau.DTypeError,
      'bincount: "bincount_cpu" not implemented for \'Float\' (it counts integers: x.to("int64"))',
    ],
  });
});

describe("lists", () => {
  const { bucketize, tensordot } = untyped(fuseau);
  refuses({
    "of boundaries for each row": [
      () => bucketize(x, x),
      fuseau.ShapeError,
      "bucketize: boundaries tensor must be 1 dimension, but got dim(2) (of shape [2, 3]; searchsorted takes a sequence for each row)",
    ],
    "that name an axis twice": [
      () =>
        tensordot(x, x, [
          [0, 0],
          [0, 0],
        ]),
      RangeError,
      "tensordot: dim 0 appears multiple times in the list of dims",
    ],
    "of nothing to differentiate": [
      () => fuseau.autograd.grad([], []),
      fuseau.GradientError,
      "grad: grad requires non-empty inputs (outputs is an empty list)",
    ],
  });
});

describe("functions of functions", () => {
  const w = ones([2]);
  refuses({
    "say hessian where a hessian was asked for": [
      () => func.hessian((() => 3) as never)(w),
      TypeError,
      "func.hessian: what fn gives must be a tensor, or an array or plain object of tensors, but got 3",
    ],
    "say hessian of its arguments, too": [
      () => func.hessian((_: fuseau.Tensor) => w.sum())(3 as never),
      TypeError,
      "func.hessian: argument[0] must be a tensor, or an array or plain object of tensors, but got 3",
    ],
    "take a list of a module's arguments": [
      () => func.functionalCall(new Linear(2, 1), {}, w as never),
      TypeError,
      "func.functionalCall: args is an array, one entry for each argument of forward: [x], but got a Tensor",
    ],
    "take a module": [
      () => func.functionalCall(w as never, {}, []),
      TypeError,
      "func.functionalCall: module must be a module of fuseau/nn, but got a Tensor",
    ],
    "take lists of primals": [
      () => func.hvp(() => w.sum(), w as never, w as never),
      TypeError,
      "func.hvp: primals and tangents are lists, one entry for each argument of fn",
    ],
  });
});

describe("gradients", () => {
  const leaf = ones([2]).requiresGrad_();
  refuses({
    "of which a hook makes no tensor": [
      () => {
        const y = leaf.mul(2);
        y.registerHook((() => [1]) as never);
        y.sum().backward();
      },
      TypeError,
      "backward: expected a tensor, but hook returned [1] (a hook that only looks gives nothing: (gradient) => { … })",
    ],
    "of a view, detached in place": [
      () => leaf.slice([0, 1]).detach_(),
      fuseau.GradientError,
      "detach_: Can't detach views in-place. Use detach() instead.",
    ],
  });

  test("of what was detached once are detached again", () => {
    expect(leaf.detach().detach_().requiresGrad).toBe(false);
  });
});

test("text that a jitted function asks for goes by String", () => {
  const inside = (read: (y: fuseau.Tensor) => number) => () =>
    fuseau.jit((y: fuseau.Tensor) => y.add(read(y)))(zeros([2, 3]) as fuseau.Tensor);
  expect(inside((y) => String(y).length)).toThrow(/^String: reads elements/);
  expect(inside((y) => `${y}`.length)).toThrow(/^String: reads elements/);
  expect(inside((y) => +(y as never))).toThrow(/^operator: a tensor is no operand/);
});
