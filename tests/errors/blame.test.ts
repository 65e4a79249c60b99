/** What fails when it runs names the operation that was called and the line that recorded it; the stack is that of who reads. */
import { inspect } from "node:util";
import {
  type AnyTensor,
  type ComputeOptions,
  crossEntropy,
  embedding,
  embeddingBag,
  func,
  maxUnpool1d,
  multiMarginLoss,
  nllLoss,
  oneHot,
  searchsorted,
  stats,
  tensor,
} from "fuseau";
import { describe, expect, test } from "vitest";

const ways: readonly ComputeOptions[] = [
  { emitter: "js" },
  { emitter: "closure" },
  { emitter: "wasm" },
  { emitter: "js", fusion: "none" },
];

const ints = (data: number | readonly number[] | readonly (readonly number[])[]): AnyTensor =>
  tensor(data as number[], { dtype: "int64" }) as AnyTensor;
const x = tensor([
  [1, 2, 3],
  [4, 5, 6],
]) as AnyTensor;

/** Each is recorded on the line of its arrow. */
const failures: { readonly [op: string]: readonly [record: () => AnyTensor, what: string] } = {
  gather: [
    () => x.gather(1, ints([[0, 7, 0]]) as never),
    "index 7 is out of bounds for dimension 1 with size 3 (element [0, 1] of the index; places are 0 to 2)",
  ],
  indexSelect: [
    () => x.indexSelect(0, ints([0, 1, 0, 7])),
    "index 7 is out of bounds for dimension 0 with size 2",
  ],
  index: [
    () => x.index([ints([1, -1, -3])]),
    "index -3 is out of bounds for dimension 0 with size 2 (element 2",
  ],
  take: [() => x.take(ints([-1, 9])), "index 9 is out of bounds for dimension 0 with size 6 (element 1 of"],
  takeAlongDim: [
    () => x.takeAlongDim(ints([[0], [8]]) as never, 1),
    "index 8 is out of bounds for dimension 1",
  ],
  embedding: [() => embedding(ints([1, 0, 9]), x), "index 9 is out of bounds for dimension 0 with size 2"],
  embeddingBag: [() => embeddingBag(ints([1, 77]), x, { offsets: ints([0]) }), "index 77 is out of bounds"],
  nllLoss: [
    () => nllLoss(x, ints([0, 3])),
    "index 3 is out of bounds for dimension 1 with size 3 (element 1",
  ],
  crossEntropy: [() => crossEntropy(x, ints([5, 0])), "index 5 is out of bounds for dimension 1"],
  multiMarginLoss: [() => multiMarginLoss(x, ints([0, 9])), "index 9 is out of bounds for dimension 1"],
  oneHot: [() => oneHot(ints([1, 2]).add(3), 4), "index 4 is out of bounds for dimension 0 with size 4"],
  indexAdd: [() => x.indexAdd(0, ints([0, 4]), x), "index 4 is out of bounds for dimension 0 with size 2"],
  indexPut: [() => x.indexPut([ints([0, 5])], 1), "index 5 is out of bounds for dimension 0 with size 2"],
  indexCopy_: [() => x.clone().indexCopy_(0, ints([0, 4]), x), "index 4 is out of bounds for dimension 0"],
  put_: [
    () => x.clone().put_(ints([99]), tensor([1])),
    "index 99 is out of bounds for dimension 0 with size 6",
  ],
  scatterAdd_: [() => x.clone().scatterAdd_(1, ints([[7]]) as never, x as never), "index 7 is out of bounds"],
  maskedScatter: [() => x.maskedScatter(x.gt(0), tensor([1, 2])), "index 2 is out of bounds for dimension 0"],
  assign_: [() => x.clone().assign_([ints([8])], 3), "index 8 is out of bounds for dimension 0 with size 2"],
  maxUnpool1d: [() => maxUnpool1d(tensor([[[1, 2]]]), ints([0, 9]).reshape([1, 1, 2]), 2), "index 9 is out"],
  searchsorted: [
    () => searchsorted(tensor([1, 2, 3]), tensor([2]), { sorter: ints([9, 9, 9]) }) as AnyTensor,
    "index 9 is out of bounds for dimension 0 with size 3",
  ],
  floorDivide: [() => ints([1, 2]).floorDivide(ints([1, 0])), "ZeroDivisionError"],
  div: [() => ints([1, 2]).div(ints([1, 0]), { roundingMode: "trunc" }), "ZeroDivisionError"],
  remainder_: [() => ints([1, 2]).remainder_(ints([1, 0])), "ZeroDivisionError"],
};

