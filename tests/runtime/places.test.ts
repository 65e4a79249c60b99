/** Where slices and windows begin is bound when a program runs: loops over rows, tiles and minibatches are a program or two. */
import {
  type AnyTensor,
  arange,
  clearCaches,
  Generator,
  ones,
  rand,
  randperm,
  stats,
  tensor,
  zeros,
} from "fuseau";
import { describe, expect, it } from "vitest";

function compiled(work: () => void): number {
  clearCaches();
  const before = stats().programs.misses;
  work();
  return stats().programs.misses - before;
}

const matrix = (rows: number, columns: number): AnyTensor =>
  arange(rows * columns, { dtype: "float32" })
    .reshape([rows, columns])
    .compute();

describe("columns of short rows", () => {
  it("stay in the program: kernels load the vectors that hold several of them once", () => {
    const [x, y, z] = matrix(1_000, 3).unbind(1) as [AnyTensor, AnyTensor, AnyTensor];
    const { kernels } = x.mul(y).add(z).explain({ emitter: "wasm" });
    expect(kernels).toHaveLength(1);
    expect(kernels[0]!.loop.match(/\+ [12]\)\]/g)).toEqual(["+ 1)]", "+ 2)]"]);
  });
  it("are a few programs in a loop, as numbers such as 0 and 1 are", () => {
    const x = matrix(100, 5);
    const sums: number[] = [];
    expect(
      compiled(() => {
        for (let turn = 0; turn < 20; turn++)
          sums.push(
            x
              .select(1, turn % 5)
              .mul(turn)
              .sum()
              .item(),
          );
      }),
    ).toBeLessThanOrEqual(10);
    expect(sums[7]).toBe(7 * Array.from({ length: 100 }, (_, row) => 5 * row + 2).reduce((a, b) => a + b));
  });
  it("are written in place", () => {
    const x = ones([1_000, 4]).compute();
    for (let column = 0; column < 4; column++) {
      (x.select(1, column) as AnyTensor).mul_(2);
      expect(x.explain().bytes.peak).toBe(1_000 * 4 * 4);
      x.compute();
    }
    expect(x.sum().item()).toBe(2 * 1_000 * 4);
  });
  it("begin at any row", () => {
    const x = matrix(50, 4);
    const distinct = compiled(() => {
      for (let row = 1; row < 12; row++) {
        const [a, b] = [2, 3].map((column) => x.slice([row, row + 20], [column, column + 1]));
        expect(a!.sub(b!).sum().item()).toBe(-20);
      }
    });
    expect(distinct).toBeLessThanOrEqual(2);
  });
});

describe("a loop over", () => {
  it.each([5, 50, 500])("%i rows is a program for the first and one for the others", (rows) => {
    const x = matrix(rows, 3);
    const sums: unknown[] = [];
    const programs = compiled(() => {
      for (let round = 0; round < 2; round++)
        for (let row = 0; row < rows; row++) sums.push(x.select(0, row).sum().item());
    });
    expect(programs).toBe(Math.min(2, rows));
    sums.forEach((sum, k) => {
      expect(sum).toBe(9 * (k % rows) + 3);
    });
  });
  it("100 minibatches is two programs", () => {
    const x = matrix(500, 4);
    const programs = compiled(() => {
      for (let k = 0; k < 100; k++) {
        const batch = x
          .slice([5 * k, 5 * k + 5])
          .sub(1.5)
          .sum(0);
        expect(batch.toArray()).toEqual([0, 1, 2, 3].map((j) => 5 * (20 * k + 8 + j) - 7.5));
      }
    });
    expect(programs).toBe(2);
  });
  it("rows and minibatches of what was given flat and reshaped, computed or not", () => {
    const numbers = Float32Array.from({ length: 1200 }, (_, k) => k);
    for (const x of [
      tensor(numbers).reshape([60, 4, 5]),
      tensor(numbers).add(0.25).sub(0.25).reshape([60, 4, 5]),
    ]) {
      const programs = compiled(() => {
        for (let k = 1; k < 60; k++) {
          expect(x.select(0, k).select(0, 3).sum().item()).toBe(100 * k + 85);
          if (k % 2 === 0)
            expect(
              x
                .slice([k, k + 2])
                .select(1, 0)
                .sum()
                .item(),
            ).toBe(200 * k + 120);
        }
      });
      expect(programs).toBeLessThanOrEqual(4);
    }
  });
  it("rows of a reshaped slice, whose rows are no multiples of where the slice begins", () => {
    const x = arange(1300, { dtype: "float32" }).compute();
    const programs = compiled(() => {
      for (let k = 1; k < 50; k++) {
        const rows = x.slice([k, k + 1200]).reshape([60, 20]);
        expect(rows.select(0, k).sum().item()).toBe(20 * 21 * k + 190);
      }
    });
    expect(programs).toBeLessThanOrEqual(3);
  });
  it.each([
    ["random numbers", (): AnyTensor => rand([60, 50], { generator: new Generator(3) })],
    ["a permutation", (): AnyTensor => randperm(3000, { generator: new Generator(3) }).reshape([60, 50])],
    ["a count", (): AnyTensor => arange(3000).reshape([60, 50])],
    ["a triangle", (): AnyTensor => matrix(60, 50).triu()],
    ["a scan of what is padded", (): AnyTensor => ones([60, 40]).pad([5, 5]).cumsum(1)],
  ])("rows of %s that were never computed", (_, make) => {
    const x = make();
    const rows = make().compute().toArray() as unknown[];
    const programs = compiled(() => {
      for (let k = 0; k < 60; k++) expect(x.select(0, k).toArray()).toEqual(rows[k]);
    });
    expect(programs).toBeLessThanOrEqual(3);
  });
  it("tiles, transposed and strided, is a program for each pattern of zeros", () => {
    const x = matrix(40, 40);
    const programs = compiled(() => {
      for (let k = 0; k < 60; k++) {
        const [i, j] = [(k * 7) % 31, (k * 11) % 29];
        const tile = x
          .t()
          .slice([i, i + 9, 2], [j, j + 10, 3])
          .neg();
        expect(tile.slice(3, 2).item()).toBe(-(40 * (j + 6) + i + 6));
      }
    });
    expect(programs).toBeLessThanOrEqual(4 + 1);
  });
  it("windows and elements of what was recorded, and not computed, is few programs", () => {
    const x = matrix(30, 8).mul(3);
    const programs = compiled(() => {
      for (let k = 0; k < 30; k++)
        expect(
          x
            .reshape([60, 4])
            .select(0, 2 * k)
            .sum()
            .item(),
        ).toBe(3 * (32 * k + 6));
      for (let k = 0; k < 30; k++)
        expect(
          x
            .asStrided([2, 2], [8, 1], 8 * (k % 28) + 3)
            .sum()
            .item(),
        ).toBe(3 * 4 * (8 * (k % 28) + 3 + 4.5));
    });
    expect(programs).toBeLessThanOrEqual(5);
  });
  it("slices of slices that may be one place or two", () => {
    const x = matrix(20, 20);
    const programs = compiled(() => {
      for (let k = 1; k < 9; k++)
        for (let j = 1; j < 9; j++) {
          const part = x.slice([k, k + 10]).slice([j, j + 2]);
          expect(
            part
              .add(x.slice([3, 5]))
              .select(1, 0)
              .toArray(),
          ).toEqual([20 * (k + j + 3), 20 * (k + j + 5)]);
        }
    });
    expect(programs).toBeLessThanOrEqual(6);
  });
  it("diagonals of one length", () => {
    const x = matrix(30, 90);
    const programs = compiled(() => {
      for (let k = 1; k < 60; k++) expect(x.diagonal(k).slice(2).item()).toBe(2 * 91 + k);
    });
    expect(programs).toBeLessThanOrEqual(2);
  });
});

