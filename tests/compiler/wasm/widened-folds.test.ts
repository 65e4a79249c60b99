/** Folds of what is cast to a wider dtype: steps have as many elements as registers hold of the wide one. */
import { type AnyTensor, linspace } from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../../compiled-whole.ts";

compileWhole();

const bytes = (dtype: "uint8" | "bool" | "float16" | "int64", rows: number, columns: number) =>
  linspace(0, 250, rows * columns)
    .reshape([rows, columns])
    .remainder(7)
    .to(dtype)
    .compute();

const folds: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  sum: (x) => x.sum(1),
  mean: (x) => x.mean(1),
  amax: (x) => x.amax(1),
  var: (x) => x.var(1),
};

describe("rows of narrow elements, folded as float32", () => {
  it.each(["uint8", "bool"] as const)("have four lanes: %s", (dtype) => {
    const { kernels } = bytes(dtype, 20, 100).to("float32").amax(1).explain({ emitter: "wasm" });
    expect(kernels.map(({ schedule }) => schedule).join()).toMatch(/reduce x1 < n1 vector 4 x 4/);
  });

  it.each(["uint8", "bool", "float16", "int64"] as const)(
    "have the bits of what is cast before: %s",
    (dtype) => {
      for (const columns of [1, 7, 16, 31, 64, 100, 111, 257]) {
        const [x, before] = [
          bytes(dtype, 5, columns).to("float32"),
          bytes(dtype, 5, columns).to("float32").compute(),
        ];
        for (const emitter of ["wasm", "js"] as const)
          for (const [name, fold] of Object.entries(folds))
            expect(fold(x).compute({ emitter }).toTypedArray(), `${name} of ${columns}`).toEqual(
              fold(before).compute({ emitter }).toTypedArray(),
            );
      }
    },
  );

  it("are cast once from int64, where a row is walked twice", () => {
    const { kernels } = bytes("int64", 200, 100).to("float32").var(1).explain({ emitter: "wasm" });
    expect(kernels[0]!.schedule!.match(/cast\.int64/g)).toHaveLength(1);
  });
});
