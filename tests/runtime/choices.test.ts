/** Places that the host chooses anew in each round: actions that it drew, rows and columns that it found. */
import {
  type AnyTensor,
  arange,
  clearCaches,
  noGrad,
  ones,
  pad,
  stack,
  stats,
  type Tensor,
  tensor,
  zeros,
} from "fuseau";
import { beforeEach, describe, expect, it } from "vitest";
import { lookForParts } from "../compiled-whole.ts";

lookForParts();

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

describe("windows that the host chooses", () => {
  const [SIZE, CROP, COUNT] = [9, 6, 5];
  const pixels = Array.from({ length: 3 * SIZE * SIZE }, (_, k) => ((k * 37) % 101) / 4);
  const croppedAt = (image: number, row: number, column: number): number[][] =>
    Array.from({ length: CROP }, (_, i) =>
      Array.from({ length: CROP }, (_, j) => pixels[(image * SIZE + row + i) * SIZE + column + j] as number),
    );
  const loops = {
    stacked: (crops: readonly AnyTensor[]): AnyTensor => stack(crops).mul(2),
    "written one after another": (crops: readonly AnyTensor[]): AnyTensor => {
      const batch = zeros([COUNT, CROP, CROP]);
      for (const [k, crop] of crops.entries())
        batch.select(0, k).copy_(crop as Tensor<[number, number], "float32">);
      return batch.mul(2);
    },
  };
  it.each(Object.entries(loops))("crops that are %s are a few programs", (_, joined) => {
    const choose = chooser(11);
    const images = tensor(pixels).reshape([3, SIZE, SIZE]);
    let late = 0;
    for (let round = 0; round < 40; round++) {
      const places = Array.from({ length: COUNT }, () => [choose(3), choose(4), choose(4)] as const);
      const crops = places.map(([k, i, j]) => images.index([k, [i, i + CROP], [j, j + CROP]]));
      const before = compiled();
      expect(joined(crops).toArray()).toEqual(
        places.map(([k, i, j]) => croppedAt(k, i, j).map((row) => row.map((x) => 2 * x))),
      );
      if (round >= 20) late += compiled() - before;
    }
    expect(late).toBe(0);
  });

  it("so are holes that are cut at any place", () => {
    const choose = chooser(13);
    let late = 0;
    for (let round = 0; round < 40; round++) {
      const image = ones([6, 5]).clone();
      const [i, j] = [choose(4), choose(3)];
      const plain = Array.from({ length: 6 }, () => new Array<number>(5).fill(1));
      for (let a = i; a < i + 3; a++) for (let b = j; b < j + 3; b++) (plain[a] as number[])[b] = 0;
      image
        .index([
          [i, i + 3],
          [j, j + 3],
        ])
        .zero_();
      const before = compiled();
      expect(image.add(1).toArray()).toEqual(plain.map((row) => row.map((x) => x + 1)));
      if (round >= 30) late += compiled() - before;
    }
    expect(late).toBe(0);
  });

  it("so are masks: ones that are padded, and what is written into zeros", () => {
    const choose = chooser(19);
    let late = 0;
    for (let round = 0; round < 40; round++) {
      const [i, j] = [choose(5), choose(5)];
      const written = zeros([7, 2]);
      written.slice([i, i + 3]).fill_(1);
      const before = compiled();
      expect(
        pad(ones([3, 2]), [0, 0, j, 4 - j])
          .add(written)
          .sum(1)
          .toArray(),
      ).toEqual(
        Array.from(
          { length: 7 },
          (_, k) => 2 * Number(i <= k && k < i + 3) + 2 * Number(j <= k && k < j + 3),
        ),
      );
      if (round >= 20) late += compiled() - before;
    }
    expect(late).toBe(0);
  });

  it("so are rows that are padded on either side, and their slices", () => {
    const choose = chooser(23);
    const x = arange(8).float();
    let late = 0;
    for (let round = 0; round < 40; round++) {
      const left = Array.from({ length: 3 }, () => choose(5));
      let [moved, plain] = [x as AnyTensor, Array.from({ length: 8 }, (_, k) => k)];
      for (const by of left) {
        moved = pad(moved, [by, 4 - by])
          .slice([2, 10])
          .add(1);
        const padded = [...new Array<number>(by).fill(0), ...plain, ...new Array<number>(4 - by).fill(0)];
        plain = padded.slice(2, 10).map((each) => each + 1);
      }
      const before = compiled();
      expect(moved.toArray()).toEqual(plain);
      if (round >= 20) late += compiled() - before;
    }
    expect(late).toBe(0);
  });

  const bases = {
    "zeros that nobody has computed": () => zeros([12, 10]),
    "an expression": () => arange(120).float().reshape([12, 10]).mul(0),
  };
  /** A view of the table at a place that is drawn, and the cells that it shows. */
  const views: Readonly<
    Record<string, (table: AnyTensor, choose: (count: number) => number) => readonly [AnyTensor, number[]]>
  > = {
    windows: (table, choose) => {
      const [y, x] = [choose(10), choose(7)];
      const cells = [0, 1, 2].flatMap((i) => [0, 1, 2, 3].map((j) => (y + i) * 10 + x + j));
      return [table.slice([y, y + 3], [x, x + 4]), cells];
    },
    rows: (table, choose) => {
      const y = choose(12);
      return [table.select(0, y), Array.from({ length: 10 }, (_, j) => y * 10 + j)];
    },
    "columns of the transposed": (table, choose) => {
      const x = choose(10);
      return [table.t().select(0, x), Array.from({ length: 12 }, (_, i) => i * 10 + x)];
    },
    cells: (table, choose) => {
      const [y, x] = [choose(12), choose(10)];
      return [table.select(0, y).select(0, x), [y * 10 + x]];
    },
  };
  for (const [base, begin] of Object.entries(bases))
    for (const [name, viewOf] of Object.entries(views))
      it(`${name} of ${base} that are read and written, some equal, are a few programs`, () => {
        const choose = chooser(31);
        const before = compiled();
        let settled = 0;
        for (let round = 0; round < 60; round++) {
          if (round === 30) settled = compiled();
          const table = begin() as AnyTensor;
          const expected = new Array<number>(120).fill(0);
          for (let k = 0; k < 5; k++) {
            const [view, cells] = viewOf(table, choose);
            view.mul_(0.5).add_(k + 0.25);
            for (const cell of cells) expected[cell] = 0.5 * (expected[cell] as number) + k + 0.25;
          }
          expect(table.reshape([120]).toArray()).toEqual(expected);
        }
        expect(settled - before).toBeLessThanOrEqual(12);
        expect(compiled() - settled).toBeLessThanOrEqual(1);
      });

  it("what is written and read again through one view is one kernel, in place", () => {
    const choose = chooser(47);
    const start = arange(120).float().reshape([12, 10]).compute();
    for (let round = 0; round < 30; round++) {
      const table = start.clone();
      for (let k = 0; k < 3; k++) table.select(0, choose(12)).mul_(0.5).add_(1.25);
      if (round >= 20) {
        const { kernels, bytes } = table.explain();
        expect(kernels).toHaveLength(3);
        expect(bytes.intermediate).toBeLessThanOrEqual(2 * 480);
      }
      table.compute();
    }
  });

  it("so are rows that change places", () => {
    const choose = chooser(37);
    const table = arange(48).float().reshape([12, 4]).compute();
    const before = compiled();
    for (let round = 0; round < 60; round++) {
      const own = table.clone() as AnyTensor;
      const rows = Array.from({ length: 12 }, (_, row) => row);
      for (let k = 0; k < 4; k++) {
        const [a, b] = [choose(12), choose(12)];
        const kept = own.select(0, a).clone();
        own.select(0, a).copy_(own.select(0, b) as never);
        own.select(0, b).copy_(kept as never);
        [rows[a], rows[b]] = [rows[b] as number, rows[a] as number];
      }
      expect(own.select(1, 0).toArray()).toEqual(rows.map((row) => 4 * row));
    }
    expect(compiled() - before).toBeLessThanOrEqual(12);
  });

  it("a recording of more kinds of windows than are remembered is one as any other", () => {
    const choose = chooser(43);
    const table = arange(8).float().reshape([8, 1]).expand([8, 1200]).contiguous().compute();
    for (let round = 0; round < 40; round++) {
      const drawn = Array.from({ length: 5 }, () => choose(3));
      const rows = drawn.map((row) => table.select(0, row).narrow(0, choose(3), 7).sum());
      rows.reduce((sum, row) => sum.add(row)).item();
    }
    const row = table.select(0, 3);
    const folds = [
      (x: AnyTensor) => x.amax(0),
      (x: AnyTensor) => x.mean(0),
      (x: AnyTensor) => x.neg().amin(0).neg(),
      (x: AnyTensor) => x.relu().amax(0),
    ];
    const windows = Array.from({ length: 1100 }, (_, k) => folds[choose(4)]!(row.narrow(0, 5, k + 1)));
    expect(stack(windows).sum().item()).toBe(3300);
  });

  it("so are pads of any widths", () => {
    const choose = chooser(41);
    const x = arange(12).float().reshape([3, 4]).add(1).compute();
    let settled = 0;
    for (let round = 0; round < 120; round++) {
      if (round === 80) settled = compiled();
      const widths = [2 + choose(9), choose(9), 2 + choose(9), choose(9)] as const;
      const padded = pad(x, [...widths]);
      expect(padded.shape).toEqual([3 + widths[2] + widths[3], 4 + widths[0] + widths[1]]);
      expect(padded.slice([widths[2], widths[2] + 3], [widths[0], widths[0] + 4]).toArray()).toEqual(
        x.toArray(),
      );
      expect(padded.sum().item()).toBe(78);
    }
    expect(compiled() - settled).toBeLessThanOrEqual(8);
  });

  it("the places of a stencil stay in its programs", () => {
    const x = arange(64).float().reshape([8, 8]);
    const at = (i: number, j: number): AnyTensor =>
      x.index([
        [i, i + 6],
        [j, j + 6],
      ]);
    const stencils = [
      [at(1, 0), at(1, 2)],
      [at(0, 1), at(2, 1)],
      [at(0, 0), at(2, 2), at(1, 1)],
      [at(0, 2), at(2, 0), at(1, 1)],
      [at(1, 1), at(0, 0), at(0, 1), at(1, 0)],
      [at(1, 1), at(2, 2), at(2, 1), at(1, 2)],
      [at(2, 2), at(0, 0), at(0, 2), at(2, 0), at(1, 1)],
    ];
    for (const views of stencils) views.reduce((sum, view) => sum.add(view)).compute();
    // The very places are in the program, so that another place is another program.
    const before = compiled();
    at(0, 0).add(at(0, 2)).compute();
    expect(compiled() - before).toBe(1);
  });
});

