/** What is put together of parts is computed part by part, and no element tests which part it is in. */
import {
  type AnyTensor,
  cat,
  jit,
  layerNorm,
  manualSeed,
  pad,
  randn,
  setOptions,
  stack,
  tensor,
  zeros,
} from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";
import { explained } from "./expect-kernels.ts";

compileWhole();

const stored = (...shape: number[]): AnyTensor => randn(shape).compute() as AnyTensor;
const halves = (x: AnyTensor): [AnyTensor, AnyTensor] => {
  const width = x.shape.at(-1)! / 2;
  return [x.narrow(-1, 0, width) as AnyTensor, x.narrow(-1, width, width) as AnyTensor];
};

const programs: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  "rows joined": (x) => cat([x.mul(2), x.relu()], 0).add(1) as AnyTensor,
  "columns joined": (x) => cat([x.mul(2), x.relu(), x], 1) as AnyTensor,
  "halves turned": (x) => {
    const [a, b] = halves(x);
    return cat([a.sub(b), a.add(b)], 1) as AnyTensor;
  },
  "layers stacked": (x) => stack([x, x.exp()], 1) as AnyTensor,
  padded: (x) => pad(x.mul(3), [2, 1, 1, 2], { value: 7 }) as AnyTensor,
  "padded twice": (x) => pad(pad(x, [1, 1]).add(1), [0, 0, 3, 3]) as AnyTensor,
  reflected: (x) => pad(x.unsqueeze(0), [3, 3], { mode: "reflect" }).mul(2) as AnyTensor,
  rolled: (x) => x.roll([1, -2], [0, 1]).sub(x) as AnyTensor,
  "a window replaced": (x) => {
    const [rows, columns] = x.shape as [number, number];
    const middle = cat([x.slice([5, 9], [0, 20]), zeros([4, 9]), x.slice([5, 9], [29, columns])], 1);
    return cat([x.narrow(0, 0, 5), middle, x.narrow(0, 9, rows - 9)], 0) as AnyTensor;
  },
  "neighbours counted on a torus": (x) => {
    const alive = x.gt(0).float();
    const shifts = [-1, 0, 1].flatMap((row) => [-1, 0, 1].map((column) => [row, column]));
    const near = shifts.filter(([row, column]) => row !== 0 || column !== 0);
    return near.map((by) => alive.roll(by, [0, 1])).reduce((sum, each) => sum.add(each)) as AnyTensor;
  },
  "joined, then transposed": (x) => cat([x, x.neg()], 0).t().mul(2) as AnyTensor,
  "a part without elements": (x) => cat([x, x.narrow(0, 0, 0), x.mul(2)], 0) as AnyTensor,
  "rows of three and of one": (x) => {
    const points = x.reshape([-1, 3]);
    return cat([points, points.select(1, 0).unsqueeze(1)], 1) as AnyTensor;
  },
  "coordinates turned": (x) => {
    const [a, b] = x.reshape([-1, 2]).unbind(1) as [AnyTensor, AnyTensor];
    return stack([a.mul(0.6).sub(b.mul(0.8)), a.mul(0.8).add(b.mul(0.6))], 1) as AnyTensor;
  },
  "rolled, then turned round": (x) => x.roll([3, 2], [0, 1]).flip([0, 1]) as AnyTensor,
  "every second row of what was rolled": (x) => x.roll(5, 0).slice([0, x.shape[0]!, 2]) as AnyTensor,
  "padded, and every second row from the last one on": (x) => {
    const padded = pad(x, [4, 3, 2, 2], { value: -1 }).flip([0, 1]);
    return padded.slice([1, padded.shape[0]!, 2]) as AnyTensor;
  },
  "parts that a step leaves out": (x) =>
    cat([x.narrow(1, 0, 1), x, x.narrow(1, 3, 1)], 1).slice(null, [1, x.shape[1]!, 2]) as AnyTensor,
  "padded rows of a norm": (x) => pad(layerNorm(x, [x.shape[1]!]), [1, 2, 3, 1]) as AnyTensor,
  "padded columns less their mean": (x) =>
    pad(x.sub(x.mean(0, { keepdim: true })), [1, 0, 0, 2]) as AnyTensor,
  "a softmax beside its argument": (x) => cat([x.softmax(1), x], 1) as AnyTensor,
  "columns less their sum, less what they were rolled by one": (x) => {
    const less = x.sub(x.sum(0, { keepdim: true }));
    return less.sub(less.roll(1, 1)) as AnyTensor;
  },
  "a running logarithm of sums, less what it was rolled by one": (x) => {
    const running = x.logcumsumexp(1);
    return running.sub(running.roll(1, 1)) as AnyTensor;
  },
  "rolled rows beside a transposed operand": (x) =>
    x.roll(1, 0).add(x.t().neg().contiguous().t()) as AnyTensor,
  "sums of rows, padded": (x) =>
    pad(
      x
        .reshape([-1, x.shape[1]! / 2, 2])
        .square()
        .sum(2)
        .sqrt(),
      [2, 1],
    ) as AnyTensor,
  "points and their images": (x) => {
    const points = x.reshape([-1, 3]);
    return cat([points, points.mul(-1)], 0) as AnyTensor;
  },
};

