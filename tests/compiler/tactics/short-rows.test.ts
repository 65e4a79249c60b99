/** Which short folds are transposed: loops in, loops out. That the bits are those of other sums, tests of sums say (../wasm/emit-sums.test.ts). */
import { parseLoopKernel, printLoopKernel } from "@fuseau/ir";
import { fromTypedArray, type Tensor, where } from "fuseau";
import { describe, expect, it } from "vitest";
import { lanes } from "../../../packages/compiler/src/tactics/lanes.ts";
import { kernelOf, runner, scheduledBy } from "./kernels.ts";

const row = `
for x0 < n0
  i0 = (x0 * n1)
  reduce x1 < 8
    a0 = sum float32 -> float32 lanes 8
    i1 = (i0 + x1)
    v2: float32 = b0[i1]
    v3: float32 = mul.float32(v2, v2)
    a0[0] <- v3 @ 0
  v4: float32 = result a0[0]
  b1[x0] = v4`;

const given = (body: string, dtypes?: readonly string[]): string => {
  const text = printLoopKernel(scheduledBy(lanes, kernelOf(body, 3, dtypes)));
  return text;
};

type F = Tensor<number[], "float32">;

const transposed = "reduce x1 < 8 unrolled transposed";

const elementwise = `
for x0 < n0
  i0 = (x0 * n1)
  v1: float32 = b0[x0]
  for x1 < 7
    i2 = (i0 + x1)
    v3: float32 = b1[i2]
    v4: float32 = sub.float32(v3, v1)
    b2[i2] = v4`;

describe("a short row in a vector", () => {
  const dtypes = ["float32", "float32", "float32"];
  const isTransposed = (body: string, of = dtypes): boolean =>
    given(body, of).includes("for x1 < 7 unrolled transposed");

  it("is transposed where it is loaded and stored in order", () => {
    expect(isTransposed(elementwise)).toBe(true);
  });

  it.each<[string, string, string[]?]>([
    ["its elements lie apart", elementwise.replaceAll("(i0 + x1)", "(i0 + (x1 * n2))")],
    ["it is loaded from where it is stored", elementwise.replace("b1[i2]", "b2[i2]")],
    [
      "an op is expensive and rows do not fill registers",
      elementwise.replace("sub.float32(v3, v1)", "exp.float32(v3)"),
    ],
    [
      "it is of 64 bits",
      elementwise.replaceAll("float32", "float64"),
      dtypes.map((each) => each.replace("32", "64")),
    ],
    ["an element is tested", elementwise.replace("b1[i2]", "b1[i2] if x1 < n2")],
  ])("is not where %s", (_, body, of) => {
    expect(isTransposed(body, of)).toBe(false);
  });
});

describe("a short sum in a vector", () => {
  it("is transposed where its elements lie in a row, or are the same in all of it", () => {
    expect(given(row)).toContain(transposed);
    expect(given(row.replace("(i0 + x1)", "(i0 + n2)"))).toContain(transposed);
  });

  it.each<[string, string]>([
    ["elements lie apart", row.replace("(i0 + x1)", "(i0 + (x1 * n2))")],
    ["rows fill no register", row.replace("< 8", "< 3")],
    ["rows are longer than the lanes of the order", row.replace("< 8", "< 17")],
    ["the order is no sum's", row.replace("= sum", "= prod")],
    ["a load is guarded", row.replace("b0[i1]", "b0[i1] if x0 < n2")],
    ["an element is stored beside it", row.replace("a0[0] <-", "b1[i1] = v3\n    a0[0] <-")],
    ["rows are long", row.replace("< 8", "< n2")],
  ])("is not where %s", (_, body) => {
    expect(given(body)).not.toContain("transposed");
  });

  it("is transposed whether or not rows fill registers", () => {
    for (const fn of ["sum", "max", "min"])
      for (const length of [4, 5, 7, 10, 16])
        expect(given(row.replace("= sum", `= ${fn}`).replace("< 8", `< ${length}`))).toContain(
          `reduce x1 < ${length} unrolled transposed`,
        );
    expect(given(row.replace("= sum", "= max").replace("< 8", "< 3"))).not.toContain("transposed");
  });

  it("gives the extremum that closures give: NaN wins, and −0 is less than 0", () => {
    const special = [Number.NaN, -0, 0, 1, -1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let length = 1; length <= 17; length++) {
      const elements = Float32Array.from(
        { length: 61 * length },
        (_, k) => special[(k * k + 3 * k) % (7 - (k % 5))]!,
      );
      const x = fromTypedArray(elements, { shape: [61, length] });
      for (const fold of ["amax", "amin"] as const)
        expect(x[fold](1).compute({ emitter: "wasm" }).toTypedArray(), `${fold} of ${length}`).toEqual(
          x[fold](1).compute({ emitter: "closure" }).toTypedArray(),
        );
    }
  });

  it("gives the bits of closures for rows of any length, whatever they are made of", () => {
    // Sums of these are exact, in any order and width.
    for (let length = 3; length <= 17; length++) {
      const elements = (by: number): Float32Array =>
        Float32Array.from({ length: 23 * length }, (_, k) => (((k * (k + by)) % 61) - 30) / 4);
      const [x, y] = [1, 3].map((by): F => fromTypedArray(elements(by), { shape: [23, length] })) as [F, F];
      const mask = x.gt(0.1).compute();
      const made = {
        x,
        where: where(mask, x, y),
        mask: x.gt(y).float(),
        int: x.remainder(99).to("int32").float(),
      };
      for (const [name, rows] of Object.entries(made)) {
        const results = [
          rows.sum(1),
          rows.sum(1).add(rows.amax(1)),
          rows
            .mul(2)
            .sub(rows.mul(2).sum(1, { keepdim: true }))
            .add(rows.amax(1, { keepdim: true })),
          rows.softmax(1),
          rows.sub(rows.mean(1, { keepdim: true })),
          where(rows.gt(rows.mean(1, { keepdim: true })), rows, 0),
          rows.ge(rows.amin(1, { keepdim: true }).add(1)),
        ];
        const bitsOf = (emitter: "wasm" | "closure"): unknown[] =>
          results.map(
            (each) => new Uint8Array(each.compute({ emitter }).toTypedArray().buffer as ArrayBuffer),
          );
        expect(bitsOf("wasm"), `${name} in rows of ${length}`).toEqual(bitsOf("closure"));
      }
    }
  });

  it("gives what closures give, for any number of rows", () => {
    const kernel = parseLoopKernel(given(row));
    const [expected, run] = (["closure", "wasm"] as const).map((emitter) => runner(kernel, emitter));
    for (const rows of [0, 1, 3, 4, 9, 21]) {
      const sizes = [rows, 9, 0];
      expect(run!(sizes, 200), `${rows} rows`).toBe(expected!(sizes, 200));
    }
  });
});
