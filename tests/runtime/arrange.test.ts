import * as fc from "fast-check";
import {
  arange,
  atleast1d,
  atleast2d,
  atleast3d,
  blockDiag,
  cartesianProd,
  columnStack,
  combinations,
  dstack,
  hstack,
  logspace,
  tensor,
  vander,
  vstack,
  zeros,
} from "fuseau";
import { describe, expect, test } from "vitest";
import { expectShape, expectTensor } from "../types/expect.ts";
import { holds } from "./rows.ts";

const square = arange(4).reshape([2, 2]);

describe("axes", () => {
  test("move and swap", () => {
    const x = zeros([2, 3, 4]);
    expectShape(x.movedim(0, -1), [3, 4, 2]);
    expectShape(x.moveaxis(2, 0), [4, 2, 3]);
    expectShape(x.swapaxes(0, 2), [4, 3, 2]);
    expectShape(x.swapdims(-1, 1), [2, 4, 3]);
    expect(x.movedim([0, 1], [1, 2]).shape).toEqual([4, 2, 3]);
    expect(() => x.movedim([0, 0], [1, 2])).toThrow("movedim: repeated dim in `source` ([0, 0])");
    expect(() => x.movedim([0], [1, 2])).toThrow("Invalid source or destination dims");
  });
  test("turn by quarters", () => {
    expect(square.rot90().toArray()).toEqual([
      [1, 3],
      [0, 2],
    ]);
    expectShape(zeros([2, 3]).rot90(), [3, 2]);
    expectShape(zeros([2, 3]).rot90(-2), [2, 3]);
    expectShape(zeros([2, 3, 4]).rot90(3, [1, 2]), [2, 4, 3]);
    holds(
      fc.property(fc.integer({ min: -9, max: 9 }), (k) => {
        const x = arange(6).reshape([2, 3]);
        expect(x.rot90(k).rot90(-k).toArray()).toEqual(x.toArray());
        expect(x.rot90(k).toArray()).toEqual(x.rot90(k + 4).toArray());
      }),
    );
    expect(() => zeros([2, 2]).rot90(1, [1, -1])).toThrow("expected rotation dims to be different");
  });
  test("are reversed", () => {
    expect(square.flipud().toArray()).toEqual([
      [2, 3],
      [0, 1],
    ]);
    expect(square.fliplr().toArray()).toEqual([
      [1, 0],
      [3, 2],
    ]);
    expect(() => zeros([2]).fliplr()).toThrow("fliplr: Input must be >= 2-d.");
    expect(() => tensor(1).flipud()).toThrow("flipud: Input must be >= 1-d.");
  });
  test("are cut and added", () => {
    expectShape(zeros([2, 12]).unflatten(1, [3, -1]), [2, 3, 4]);
    expectShape(zeros([12]).unflatten(-1, [3, 4]), [3, 4]);
    const unknown: number[] = [5, 2];
    expect(() => zeros([12]).unflatten(0, unknown)).toThrow(
      "unflatten: Provided sizes [5, 2] don't multiply up to the size of dim 0 (12) in the input tensor",
    );
    expectShape(atleast1d(tensor(1)), [1]);
    expectShape(atleast2d(zeros([3])), [1, 3]);
    expectShape(atleast3d(zeros([3])), [1, 3, 1]);
    expectShape(atleast3d(zeros([3, 4])), [3, 4, 1]);
  });
});

describe("windows", () => {
  test("slide along an axis", () => {
    expectShape(zeros([2, 7]).unfold(1, 3, 2), [2, 3, 3]);
    expect(arange(7).unfold(0, 3, 2).toArray()).toEqual([
      [0, 1, 2],
      [2, 3, 4],
      [4, 5, 6],
    ]);
    expect(arange(6).reshape([2, 3]).t().unfold(0, 2, 1).toArray()).toEqual([
      [
        [0, 1],
        [3, 4],
      ],
      [
        [1, 2],
        [4, 5],
      ],
    ]);
    expect(() => zeros([2]).unfold(0, 3, 1)).toThrow(
      "unfold: maximum size for tensor at dimension 0 is 2 but size is 3",
    );
    expect(() => zeros([2]).unfold(0, 1, 0)).toThrow("unfold: step is 0 but must be > 0");
  });
});