function failureOf(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}

describe.each(ways)("by %o", (options) => {
  test.each(Object.entries(failures))("%s names itself and its line", (op, [record, what]) => {
    const failing = record();
    for (const read of [failing, failing.mul(2).add(1).sum()]) {
      const error = failureOf(() => read.compute(options));
      expect(error).toBeInstanceOf(RangeError);
      expect(error.message.startsWith(`${op}: ${what}`), error.message).toBe(true);
      expect(error.message).toMatch(/; recorded at .*blame\.test\.ts:\d+:\d+$/);
      expect(error.stack?.split("\n    at ")[1]).toContain("blame.test.ts");
    }
  });
});

test("the line is the one that recorded, not the one that reads", () => {
  const line = (error: Error): number => Number(/(\d+):\d+$/.exec(error.message)?.[1]);
  const bad = ints([0, 7]);
  const first = failureOf(() => x.indexSelect(0, bad).toArray());
  const picked = x.indexSelect(0, bad);

  const second = failureOf(() => picked.toArray());
  expect(line(second) - line(first)).toBe(1);
});

test("programs that differ in names and lines are one", () => {
  const counted = (): number => stats().programs.misses;
  const index = ints([0, 1]);
  x.indexSelect(0, index).add(5).toArray();
  const before = counted();
  x.indexSelect(0, index).add(5).toArray();
  x.index([index]).add(5).toArray();
  expect(counted() - before).toBeLessThanOrEqual(1);
  x.index([index]).add(5).toArray();
  expect(counted() - before).toBeLessThanOrEqual(1);
});

test("of several, the first that fails is named", () => {
  const sound = x.indexSelect(0, ints([0, 1]));
  const failing = sound.indexSelect(1, ints([0, 5]));
  const error = failureOf(() => failing.sum().item());
  expect(error.message).toContain("indexSelect: index 5 is out of bounds for dimension 1 with size 3");
});

test("afterwards everything else still computes", () => {
  const doubled = x.mul(2);
  const failing = doubled.indexSelect(0, ints([3]));
  failureOf(() => failing.toArray());
  failureOf(() => failing.toArray());
  expect(doubled.sum().item()).toBe(42);
});

test("what derivatives and vmap record names the line too, and the axis that the user knows", () => {
  const far = ints([5]);
  const mapped = func.vmap((row: AnyTensor) => row.indexSelect(0, far))(x);
  const slope = func.grad((y: AnyTensor) => y.indexSelect(0, far).sum())(x);
  const messages = [mapped, slope].map((read) => failureOf(() => read.sum().item()).message);
  expect(messages[0]).toMatch(/^indexSelect: index 5 is out of bounds for dimension 0 with size 3/);
  expect(messages[1]).toMatch(/^func\.grad: index 5 is out of bounds for dimension 0 with size 2/);
  for (const message of messages) expect(message).toMatch(/; recorded at .*blame\.test\.ts:\d+:\d+$/);
});

test("Node's console shows the reason where elements cannot be read", () => {
  expect(inspect(x.indexSelect(1, ints([5])))).toMatch(
    /^\[RangeError: indexSelect: index 5 is out of bounds/,
  );
  const gone = tensor([1, 2]).compute();
  gone.dispose();
  expect(inspect([gone])).toContain("given back by dispose()");
});
