/** Places that the host chooses anew in each round: actions that it drew, rows and columns that it found. */
import {
  type AnyTensor,
  arange,
  clearCaches,
  noGrad,
  ones,
  stack,
  stats,
  type Tensor,
  tensor,
  zeros,
} from "fuseau";
import { beforeEach, describe, expect, it } from "vitest";

beforeEach(() => clearCaches());

function chooser(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (state * 16_807) % 2_147_483_647;
    return state % count;
  };
}

const compiled = (): number => stats().programs.misses;

describe("places that the host chooses", () => {
  it("some choices in one recording are one program, after a few", () => {
    const choose = chooser(1);
    const x = arange(12).float().reshape([4, 3]);
    const before = compiled();
    for (let round = 0; round < 40; round++) {
      const places = Array.from({ length: 6 }, () => [choose(4), choose(3)] as const);
      const sum = places
        .map(([row, column]) => x.mul(2).select(0, row).select(0, column))
        .reduce((total, one) => total.add(one));
      expect(sum.item()).toBe(places.reduce((total, [row, column]) => total + 2 * (3 * row + column), 0));
    }
    expect(compiled() - before).toBeLessThanOrEqual(8);
  });

  it("so is a training step with the gradients of what was chosen", () => {
    const run = (fusion: "on" | "none", rounds: number): number[] => {
      const choose = chooser(7);
      const w = tensor([0.5, -1, 2, 1, 0.25, -0.5]).reshape([2, 3]).requiresGrad_();
      for (let round = 0; round < rounds; round++) {
        const logps: Tensor<[], "float32">[] = [];
        for (let step = 0; step < 5; step++) {
          const logits = tensor([step, 1 - step])
            .float()
            .matmul(w)
            .logSoftmax(0);
          logps.push(logits.select(0, choose(3)) as Tensor<[], "float32">);
        }
        w.grad = null;
        stack(logps).sum().backward();
        noGrad(() => w.add_((w.grad as Tensor<[2, 3], "float32">).mul(0.01)));
        w.compute({ fusion });
      }
      return w.flatten().toArray() as number[];
    };
    const before = compiled();
    const fused = run("on", 40);
    expect(compiled() - before).toBeLessThanOrEqual(10);
    expect(fused).toEqual(run("none", 40));
  });

  it("one set of chosen columns stays in its program", () => {
    const x = ones([5, 3]);
    const before = compiled();
    for (let round = 0; round < 20; round++) {
      x.select(1, 0).add(x.select(1, 2)).compute();
    }
    expect(compiled() - before).toBe(1);
  });

  it("writes keep their places", () => {
    const choose = chooser(3);
    const x = zeros([4, 4]);
    const plain = Array.from({ length: 4 }, () => [0, 0, 0, 0]);
    for (let round = 0; round < 60; round++) {
      const [row, column, from] = [choose(4), choose(4), choose(4)];
      const value = (plain[from] as number[])[column] as number;
      (plain[row] as number[])[column] = 2 * value + round;
      x.select(0, row).select(0, column).copy_(x.select(0, from).select(0, column).mul(2).add(round));
      if (round % 3 === 2) expect(x.toArray()).toEqual(plain.map((own) => own.map(Math.fround)));
      for (const own of plain)
        own.forEach((value, k) => {
          own[k] = Math.fround(value) % 1_000;
        });
      x.remainder_(1_000);
    }
  });
});

describe("numbers that the host chooses", () => {
  it("zeros and ones among others are one program, after a few, with the same bits", () => {
    const x = tensor([-0, 1, -2.5, Number.NaN]);
    const run = (fusion: "on" | "none"): unknown[] => {
      const choose = chooser(5);
      return Array.from({ length: 40 }, () => {
        const choices = Array.from({ length: 6 }, () => choose(3) - 1);
        const sum = choices.reduce((total: AnyTensor, choice) => total.mul(0.7).add(choice), x);
        return sum.compute({ fusion }).toArray();
      });
    };
    const before = compiled();
    const fused = run("on");
    expect(compiled() - before).toBeLessThanOrEqual(6);
    expect(fused).toEqual(run("none"));
  });
  it("costs of cells are one program for all cells", () => {
    const choose = chooser(9);
    const [n, table] = [12, zeros([13, 13])];
    const plain = Array.from({ length: n + 1 }, () => new Array<number>(n + 1).fill(0));
    const before = compiled();
    for (let i = 1; i <= n; i++)
      for (let j = 1; j <= n; j++) {
        const cost = choose(2);
        const own = table
          .index([i - 1, j - 1])
          .add(cost)
          .minimum(table.index([i, j - 1]).add(1));
        table.index([i, j]).copy_(own as Tensor<[], "float32">);
        const [above, row] = [plain[i - 1] as number[], plain[i] as number[]];
        row[j] = Math.min((above[j - 1] as number) + cost, (row[j - 1] as number) + 1);
      }
    expect(table.toArray()).toEqual(plain);
    expect(compiled() - before).toBeLessThanOrEqual(16);
  });
});

it("places that topk found are kept with its elements, so that nothing is sorted again", () => {
  const logits = arange(64)
    .mul(7)
    .remainder(11)
    .float()
    .reshape([8, 8])
    .matmul(ones([8, 8]))
    .select(0, 3);
  const { values, indices } = logits.topk(3);
  expect(values.sum().item()).toBe(132);
  const before = stats().runs.programs;
  expect(indices.toArray()).toEqual([0, 1, 2]);
  expect(stats().runs.programs).toBe(before);
});

it("a number that has become a choice is none of a program's that was predicted before", () => {
  clearCaches();
  const x = tensor(3).compute();
  const step = (): number[] => [x.exp().item() as number, x.mul(0.5).add(0.3).item() as number];
  const first = step();
  for (let k = 0; k < 8; k++) expect(step()).toEqual(first);
  for (const factor of [0, 1, -1, 2, -2, 3])
    expect(x.mul(factor).sub(0.7).square().item()).toBeCloseTo((3 * factor - 0.7) ** 2, 4);
  for (let k = 0; k < 8; k++) expect(step()).toEqual(first);
});
