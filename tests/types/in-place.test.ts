/** In place, the operand must fit the receiver: its shape may not grow, nor its category change. */
import { ones, type Tensor, tensor, zeros } from "fuseau";
import { describe, expect, it } from "vitest";
import { type Exactly, erased, expectRefusal, expectTensor } from "./expect.ts";

type First<Method> = Method extends (...list: infer List) => unknown ? List[0] : never;
type Second<Method> = Method extends (...list: infer List) => unknown ? List[1] : never;

const x = zeros([1, 3]);
const i = tensor([1, 2, 3], { dtype: "int32" });
const wide = ones([2, 3]);

describe("the receiver's own type is returned", () => {
  it("whatever the operand", () => {
    expectTensor(
      x
        .add_(1)
        .mul_(ones([3]))
        .exp_()
        .clamp_(0, 1),
      [1, 3],
      "float32",
    );
    expectTensor(
      i
        .add_(zeros([], { dtype: "int64" }))
        .eq_(2.5)
        .neg_(),
      [3],
      "int32",
    );
    expectTensor(
      i
        .div_(2, { roundingMode: "floor" })
        .copy_(tensor([1.5]))
        .fill_(7),
      [3],
      "int32",
    );
    expectTensor(
      wide
        .lerp_(ones([3]), 0.5)
        .addcmul_(ones([3]), ones([2, 1]))
        .zero_(),
      [2, 3],
      "float32",
    );
  });
  it("unless it is another arrangement", () => {
    expectTensor(zeros([2, 3]).t_(), [3, 2], "float32");
    expectTensor(zeros([2, 1]).squeeze_(1).unsqueeze_(0), [1, 2], "float32");
  });
});

describe("an operand is refused", () => {
  const shape = "output with shape [1, 3] doesn't match the broadcast shape [2, 3]";
  const cast = "result type Float can't be cast to the desired output type Int";
  it("that would make the receiver larger", () => {
    expectRefusal<First<typeof x.add_<typeof x, typeof wide>>>(() => erased(x).add_(wide), "add_", shape);
    expectRefusal<First<typeof x.copy_<typeof x, typeof wide>>>(() => erased(x).copy_(wide), "copy_", shape);
    expectRefusal<First<typeof x.lt_<typeof x, typeof wide>>>(() => erased(x).lt_(wide), "lt_", shape);
    expectRefusal<Second<typeof x.clamp_<typeof x, 0, typeof wide>>>(
      () => erased(x).clamp_(0, wide),
      "clamp_",
      shape,
    );
  });
  it("whose category it does not hold", () => {
    expectRefusal<First<typeof i.add_<typeof i, 1.5>>>(() => erased(i).add_(1.5), "add_", cast);
    expectRefusal<First<typeof i.div_<typeof i, 2>>>(() => erased(i).div_(2), "div_", cast);
    expectRefusal<First<typeof i.atan2_<typeof i, 2>>>(() => erased(i).atan2_(2), "atan2_", cast);
  });
  it("on its very receiver, where there is no operand", () => {
    // @ts-expect-error: result type Float can't be cast to the desired output type Int
    expect(() => i.exp_()).toThrow(cast);
  });
});

it("what is not known is left to run time", () => {
  const some: Tensor<[number, 3], "float32"> = wide;
  const any: Tensor = wide;
  some.add_(wide);
  wide.add_(any);
  const returned = any.add_(some).exp_();
  const same: Exactly<typeof returned, Tensor> = true;
  expect(same).toBe(true);
});