describe("stacking", () => {
  test("knows shapes and dtypes", () => {
    expectTensor(hstack([zeros([2]), arange(3)]), [5], "float32");
    expectShape(hstack([zeros([2, 1]), zeros([2, 3])]), [2, 4]);
    expectShape(vstack([zeros([3]), zeros([2, 3])]), [3, 3]);
    expectShape(dstack([zeros([3]), zeros([3])]), [1, 3, 2]);
    expectShape(columnStack([zeros([3]), zeros([3, 2])]), [3, 3]);
    const none: [] = [];
    expect(() => hstack(none as never)).toThrow("hstack expects a non-empty TensorList");
  });
  test("puts blocks along a diagonal", () => {
    expect(blockDiag([tensor([1, 2]), square, tensor(9)]).toArray()).toEqual([
      [1, 2, 0, 0, 0],
      [0, 0, 0, 1, 0],
      [0, 0, 2, 3, 0],
      [0, 0, 0, 0, 9],
    ]);
  });
});

describe("sections", () => {
  test("know their shapes", () => {
    const [first, second, third] = zeros([7, 2]).tensorSplit(3);
    expectShape(first, [3, 2]);
    expectShape(second, [2, 2]);
    expectShape(third, [2, 2]);
    const [left, right] = zeros([2, 6]).hsplit(2);
    expectShape(left, [2, 3]);
    expectShape(right, [2, 3]);
  });
  test("are cut as Python slices are", () => {
    const parts = (cuts: readonly number[]): unknown[] =>
      arange(5)
        .tensorSplit(cuts)
        .map((part) => part.toArray());
    expect(parts([1, 3])).toEqual([[0], [1, 2], [3, 4]]);
    expect(parts([3, 1])).toEqual([[0, 1, 2], [], [1, 2, 3, 4]]);
    expect(parts([-1, 9])).toEqual([[0, 1, 2, 3], [4], []]);
    expect(arange(5).tensorSplit(tensor([2], { dtype: "int64" }))).toHaveLength(2);
    expect(() => arange(5).tensorSplit(0)).toThrow("number of sections must be larger than 0, got 0");
    expect(() => zeros([5, 5]).vsplit(2)).toThrow(
      "vsplit: torch.vsplit attempted to split along dimension 0, but the size of the dimension 5 is not divisible by the split_size 2!",
    );
    expect(() => zeros([5, 5]).dsplit(1)).toThrow("requires a tensor with at least 3 dimension");
  });
});

describe("repetition and combination", () => {
  test("repeats each place", () => {
    expectShape(zeros([2, 3]).repeatInterleave(2), [12]);
    expectShape(zeros([2, 3]).repeatInterleave(2, 1), [2, 6]);
    expect(square.repeatInterleave(2, 1).toArray()).toEqual([
      [0, 0, 1, 1],
      [2, 2, 3, 3],
    ]);
    expect(square.repeatInterleave(tensor([0, 2], { dtype: "int64" }), 0).toArray()).toEqual([
      [2, 3],
      [2, 3],
    ]);
    expect(() => square.repeatInterleave([1, 2, 3], 0)).toThrow(
      "repeats must have the same size as input along dim",
    );
    expect(() => square.repeatInterleave(-1)).toThrow("repeats can not be negative");
  });
  test("chooses and pairs", () => {
    expect(combinations(tensor([1, 2, 3])).toArray()).toEqual([
      [1, 2],
      [1, 3],
      [2, 3],
    ]);
    expect(combinations(arange(2), 2, { withReplacement: true }).toArray()).toEqual([
      [0, 0],
      [0, 1],
      [1, 1],
    ]);
    expect(combinations(arange(2), 3).shape).toEqual([0, 3]);
    expect(cartesianProd([arange(2), arange(2)]).toArray()).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]);
  });
  test("raises to powers", () => {
    expect(vander(tensor([1, 2, 3]), 3).toArray()).toEqual([
      [1, 1, 1],
      [4, 2, 1],
      [9, 3, 1],
    ]);
    expect(vander(arange(3), 2, { increasing: true }).toArray()).toEqual([
      [1, 0],
      [1, 1],
      [1, 2],
    ]);
    expect(logspace(0, 3, 4).toArray()).toEqual([1, 10, 100, 1000]);
    expectTensor(logspace(0, 3, 4, 2, { dtype: "int64" }), [4], "int64");
  });
});

describe("writing through these views", () => {
  test("is seen by the base", () => {
    const x = arange(6).reshape([2, 3]).clone();
    const turned = x.movedim(0, 1);
    turned.add_(10);
    expect(x.toArray()).toEqual([
      [10, 11, 12],
      [13, 14, 15],
    ]);
    x.unfold(1, 1, 2).mul_(0);
    expect(x.toArray()).toEqual([
      [0, 11, 0],
      [0, 14, 0],
    ]);
    x.hsplit(3)[1].add_(1);
    expect(x.toArray()).toEqual([
      [0, 12, 0],
      [0, 15, 0],
    ]);
  });
});
