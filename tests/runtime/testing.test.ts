/** What testers make of tensors, with and without fuseau/testing. */
import assert from "node:assert";
import { type AnyTensor, arange, Tensor, tensor, zeros } from "fuseau";
import {
  assertClose,
  assertEqual,
  type ExpectLike,
  equalTensors,
  extendExpect,
  TensorAssertionError,
  tensorMatchers,
  tensorSerializer,
} from "fuseau/testing";
import { describe, expect, test } from "vitest";

/** Pairs that differ, in one respect each. */
const different: Readonly<Record<string, readonly [AnyTensor, AnyTensor]>> = {
  elements: [tensor([1, 2]), tensor([1, 3])],
  "elements of a 0-d tensor": [tensor(1), tensor(2)],
  dtypes: [tensor([1, 2]), tensor([1, 2], { dtype: "int32" })],
  shapes: [tensor([[1, 2]]), tensor([[1], [2]])],
  "the sign of zero": [tensor([0]), tensor([-0])],
  "the middle of a long one": [arange(5000), arange(5000).where(arange(5000).ne(2500), 1)],
  "digits that are not printed": [tensor([1.0000001]), tensor([1])],
  "rows of a view": [
    tensor([
      [1, 2],
      [3, 4],
    ]).t(),
    tensor([
      [1, 2],
      [3, 4],
    ]),
  ],
};

const equal: Readonly<Record<string, readonly [AnyTensor, AnyTensor]>> = {
  "recorded differently": [tensor([1, 2]), tensor([0, 1]).add(1)],
  "computed and not": [tensor([2, 4]).div(2).compute(), tensor([1, 2])],
  views: [
    tensor([
      [1, 2],
      [3, 4],
    ]).t(),
    tensor([
      [1, 3],
      [2, 4],
    ]),
  ],
  NaN: [tensor([NaN]), tensor([0]).div(0)],
  "0-d": [tensor(5), tensor([2, 3]).sum()],
  empty: [zeros([0, 3]), zeros([0, 3])],
  long: [arange(5000), arange(4999, -1, -1).flip([0])],
};

describe("node:assert", () => {
  test.each(Object.entries(different))("holds tensors for different by %s", (_, [a, b]) => {
    assert.notDeepStrictEqual(a, b);
    assert.notDeepStrictEqual({ x: [a] }, { x: [b] });
    assert.notDeepEqual(a, b);
    assert.throws(() => assert.deepStrictEqual(new Map([[1, a]]), new Map([[1, b]])), assert.AssertionError);
  });

  test.each(Object.entries(equal))("holds tensors for equal that are %s", (_, [a, b]) => {
    assert.deepStrictEqual(a, b);
    assert.deepStrictEqual({ x: [a] }, { x: [b] });
  });

  test("holds shapes for different where there are no elements", () => {
    assert.notDeepStrictEqual(zeros([0, 3]), zeros([0, 4]));
  });

  test("shows elements", () => {
    assert.throws(() => assert.deepStrictEqual(tensor([1, 2]), tensor([1, 3])), /Tensor float32\[2\]: 1, 3/);
  });
});

describe("expect", () => {
  test.each(Object.entries(different))("holds tensors for different by %s", (_, [a, b]) => {
    expect(a).not.toEqual(b);
    expect({ x: [a] }).not.toStrictEqual({ x: [b] });
  });

  test.each(Object.entries(equal))("holds tensors for equal that are %s", (_, [a, b]) => {
    expect(a).toEqual(b);
    expect({ x: [a] }).toStrictEqual({ x: [b] });
    expect({ x: a, y: 1 }).toEqual(expect.objectContaining({ x: b }));
  });

  test("prints elements in snapshots", () => {
    expect(tensor([1, 2.5])).toMatchInlineSnapshot(`
      {
        "data": [
          1,
          2.5,
        ],
        "dtype": "float32",
        "shape": [
          2,
        ],
      }
    `);
  });
});

describe("assertClose", () => {
  test("has the tolerances of torch.testing.assert_close", () => {
    assertClose(tensor([1]), tensor([1 + 1.1e-5]));
    expect(() => assertClose(tensor([1]), tensor([1 + 1.3e-5]))).toThrow(TensorAssertionError);
    assertClose(tensor([1], { dtype: "float16" }), [1.0009765625]);
    expect(() => assertClose(tensor([1], { dtype: "float64" }), [1 + 3e-7])).toThrow("not close");
    expect(() => assertClose(tensor([1], { dtype: "int32" }), [2])).toThrow("not equal");
    assertClose(tensor([1, 100]), [1.05, 104], { rtol: 0.05, atol: 0.01 });
  });

  test("tells how many differ, by how much, and where", () => {
    const [a, e] = [
      tensor([
        [1, 2],
        [3, 4],
      ]),
      tensor([
        [1, 2.5],
        [3, 1],
      ]),
    ];
    expect(() => assertClose(a, e)).toThrow(
      `assertClose: the tensors are not close

Mismatched elements: 2 / 4 (50.0%)
Greatest absolute difference: 3 at index [1, 1] (up to 0.00001 allowed)
Greatest relative difference: 3 at index [1, 1] (up to 0.0000013 allowed)`,
    );
  });

  test("compares shape and dtype first", () => {
    expect(() => assertClose(tensor([1]), tensor([1, 2]))).toThrow("the shapes do not match: [1] is not [2]");
    expect(() => assertClose(tensor([1]), tensor([1n]))).toThrow(
      "the dtypes do not match: float32 is not int64",
    );
    assertClose(tensor([1]), tensor([1n]), { checkDtype: false });
  });

  test("takes NaN and infinities as torch.testing does", () => {
    expect(() => assertClose(tensor([NaN]), [NaN])).toThrow("not close");
    assertClose(tensor([NaN, Infinity]), [NaN, Infinity], { equalNan: true });
    expect(() => assertClose(tensor([Infinity]), [-Infinity])).toThrow("not close");
    expect(() => assertClose(tensor([1]), [Infinity])).toThrow("not close");
  });

  test("refuses what is no tensor, and half a tolerance", () => {
    expect(() => assertClose([1] as never, [1])).toThrow(
      "assertClose: the actual value must be a Tensor, not object",
    );
    expect(() => assertClose(tensor([1]), "1" as never)).toThrow("the expected value must be a Tensor");
    expect(() => assertClose(tensor([1]), [1], { rtol: 1 })).toThrow("rtol and atol are given together");
  });
});

