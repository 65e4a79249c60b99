/** Elements of one or two bytes that lie apart: those of a mask are taken from the words around them, others are loaded by themselves. */
import { randint, type Tensor, where } from "fuseau";
import { describe, expect, it } from "vitest";

const dtypes = ["bool", "uint8", "int8", "int16", "float16"] as const;

describe("narrow elements with a stride", () => {
  it.each(dtypes)("are what closures load of %s, alone and beside wider ones", (dtype) => {
    for (const [rows, columns] of [
      [9, 5],
      [21, 3],
      [37, 7],
      [5, 40],
    ] as const) {
      const x = randint(-100, 100, [rows, columns]).to(dtype).compute() as Tensor<number[], typeof dtype>;
      const results = (): readonly Tensor<number[]>[] =>
        [
          x.t().contiguous(),
          x.t().eq(x.flip([0]).t()),
          x.t().float().add(0.5),
          x.t().double().sub(0.5),
          where(x.t().bool(), x.t().float(), -1),
          x.slice(null, [0, columns, 2]).float().add(1),
          x.float().sum(1),
          x.select(1, 1).to("int32").add(1),
        ] as never;
      const bitsOf = (emitter: "wasm" | "closure"): unknown[] =>
        results().map((each) => each.compute({ emitter }).toTypedArray());
      expect(bitsOf("wasm"), `${rows} x ${columns}`).toEqual(bitsOf("closure"));
    }
  });
});