describe("a loop that writes", () => {
  it("row after row is few programs, all of them in place", () => {
    const x = zeros([50, 6]).compute();
    const programs = compiled(() => {
      for (let row = 0; row < 50; row++) {
        x.select(0, row).add_(row + 0.25);
        expect(x.explain().bytes.peak).toBe(50 * 6 * 4);
        x.compute();
      }
    });
    expect(programs).toBe(2);
    expect(x.select(1, 3).toArray()).toEqual(Array.from({ length: 50 }, (_, row) => row + 0.25));
  });
  it("row after row of a reshape is few programs, all of them in place", () => {
    const base = zeros([300]).compute();
    const x = base.view([50, 6]);
    const programs = compiled(() => {
      for (let row = 0; row < 50; row++) {
        x.select(0, row).add_(row + 0.25);
        expect(base.explain().bytes.peak).toBe(50 * 6 * 4);
        base.compute();
      }
    });
    expect(programs).toBe(2);
    expect(x.select(1, 3).toArray()).toEqual(Array.from({ length: 50 }, (_, row) => row + 0.25));
  });
  it("element after element, two at a time, through views of views", () => {
    const x = zeros([9, 7]).compute();
    const programs = compiled(() => {
      for (let i = 0; i < 9; i++)
        for (let j = 0; j < 6; j++) {
          x.select(0, i)
            .slice([j, j + 2])
            .add_(10.5 * i + j);
          expect(x.explain().bytes.peak).toBe(9 * 7 * 4);
          x.compute();
        }
    });
    // None, either or both of the indexes are 0, and numbers such as 1 and 2 stay in the program.
    expect(programs).toBeLessThanOrEqual(12);
    expect(x.select(0, 8).select(0, 6).item()).toBe(89);
  });
  it("twice through one view in one pass over it", () => {
    const x = zeros([50, 6]).compute();
    for (let row = 1; row < 5; row++) {
      const view = x.select(0, row);
      view.add_(row + 0.5);
      view.mul_(row + 2.5);
      expect(x.explain().kernels).toHaveLength(1);
      expect(x.explain().bytes.peak).toBe(50 * 6 * 4);
      x.compute();
    }
    expect(x.select(1, 0).slice([0, 5]).toArray()).toEqual([0, 5.25, 11.25, 19.25, 29.25]);
  });
  it("rows that are read elsewhere, equal or not, right in any order", () => {
    const x = matrix(12, 5).mul(1.25).div(1.25).compute();
    const rows = Array.from({ length: 12 }, (_, i) => Array.from({ length: 5 }, (_, j) => 5 * i + j));
    const programs = compiled(() => {
      for (let k = 1; k < 100; k++) {
        const [from, to] = [1 + ((k * 5) % 11), 1 + ((k * 7) % 11)];
        x.select(0, to).copy_(x.select(0, from).add(x.select(0, to)).mul(0.5));
        rows[to] = (rows[to] as number[]).map((own, j) =>
          Math.fround(Math.fround(own + ((rows[from] as number[])[j] as number)) * 0.5),
        );
        expect(x.toArray()).toEqual(rows);
      }
    });
    expect(programs).toBeLessThanOrEqual(2);
  });
});

describe("what stays in the program", () => {
  it("is where slices of pads and joins begin, since they may lie beside them", () => {
    const x = matrix(4, 4);
    const parts = [0, 1, 2, 3, 4, 5, 6].map((k) =>
      x
        .pad([3, 3, 0, 0], { value: -1 })
        .slice("...", [k, k + 2])
        .sum(1),
    );
    expect(parts.map((part) => part.slice(1).item())).toEqual([-2, -2, 3, 9, 11, 13, 6]);
  });
});