it("a batch of few kinds of tensors in any combination is a few programs", () => {
  const choose = chooser(17);
  const images = arange(6 * 5 * 4)
    .float()
    .reshape([6, 5, 4]);
  const run = (joined: (images: readonly AnyTensor[]) => AnyTensor): void => {
    clearCaches();
    let late = 0;
    for (let round = 0; round < 50; round++) {
      const turned = Array.from({ length: 6 }, () => choose(3));
      const batch = turned.map((kind, k) => {
        const image = images.select(0, k).add(0.5);
        return kind === 0 ? image : kind === 1 ? image.flip(1) : image.mul(image);
      });
      const before = compiled();
      expect(joined(batch).toArray()).toEqual(
        turned.map((kind, k) =>
          Array.from({ length: 5 }, (_, i) =>
            Array.from({ length: 4 }, (_, j) => {
              const x = (k * 5 + i) * 4 + (kind === 1 ? 3 - j : j) + 0.5;
              return kind === 2 ? x * x : x;
            }),
          ),
        ),
      );
      if (round >= 25) late += compiled() - before;
    }
    expect(late).toBe(0);
  };
  run((batch) => stack(batch));
  run((batch) => {
    const all = zeros([6, 5, 4]);
    for (const [k, image] of batch.entries())
      all.select(0, k).copy_(image as Tensor<[number, number], "float32">);
    return all;
  });
  const rows = Array.from({ length: 9 }, (_, k) => ones([5]).mul(k).compute());
  let drawn = 0;
  for (let round = 0; round < 80; round++) {
    const picked = Array.from({ length: 5 }, () => choose(9));
    const before = compiled();
    expect(
      stack(picked.map((k) => rows[k] as AnyTensor))
        .sum(1)
        .toArray(),
    ).toEqual(picked.map((k) => 5 * k));
    if (round >= 50) drawn += compiled() - before;
  }
  expect(drawn).toBe(0);
  run((batch) => {
    const copies = batch.map((image) => image.clone());
    for (const copy of copies) copy.index([0, 0]).mul_(1);
    return stack(copies);
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
  it("a number that is whole now and then is bound there, too, before a program is made of it", () => {
    const x = arange(8).float().compute();
    const misses: number[] = [];
    for (let round = 0; round < 48; round++) {
      const before = compiled();
      const time = round / 16;
      const value = x.add(time).mul(1.5).sub(x).sum().item();
      expect(value).toBe(Array.from({ length: 8 }, (_, k) => (k + time) * 1.5 - k).reduce((a, b) => a + b));
      if (compiled() > before) misses.push(round);
    }
    expect(misses).toEqual([0, 1]);
  });

  it("so are numbers of which some are equal, and those that are compared with", () => {
    const labels = tensor([3, 1, 2, 0, 3, 1], { dtype: "int64" });
    const choose = chooser(29);
    let late = 0;
    for (let round = 0; round < 40; round++) {
      const steps = Array.from({ length: 6 }, () => [choose(4), choose(2) === 0 ? 0.25 : -0.75] as const);
      let [sum, plain] = [zeros([6]) as AnyTensor, new Array<number>(6).fill(0)];
      for (const [label, by] of steps) {
        sum = sum.add(labels.ne(label)).add(by);
        plain = plain.map((own, k) => own + ([3, 1, 2, 0, 3, 1][k] === label ? 0 : 1) + by);
      }
      const before = compiled();
      expect(sum.toArray()).toEqual(plain);
      if (round >= 20) late += compiled() - before;
    }
    expect(late).toBe(0);
  });

  it("numbers that are equal in different programs are one number in each", () => {
    const x = arange(6).float();
    for (let count = 2; count < 9; count++) {
      const terms = Array.from({ length: count }, (_, k) => x.mul(k < count - 1 ? 0.7 : 0.3));
      terms.reduce<AnyTensor>((sum, term) => sum.add(term), x).compute();
    }
    const { kernels } = x.mul(0.7).exp().add(x.mul(0.7).sin()).explain();
    expect(kernels.flatMap(({ ops }) => ops).filter((op) => op.includes("mul")).length).toBe(1);
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
