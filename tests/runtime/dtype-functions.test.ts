import {
  allclose,
  canCast,
  type DType,
  dtypes,
  equal,
  finfo,
  float,
  full,
  iinfo,
  isclose,
  isFloatingPoint,
  isNonzero,
  isTensor,
  nextafter,
  ones,
  promoteTypes,
  resultType,
  scalarTensor,
  tensor,
  zeros,
} from "fuseau";
import { describe, expect, test } from "vitest";

describe("resultType", () => {
  const int8 = zeros([2], { dtype: "int8" });
  test("lets tensors speak before 0-d tensors, and those before scalars", () => {
    expect(resultType(int8, scalarTensor(300, { dtype: "int64" }))).toBe("int8");
    expect(resultType(int8, scalarTensor(0, { dtype: "float64" }))).toBe("float64");
    expect(resultType(zeros([2]), scalarTensor(0, { dtype: "float64" }))).toBe("float32");
    expect(resultType(int8, zeros([1], { dtype: "uint8" }))).toBe("int16");
    expect(resultType(int8, 5)).toBe("int8");
    expect(resultType(5, int8)).toBe("int8");
    expect(resultType(int8, 5.5)).toBe("float32");
    expect(resultType(int8, float(5))).toBe("float32");
    expect(resultType(zeros([2], { dtype: "bool" }), 5)).toBe("int64");
  });

  test("takes two scalars, and refuses what is no operand", () => {
    expect(resultType(1, 2)).toBe("int64");
    expect(resultType(true, 2.5)).toBe("float32");
    expect(() => resultType(int8, "3" as never)).toThrow("resultType: an operand is a Tensor");
  });
});

describe("promoteTypes and canCast", () => {
  test("are symmetric, and a ladder", () => {
    const names = Object.keys(dtypes) as DType[];
    for (const a of names) {
      expect(promoteTypes(a, a)).toBe(a);
      for (const b of names) {
        expect(promoteTypes(a, b)).toBe(promoteTypes(b, a));
        expect(canCast(a, promoteTypes(a, b))).toBe(true);
      }
    }
    expect(promoteTypes("uint8", "int8")).toBe("int16");
    expect(promoteTypes("int64", "float16")).toBe("float16");
  });

  test("let no category fall", () => {
    expect(canCast("float64", "float16")).toBe(true);
    expect(canCast("int64", "uint8")).toBe(true);
    expect(canCast("float16", "int64")).toBe(false);
    expect(canCast("int8", "bool")).toBe(false);
  });

  test("refuse names that are no dtypes", () => {
    expect(() => promoteTypes("float" as never, "int8")).toThrow('promoteTypes: unknown dtype "float"');
    expect(() => canCast("int8", "int" as never)).toThrow('canCast: unknown dtype "int"');
  });
});

describe("finfo and iinfo", () => {
  test.each(["float16", "float32", "float64"] as const)(
    "%s has the limits that its tensors have",
    (dtype) => {
      const { bits, eps, max, min, tiny, smallestNormal } = finfo(dtype);
      const after = nextafter(ones([1], { dtype }), full([1], 2, { dtype }));
      expect(bits).toBe(dtypes[dtype].bytes * 8);
      expect(after.sub(1).item()).toBe(eps);
      expect(nextafter(zeros([1], { dtype }).add(Infinity), zeros([1], { dtype })).item()).toBe(max);
      expect([min, smallestNormal]).toEqual([-max, tiny]);
      // tiny times eps is the smallest number above 0.
      expect(tensor([tiny], { dtype }).mul(eps).gt(0).item()).toBe(true);
      expect(tensor([tiny], { dtype }).mul(eps).div(4).item()).toBe(0);
    },
  );

  test("give PyTorch's numbers", () => {
    expect(finfo()).toMatchObject({
      dtype: "float32",
      bits: 32,
      resolution: 1e-6,
      max: 3.4028234663852886e38,
    });
    expect(finfo("float16")).toMatchObject({ eps: 0.0009765625, tiny: 6.103515625e-5, resolution: 1e-3 });
    expect(finfo("float64")).toMatchObject({ eps: Number.EPSILON, tiny: 2.2250738585072014e-308 });
    expect(iinfo("uint8")).toEqual({ dtype: "uint8", bits: 8, max: 255, min: 0 });
    expect(iinfo("int64")).toEqual({ dtype: "int64", bits: 64, max: 2n ** 63n - 1n, min: -(2n ** 63n) });
  });

  test("refuse the other category", () => {
    expect(() => finfo("int8" as never)).toThrow(
      "finfo: torch.finfo() requires a floating point input type.",
    );
    expect(() => iinfo("float16" as never)).toThrow("iinfo: torch.iinfo() requires an integer input type.");
    expect(() => iinfo("bool" as never)).toThrow("iinfo: torch.bool is not supported by torch.iinfo");
  });
});