describe.each(Object.entries(programs))("%s", (_, make) => {
  it("no element tests where it is", () => {
    const { kernels } = explained(make(stored(60, 78)), { emitter: "wasm" });
    for (const { loop } of kernels) expect(loop).not.toMatch(/ if |select/);
  });
  it("the same bits as op by op, of small and odd sizes too", () => {
    manualSeed(5);
    for (const [rows, columns] of [
      [60, 78],
      [10, 42],
      [129, 36],
    ] as const) {
      const x = stored(rows, columns);
      for (const emitter of ["wasm", "js", "closure"] as const) {
        const elements = (fusion: "on" | "none") => make(x).compute({ emitter, fusion }).toArray();
        expect(elements("on")).toEqual(elements("none"));
      }
      setOptions({ slice: 7 });
      expect(make(x).toArray()).toEqual(make(x).compute({ fusion: "none" }).toArray());
      setOptions({ slice: undefined });
    }
  });
});

it("parts of short rows share the loops over the rows; expensive ops have loops of their own, for many rows at once", () => {
  const x = stored(500, 30);
  const outer = (y: AnyTensor): number =>
    explained(y, { emitter: "wasm" })
      .kernels.at(-1)!
      .loop.match(/^ {2}for/gm)!.length;
  expect(outer(cat([x.mul(2), x.add(1)], 1) as AnyTensor)).toBe(1);
  expect(outer(cat([x.tanh(), x.add(1)], 1) as AnyTensor)).toBe(2);
});

it.each([
  [12, 0],
  [12, 1],
  [40, 0],
  [100, 0],
  [100, 1],
  [150, 1],
])("%i parts stacked along axis %i: no column tests where it is", (count, axis) => {
  const parts = Array.from({ length: count }, () => stored(50));
  const whole = stack(parts as [AnyTensor, ...AnyTensor[]], axis) as AnyTensor;
  const { kernels } = explained(whole, { emitter: "wasm" });
  if (axis === 1) for (const { loop } of kernels) expect(loop).not.toMatch(/ if |select/);
  for (const emitter of ["wasm", "js", "closure"] as const) {
    const found = stack(parts as [AnyTensor, ...AnyTensor[]], axis).compute({ emitter });
    const rows = (axis === 0 ? found : found.t()).toArray();
    expect(rows).toEqual(parts.map((part) => part.toArray()));
  }
});

it("padding around nothing is two parts, whatever is computed beside it", () => {
  const [a, b] = [stored(200, 400), stored(400, 20)];
  const make = (): AnyTensor =>
    pad(zeros([200, 0]), [10, 10], { value: 0.5 }).add(a.matmul(b as never)) as AnyTensor;
  for (const emitter of ["wasm", "js", "closure"] as const)
    expect(make().compute({ emitter }).toArray()).toEqual(
      make().compute({ emitter, fusion: "none" }).toArray(),
    );
});

it("a part that is a result is stored where it is computed", () => {
  const x = stored(80, 60);
  const doubled = x.mul(2) as AnyTensor;
  const joined = cat([doubled, x], 0) as AnyTensor;
  const { kernels } = explained([joined, doubled], { emitter: "wasm" });
  expect(kernels).toHaveLength(1);
  expect(joined.toArray()).toEqual([...(doubled.toArray() as number[][]), ...(x.toArray() as number[][])]);
});

it("sizes that are known late", () => {
  const turned = jit((x: AnyTensor) => programs["halves turned"]!(x), { dynamic: [[0]] });
  for (const rows of [40, 41, 77, 200, 1]) {
    const x = stored(rows, 64);
    expect(turned(x).toArray()).toEqual(programs["halves turned"]!(x).compute({ fusion: "none" }).toArray());
  }
});

it("what fails names the op, and leaves everything usable", () => {
  const x = stored(60, 50);
  const wrong = cat([x, x.indexSelect(0, tensor([70], { dtype: "int64" }))], 0);
  expect(() => wrong.compute()).toThrow(/index/);
  expect(cat([x, x], 0).sum().compute()).toBeDefined();
});
