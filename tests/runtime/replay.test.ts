/** Recorded programs as text: what is read back gives the same bits. */
import { type AnyTensor, arange, concat, dump, type InternalError, replay, setOptions, tensor } from "fuseau";
import { afterEach, describe, expect, it } from "vitest";

afterEach(() => setOptions({ onFault: "throw" }));

const dtypes = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"] as const;

describe("dump and replay", () => {
  it("give the very elements, for every dtype", () => {
    for (const dtype of dtypes) {
      const x = tensor([1, 0, 3, 2.5, -1, 7]).to(dtype).reshape([2, 3]).compute();
      const y = concat([x, x.flip(1)], 0);
      const [again] = replay(dump(y));
      expect(again?.dtype).toBe(dtype);
      expect(again?.toArray()).toEqual(y.toArray());
    }
  });

  it("write a header, options, inputs and the graph as it was recorded", () => {
    const x = tensor([1, 2]);
    expect(dump(x.exp().mul(3), { emitter: "js", limits: { ops: 4 } })).toBe(
      [
        "fuseau dump 1",
        'options {"emitter":"js","limits":{"ops":4}}',
        "input 0 elements AACAPwAAAEA=",
        "%0: float32[2] = input()",
        "%1: float32[2] = exp(%0)",
        "%2: float32[] = constant(3)",
        "%3: float32[2] = mul(%1, %2)",
        "return %3",
      ].join("\n"),
    );
  });

  it("keep slices, writes in place, sorts and several results", () => {
    const x = arange(24, { dtype: "float32" }).reshape([4, 6]).compute();
    const y = x.mul(2);
    y.slice([1, 3], [2, 5]).copy_(tensor([[1], [2]]));
    const wanted = [y, y.sort(1, { descending: true }).indices, y.sum(0), x] as const;
    const again = replay(dump(wanted));
    expect(again.map((result) => result.toArray())).toEqual(wanted.map((result) => result.toArray()));
  });

  it("draw other numbers within the range of each input where seeds are asked for", () => {
    const index = tensor([0, 4, 2]).to("int64").compute();
    const x = tensor([[10, 11, 12, 13, 14]])
      .expand([3, 5])
      .contiguous()
      .compute();
    const text = dump(x.gather(1, index.reshape([3, 1])), { inputs: "seeds" });
    expect(text).toMatch(/input 0 seed 1 from 10 to 14\ninput 1 seed 2 from 0 to 4\n/);
    const [first] = replay(text);
    expect(first?.shape).toEqual([3, 1]);
    for (const value of (first as AnyTensor).flatten().toArray() as number[]) {
      expect(value).toBeGreaterThanOrEqual(10);
      expect(value).toBeLessThanOrEqual(14);
    }
    expect(replay(text)[0]?.toArray()).toEqual(first?.toArray());
  });

  it("hold for empty and 0-d inputs, NaN and −0", () => {
    const x = tensor([Number.NaN, -0, Infinity]).compute();
    expect(replay(dump(x.neg()))[0]?.toArray()).toEqual([Number.NaN, 0, -Infinity]);
    expect(
      replay(dump([tensor(3).compute().add(1), tensor([]).compute().exp()])).map((y) => y.toArray()),
    ).toEqual([4, []]);
    expect(replay(dump(x.neg(), { inputs: "seeds" }))[0]?.shape).toEqual([3]);
  });

  it("run by other options where they are given", () => {
    const text = dump(tensor([1, 2, 3]).softmax(0), { emitter: "js" });
    const unfused = replay(text, { fusion: "none", emitter: "closure" });
    expect(unfused[0]?.toArray()).toEqual(replay(text)[0]?.toArray());
  });

  it("refuse what is no dump", () => {
    expect(() => replay("nothing")).toThrow(/no line says "fuseau dump 1"/);
    expect(() => replay("fuseau dump 1\n%0: float32[2] = input()")).toThrow(
      /does not end with what it returns/,
    );
    expect(() => replay("fuseau dump 1\n%0: float32[2] = input()\nreturn %0")).toThrow(/nothing of input 0/);
    expect(() => replay("fuseau dump 1\ninput 0 elements AAAA\n%0: float32[2] = input()\nreturn %0")).toThrow(
      /3 bytes for 2 elements of float32/,
    );
    expect(() => replay(3 as unknown as string)).toThrow("replay: text must be a string, not 3");
    expect(() => dump(3 as unknown as [])).toThrow(/dump/);
    expect(() => dump([], { inputs: "bytes" as "seeds" })).toThrow(
      'dump: inputs must be "elements" or "seeds"',
    );
    expect(() => dump([], { fuse: 1 } as object)).toThrow(/unknown option "fuse"/);
  });
});

it("a fault of the compiler's carries a dump that can be replayed, after what was at fault", () => {
  let looks = 0;
  const limits = {
    get ops(): number {
      // The first look is that of the options' check.
      if (looks++ !== 1) return 128;
      throw new TypeError("a fault that was put here");
    },
  };
  const x = tensor([1, 2, 3]).mul(2).add(1);
  let fault: InternalError | undefined;
  try {
    x.compute({ limits });
  } catch (error) {
    fault = error as InternalError;
  }
  expect(fault?.fault).toBe("compile: a fault that was put here");
  expect(fault?.ir).toContain("fuseau dump 1");
  expect(replay(fault?.message ?? "")[0]?.shape).toEqual([3]);
});