describe("closeness", () => {
  const close = (a: number, b: number, options = {}): boolean =>
    isclose(tensor([a]), tensor([b]), options).item();

  test("is |a - b| <= atol + rtol |b|", () => {
    expect(close(1, 1 + 9e-6)).toBe(true);
    expect(close(1, 1 + 3e-5)).toBe(false);
    expect(close(0, 9e-9)).toBe(true);
    expect(close(0, 2e-8)).toBe(false);
    // The tolerance is the second operand's.
    expect(close(10, 11, { rtol: 0.095, atol: 0 })).toBe(true);
    expect(close(11, 10, { rtol: 0.095, atol: 0 })).toBe(false);
  });

  test("takes infinities for themselves, and NaN for itself when asked", () => {
    expect(close(Infinity, Infinity)).toBe(true);
    expect(close(Infinity, -Infinity)).toBe(false);
    expect(close(Infinity, 1e38, { rtol: Infinity })).toBe(false);
    expect(close(NaN, NaN)).toBe(false);
    expect(close(NaN, NaN, { equalNan: true })).toBe(true);
  });

  test("of all elements is one boolean", () => {
    expect(allclose(tensor([1, 2]), tensor([1, 2 + 1e-6]))).toBe(true);
    expect(tensor([1, 2]).allclose(tensor([1, 2.1]))).toBe(false);
    expect(allclose(ones([2, 3]), ones([3]))).toBe(true);
    expect(allclose(zeros([0]), zeros([0]))).toBe(true);
    expect(allclose(tensor([NaN]), tensor([NaN]), { equalNan: true })).toBe(true);
    expect(allclose(tensor([1n, 5n]), tensor([1n, 5n]))).toBe(true);
    expect(allclose(tensor([true]), tensor([false]))).toBe(false);
  });

  test("needs one dtype, and tolerances of at least 0", () => {
    expect(() => allclose(ones([1]), ones([1], { dtype: "float64" }))).toThrow(
      "allclose: Float did not match Double",
    );
    expect(() => close(1, 1, { rtol: -1 })).toThrow(
      "isclose: rtol must be greater than or equal to zero, but got -1",
    );
    expect(() => tensor([1]).allclose(2 as never)).toThrow("argument 'other' must be Tensor, not number");
  });
});

describe("equality", () => {
  test("is of shape and every element", () => {
    expect(equal(tensor([1, 2]), tensor([1, 2]))).toBe(true);
    expect(tensor([1, 2]).equal(tensor([1, 3]))).toBe(false);
    expect(equal(ones([2, 1]), ones([2]))).toBe(false);
    expect(equal(zeros([0, 2]), zeros([0, 2]))).toBe(true);
    expect(equal(tensor([0]), tensor([-0]))).toBe(true);
    expect(equal(tensor([NaN]), tensor([NaN]))).toBe(false);
    expect(equal(tensor([2n ** 53n]), tensor([2n ** 53n + 1n]))).toBe(false);
  });

  test("refuses different dtypes", () => {
    expect(() => equal(ones([2]), ones([2], { dtype: "int64" }))).toThrow(
      "equal: Expected object of scalar type Float but got scalar type Long for argument 'other'",
    );
  });
});

describe("questions", () => {
  test("are answered", () => {
    expect([isTensor(ones([1])), isTensor([1]), isTensor(null)]).toEqual([true, false, false]);
    expect([isFloatingPoint(ones([1])), isFloatingPoint(tensor([1n]))]).toEqual([true, false]);
    expect([isNonzero(tensor([0.5])), isNonzero(tensor([0n])), isNonzero(tensor(true))]).toEqual([
      true,
      false,
      true,
    ]);
    expect([tensor([NaN]).isNonzero(), tensor([1]).isSigned(), tensor([true]).isSigned()]).toEqual([
      true,
      true,
      false,
    ]);
    expect(ones([2, 1]).isSameSize(ones([2]))).toBe(false);
    expect(() => isNonzero(ones([2]))).toThrow(
      "Boolean value of Tensor with more than one value is ambiguous",
    );
    expect(() => isNonzero(ones([0]))).toThrow("Boolean value of Tensor with no values is ambiguous");
  });
});
