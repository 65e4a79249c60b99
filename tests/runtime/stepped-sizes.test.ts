/** Sizes that steps leave: a few programs for all of them, and the bits of programs of one size. */
import { type AnyTensor, arange, cat, clearCaches, ones, stats, type Tensor } from "fuseau";
import { afterEach, expect, it } from "vitest";

afterEach(() => clearCaches());

const long: Tensor<[2000], "float32"> = arange(2000, { dtype: "float32" }).mul(0.37).sin().compute();
/** Numbers that have nothing to do with each other. */
const at = (round: number, k: number, count: number): number => ((round * 7919 + k * 104_729) * 31) % count;

const loops: Readonly<Record<string, (round: number) => AnyTensor>> = {
  "every second and every third of a tensor of any size": (round) => {
    const x = long.slice([0, 20 + at(round, 1, 900)]);
    return x
      .slice([0, null, 2])
      .mul(2)
      .sum()
      .add(x.slice([0, null, 3]).sin().sum());
  },
  "every k-th of a tensor of one size": (round) =>
    long
      .slice([0, null, 2 + at(round, 1, 60)])
      .sin()
      .sum(),
  "every k-th from any place on": (round) =>
    long
      .slice([at(round, 2, 900), null, 2 + at(round, 1, 60)])
      .sin()
      .sum(),
  "every k-th overwritten, of any size": (round) => {
    const [size, step] = [500 + at(round, 1, 400), 2 + at(round, 2, 19)];
    const x = ones([size], { dtype: "bool" }).clone();
    x.slice([step * step, size, step]).fill_(false);
    return x.sum();
  },
};

it.each(Object.entries(loops))("%s", (_, make) => {
  clearCaches();
  for (let round = 0; round < 150; round++) make(round).compute();
  const before = stats();
  const found = Array.from({ length: 100 }, (_, k) => make(150 + k).item());
  expect(stats().programs.misses - before.programs.misses).toBeLessThan(12);
  expect(stats().faults.count).toBe(before.faults.count);
  for (const round of [0, 17, 58, 99]) {
    clearCaches();
    expect(make(150 + round).item()).toBe(found[round]);
  }
});

it("begins and steps that are halved to 1 are on no line", () => {
  const bounds = [
    [9, 10, 9],
    [3, 17, 12],
    [3, 18, 21],
    [2, 12, 13],
    [7, 1, 6],
    [4, 6, 17],
    [4, 2, 16],
    [5, 3, 18],
    [8, 3, 7],
  ] as const;
  const found = bounds.map(([size, back, step]) => {
    const part = long.slice([0, size]).slice([-Math.min(back, size), null, step]);
    return part
      .add(part.flip([0]))
      .sum()
      .item() as number;
  });
  const expected = bounds.map(([size, back, step]) => {
    let sum = 0;
    for (let k = Math.max(0, size - back); k < size; k += step)
      sum += 2 * (long.slice([k, k + 1]).item() as number);
    return sum;
  });
  for (const [k, value] of found.entries()) expect(value).toBeCloseTo(expected[k] as number, 5);
});

it("sizes along which steps give no graph leave everything usable", () => {
  const make = (round: number): AnyTensor => {
    const step = 3 + at(round, 1, 60);
    return long
      .slice([0, null, step])
      .narrow(0, 0, 20)
      .mul(long.slice([0, 20]))
      .sum();
  };
  const found = Array.from({ length: 200 }, (_, round) => make(round).item());
  for (const round of [3, 77, 199]) {
    clearCaches();
    expect(make(round).item()).toBe(found[round]);
  }
});

it("programs whose like never comes run op by op, with the same bits", () => {
  const ops: readonly ((x: AnyTensor, k: number) => AnyTensor)[] = [
    (x, k) => x.slice([0, 3 + (k % (x.shape[0] as number))]),
    (x) => x.mul(2).sin(),
    (x, k) => cat([x, long.slice([k % 50, (k % 50) + 3 + (k % 11)])]),
    (x) => x.slice([1, null]).sub(x.slice([0, -1])),
    (x) => x.slice([0, null, 2]).exp(),
    (x) => x.flip(0).cumsum(0),
    (x) =>
      x
        .unsqueeze(1)
        .mul(x.slice([0, 4]))
        .sum(1),
    (x) => x.softmax(0),
    (x, k) => x.roll(k % 5, 0).maximum(0.1),
  ];
  const make = (round: number): AnyTensor => {
    let x: AnyTensor = long.slice([at(round, 0, 1000), null]).slice([0, 30 + at(round, 1, 200)]);
    for (let k = 2; k < 6; k++)
      if ((x.shape[0] as number) > 8)
        x = (ops[at(round, k, ops.length)] as (typeof ops)[0])(x, at(round, k + 9, 97));
    return x.sum(0);
  };
  const before = stats().faults.count;
  const found = Array.from({ length: 250 }, (_, round) => make(round).item());
  for (let round = 0; round < 250; round += 7) {
    // As a whole: what comes again soon is compiled.
    make(round).item();
    make(round).item();
    expect(make(round).item()).toBe(found[round]);
  }
  expect(stats().faults.count).toBe(before);
});
