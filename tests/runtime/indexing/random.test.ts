/** Random gathers, scatters and advanced indices against their equations, on every emitter, fused and op by op. */
import fc from "fast-check";
import type { AnyTensor, ComputeOptions } from "fuseau";
import { describe, expect, it } from "vitest";
import { elements, indexings, scatterings, small, toTensor } from "./arbitrary.ts";
import * as reference from "./reference.ts";

const ways: readonly ComputeOptions[] = [
  { emitter: "js" },
  { emitter: "js", fusion: "none" },
  { emitter: "closure" },
];

/** The elements as numbers, the same whichever way they are computed. */
function read(record: () => AnyTensor): number[] {
  const [first, ...others] = ways.map((way) => {
    const result = record().compute(way).toTypedArray();
    return Array.from(result as ArrayLike<number | bigint>, Number);
  });
  for (const other of others) expect(other).toEqual(first);
  return first!;
}

const folds = ["sum", "prod", "mean", "amax", "amin"] as const;

describe("random", () => {
  it("gathers read where the index says", () => {
    fc.assert(
      fc.property(scatterings, ({ x, axis, index }) => {
        const indexTensor = toTensor(index, "int64");
        expect(read(() => toTensor(x, "float32").gather(axis, indexTensor))).toEqual(
          reference.gather(x, axis, index),
        );
      }),
      { numRuns: 100 },
    );
  });

  it("scatters write where the index says, the last of several", () => {
    fc.assert(
      fc.property(scatterings, ({ x, axis, index, source }) => {
        const [into, where, from] = [
          toTensor(x, "int32"),
          toTensor(index, "int64"),
          toTensor(source, "int32"),
        ];
        expect(read(() => into.scatter(axis, where, from))).toEqual(
          reference.scatter(x, axis, index, source, "set", true, true),
        );
        expect(read(() => into.scatterAdd(axis, where, from))).toEqual(
          reference.scatter(x, axis, index, source, "sum", true, true),
        );
      }),
      { numRuns: 100 },
    );
  });

  it("scatters fold what comes to one place", () => {
    const dtypes = fc.constantFrom("float64" as const, "int64" as const);
    fc.assert(
      fc.property(scatterings, fc.constantFrom(...folds), fc.boolean(), dtypes, (given, how, self, dtype) => {
        const { x, axis, index, source } = given;
        const [into, from] = [toTensor(x, dtype), toTensor(source, dtype)];
        const got = read(() =>
          into.scatterReduce(axis, toTensor(index, "int64"), from, how, { includeSelf: self }),
        );
        const wanted = reference.scatter(x, axis, index, source, how, self, dtype === "int64");
        got.forEach((element, k) => {
          expect(element).toBeCloseTo(wanted[k]!, 10);
        });
      }),
      { numRuns: 150 },
    );
  });

  it("whole slices are scatters of an index that is the same along the other axes", () => {
    fc.assert(
      fc.property(scatterings, fc.constantFrom(...folds), ({ x, axis, index }, how) => {
        const list = index.data.slice(0, index.shape[axis]);
        const sizes = x.shape.map((size, k) => (k === axis ? list.length : size));
        const source = fc.sample(elements(sizes, small), { numRuns: 1, seed: list.length })[0]!;
        const along = [...reference.places(sizes)].map((place) => list[place[axis]!]!);
        const spread = { shape: sizes, data: along };
        const where = toTensor({ shape: [list.length], data: list }, "int64");
        const [into, from] = [toTensor(x, "int32"), toTensor(source, "int32")];
        const wanted = (fold: reference.Fold) => reference.scatter(x, axis, spread, source, fold, true, true);
        expect(read(() => into.indexSelect(axis, where))).toEqual(reference.gather(x, axis, spread));
        expect(read(() => into.indexAdd(axis, where, from))).toEqual(wanted("sum"));
        expect(read(() => into.indexCopy(axis, where, from))).toEqual(wanted("set"));
        if (how !== "sum") expect(read(() => into.indexReduce(axis, where, from, how))).toEqual(wanted(how));
      }),
      { numRuns: 60 },
    );
  });

  it("advanced indices read, and write, what NumPy's rules name", () => {
    fc.assert(
      fc.property(indexings, ({ x, items }) => {
        const { shape, from } = reference.index(x, items);
        const indices = items.map((item) =>
          item === ":"
            ? item
            : "places" in item
              ? toTensor(item.places, "int64")
              : toTensor(item.mask, "bool"),
        );
        const target = toTensor(x, "float32");
        expect(target.index(indices).shape).toEqual(shape);
        expect(read(() => target.index(indices))).toEqual(from.map((place) => reference.at(x, place)));

        const written = [...x.data];
        const summed = [...x.data];
        from.forEach((place, k) => {
          const flat = reference.flatPlace(x.shape, place);
          written[flat] = k;
          summed[flat] = summed[flat]! + k;
        });
        const values = toTensor({ shape, data: from.map((_, k) => k) }, "float32");
        expect(read(() => target.indexPut(indices, values))).toEqual(written);
        expect(read(() => target.indexPut(indices, values, { accumulate: true }))).toEqual(summed);
      }),
      { numRuns: 150 },
    );
  });
});