test("what is misspelt is refused, at the caller's line", () => {
  const close = assertClose as (...given: unknown[]) => void;
  expect(() => close(tensor([1]), [1], { rtoll: 1 })).toThrow(
    'assertClose: unknown option "rtoll"; the options are rtol, atol, equalNan, checkDtype',
  );
  expect(() => close(tensor([1]), [1], { rtol: "1e-3", atol: 0 })).toThrow(
    "rtol must be a number, but got 1e-3",
  );
  expect(() => close(tensor([1]), [1], 1e-3)).toThrow("takes options as an object last, but got 0.001");
  for (const check of [assertClose, assertEqual]) {
    try {
      check(tensor([1]), [2]);
      expect.unreachable();
    } catch (error) {
      const frames = (error as Error).stack?.match(/\n {4}at .*/g);
      expect(frames?.[0]).toContain("testing.test");
    }
  }
});

test("assertEqual is exact, for int64 too", () => {
  assertEqual(tensor([2n ** 60n]), [2n ** 60n]);
  assertEqual(tensor([NaN, 0]), [NaN, -0]);
  expect(() => assertEqual(tensor([2n ** 60n]), [2n ** 60n + 1n])).toThrow(
    "Greatest absolute difference: 1 at index [0]",
  );
});

test("equality takes no tolerances", () => {
  const withOptions = assertEqual as (...given: readonly unknown[]) => void;
  expect(() => withOptions(tensor([1]), tensor([1]), { atol: 1 })).toThrow(
    "assertEqual: takes two arguments and no options (assertClose takes { rtol, atol, equalNan, checkDtype })",
  );
});

describe("what is registered", () => {
  test("tester, matchers and serializer", () => {
    const calls: string[] = [];
    const fake: ExpectLike = {
      extend: (matchers) => calls.push(...Object.keys(matchers)),
      addEqualityTesters: ([tester]) => calls.push(tester!.name),
      addSnapshotSerializer: (serializer) => calls.push(serializer.serialize(tensor([1]))),
    };
    extendExpect(fake);
    expect(calls).toEqual([
      "toEqualTensor",
      "toBeCloseToTensor",
      "toHaveShape",
      "toHaveDType",
      "equalTensors",
      "tensor([1.], shape=[1], dtype=float32)",
    ]);
    extendExpect(expect);
    expect(zeros([0, 3])).not.toEqual(zeros([0, 4]));
    expect(tensor([1, 2])).toMatchInlineSnapshot("tensor([1., 2.], shape=[2], dtype=float32)");
  });

  test("nothing, in what is no expect", () => {
    expect(() => extendExpect({ expect } as never)).toThrow(
      /^extendExpect: expect must be that of Vitest or Jest/,
    );
  });

  test("the tester knows tensors alone", () => {
    for (const [a, b] of Object.values(different)) expect(equalTensors(a, b)).toBe(false);
    for (const [a, b] of Object.values(equal)) expect(equalTensors(a, b)).toBe(true);
    expect(equalTensors(tensor([1]), [1])).toBeUndefined();
    expect(tensorSerializer.test([1])).toBe(false);
  });

  test("matchers", () => {
    const { toEqualTensor, toBeCloseToTensor, toHaveShape, toHaveDType } = tensorMatchers;
    const x = tensor([1, 2]);
    expect(toEqualTensor(x, [1, 2]).pass).toBe(true);
    expect(toEqualTensor(x, [1, 3])).toMatchObject({ pass: false, actual: String(x) });
    expect(toEqualTensor(x, [1, 3]).message()).toContain("Mismatched elements: 1 / 2");
    expect(toBeCloseToTensor(x, [1, 2.1], { rtol: 0, atol: 0.2 }).pass).toBe(true);
    expect(toHaveShape(x, [3]).message()).toBe("expected the shape [3], got [2]");
    expect(toHaveDType(x, "float32").pass).toBe(true);
    expect(() => toHaveShape(1 as never, [])).toThrow(TypeError);
    expect(() => toHaveShape(x, 2 as never)).toThrow("the shape must be an array");
  });
});

test("a tag of what testers copied, or of the prototype, computes nothing", () => {
  expect(Object.prototype.toString.call(Tensor.prototype)).toBe("[object Tensor]");
  expect(Object.prototype.toString.call(Object.create(Tensor.prototype))).toBe("[object Tensor]");
});

test("a tensor that was disposed of equals none", () => {
  const [a, b] = [tensor([1]), tensor([1])];
  a.dispose();
  b.dispose();
  assert.notDeepStrictEqual(a, b);
});
