/** The runner itself: it must fail what is wrong. */
import { describe, expect, test } from "vitest";
import type { Case, StoredTensor } from "./case.ts";
import { compareTensor } from "./compare.ts";
import { decodeHalf, decodeTensor } from "./decode.ts";
import { compareError } from "./errors.ts";
import { verdictOf } from "./verdict.ts";

const floats: StoredTensor = { dtype: "float32", shape: [2], data: [1, "nan"] };
const sum: Case = {
  id: "sum",
  cat: "test",
  inputs: { x: { dtype: "float32", shape: [2], data: [1, 2] } },
  program: [{ out: "r", op: "sum", args: [{ ref: "x" }] }],
  expect: { r: { dtype: "float32", shape: [], data: [3] } },
};

describe("comparing", () => {
  test("passes equal elements, NaN among them", () => {
    expect(compareTensor(decodeTensor(floats), floats, { exact: true })).toBeNull();
  });

  test("fails another dtype, another shape and another element", () => {
    const actual = decodeTensor(floats);
    expect(compareTensor(actual, { ...floats, dtype: "float64" }, {})).toContain("dtype");
    expect(compareTensor(actual, { ...floats, shape: [1, 2] }, {})).toContain("shape");
    expect(compareTensor(actual, { ...floats, data: [1.1, "nan"] }, {})).toBe(
      "[0]: got 1, want 1.100000023841858",
    );
    expect(compareTensor(actual, { ...floats, data: [1, 2] }, {})).toBe("[1]: got NaN, want 2");
  });

  test("tells −0 from 0 only where the case does", () => {
    const zero = decodeTensor({ dtype: "float32", shape: [1], data: [0] });
    const negative: StoredTensor = { dtype: "float32", shape: [1], data: ["-0"] };
    expect(compareTensor(zero, negative, { exact: true })).toBeNull();
    expect(compareTensor(zero, negative, { signedZero: true })).toBe("[0]: got 0, want -0");
  });

  test("takes no tolerance for integers and infinities", () => {
    const five = decodeTensor({ dtype: "int32", shape: [1], data: [5] });
    const loose = { tol: { rtol: 1, atol: 1 } };
    expect(compareTensor(five, { dtype: "int32", shape: [1], data: [6] }, loose)).not.toBeNull();
    const large = decodeTensor({ dtype: "float32", shape: [1], data: [1e38] });
    expect(compareTensor(large, { dtype: "float32", shape: [1], data: ["inf"] }, loose)).not.toBeNull();
  });

  test("keeps int64 exact beyond 2^53", () => {
    const actual = decodeTensor({ dtype: "int64", shape: [1], data: ["9007199254740993"] });
    expect(
      compareTensor(actual, { dtype: "int64", shape: [1], data: ["9007199254740992"] }, {}),
    ).not.toBeNull();
  });

  test("reads the bits of half floats", () => {
    expect([0x3c00, 0xc000, 0x7c00, 1, 0x7bff].map(decodeHalf)).toEqual([1, -2, Infinity, 2 ** -24, 65504]);
  });
});

describe("errors", () => {
  const expected = { type: "RuntimeError", message: "shape '[2]' is invalid\nand more", step: 0 };

  test("pass with PyTorch's first line, whatever stands around it", () => {
    const error = Object.assign(new Error("view: shape '[2]' is invalid (mend it)"), { name: "ShapeError" });
    expect(compareError(error, expected)).toBeNull();
  });

  test("fail with another text, another kind, or a crash", () => {
    const shape = (message: string) => Object.assign(new Error(message), { name: "ShapeError" });
    expect(compareError(shape("no"), expected)).toContain("message");
    expect(compareError(new Error("shape '[2]' is invalid"), expected)).toContain("kind");
    expect(compareError(new TypeError("x.foo is not a function"), expected)).toContain("crashed");
  });
});

describe("a case", () => {
  test("passes when every result is PyTorch's", () => {
    expect(verdictOf(sum)).toBeNull();
  });

  test("fails for a wrong result", () => {
    const wrong = { ...sum, expect: { r: { dtype: "float32", shape: [], data: [4] } } } as const;
    expect(verdictOf(wrong)).toBe("r: [0]: got 3, want 4");
  });

  test("fails where an error is wanted and none is thrown, and for one thrown at another step", () => {
    const { expect: _, ...rest } = sum;
    const error = { type: "RuntimeError", message: "no", step: 0 };
    expect(verdictOf({ ...rest, error })).toContain("no error");
    const early: Case = {
      ...rest,
      program: [{ out: "r", op: "sum", args: [{ ref: "x" }, 7] }, ...sum.program],
      error: { ...error, step: 1 },
    };
    expect(verdictOf(early)).toContain("step 0 threw RangeError");
  });

  test("fails for an op that there is not", () => {
    const unknown: Case = { ...sum, program: [{ out: "r", op: "torch.frobnicate", args: [{ ref: "x" }] }] };
    expect(verdictOf(unknown)).toContain("not supported: torch.frobnicate");
  });
});

describe("a call is translated", () => {
  const floats = { x: { dtype: "float32", shape: [2], data: [1, 2] } } as const;
  const integers = { x: { dtype: "int64", shape: [2], data: [3, 5] } } as const;
  const x = { ref: "x" } as const;

  test.each<[string, Pick<Case, "inputs" | "program" | "expect">]>([
    [
      "with floating scalars kept apart from integers",
      {
        inputs: integers,
        program: [{ out: "r", op: "torch.mul", args: [{ float: 2 }, x] }],
        expect: { r: { dtype: "float32", shape: [2], data: [6, 10] } },
      },
    ],
    [
      "by keywords alone",
      {
        inputs: floats,
        program: [{ out: "r", op: "torch.clamp", args: [], kwargs: { input: x, max: { float: 1.5 } } }],
        expect: { r: { dtype: "float32", shape: [2], data: [1, 1.5] } },
      },
    ],
    [
      "from operators: reflected, in place, and those whose names only look it",
      {
        inputs: integers,
        program: [
          { op: "__iadd__", args: [x, 1] },
          { out: "r", op: "__rsub__", args: [x, 1] },
          { out: "s", op: "__rshift__", args: [x, 1] },
        ],
        expect: {
          r: { dtype: "int64", shape: [2], data: [-3, -5] },
          s: { dtype: "int64", shape: [2], data: [2, 3] },
        },
      },
    ],
    [
      "from items read and assigned, lists and masks among them",
      {
        inputs: floats,
        program: [
          { op: "setitem", args: [x, [[0]], 7] },
          { out: "m", op: "gt", args: [x, 2] },
          { out: "r", op: "getitem", args: [x, [{ ref: "m" }]] },
        ],
        expect: {
          x: { dtype: "float32", shape: [2], data: [7, 2] },
          r: { dtype: "float32", shape: [1], data: [7] },
        },
      },
    ],
    [
      "to properties and plain values",
      {
        inputs: floats,
        program: [
          { out: "rank", op: "ndim", args: [x] },
          { out: "shape", op: "size", args: [x] },
          { out: "list", op: "tolist", args: [x] },
        ],
        expect: { rank: { value: 1 }, shape: { size: [2] }, list: { value: [1, 2] } },
      },
    ],
  ])("%s", (_, test) => {
    expect(verdictOf({ id: "call", cat: "test", ...test })).toBeNull();
  });
});
