/** A program's first run may be put together op by op, by closures: nothing but time tells it from later ones. */
import {
  type AnyTensor,
  arange,
  clearCaches,
  compute,
  conv2d,
  cumsum,
  full,
  linspace,
  manualSeed,
  randn,
  setOptions,
  softmax,
  stats,
  tensor,
  trace,
} from "fuseau";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

beforeEach(() => clearCaches());
afterEach(() => setOptions({ fusion: undefined, linearBytesLimit: undefined }));

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message.split(";")[0] as string;
  }
  return "";
}

const columns = (rows: number, width: number): AnyTensor =>
  linspace(-3, 3, rows * width)
    .reshape([rows, width])
    .compute();

const programs: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  "a softmax": (x) => softmax(x, 1),
  "functions of singles": (x) => x.sin().exp().mul(x.tanh()).add(x.erf()).sub(x.abs().pow(1.3)),
  "functions of doubles": (x) => x.to("float64").sigmoid().log1p().atan2(x.to("float64")),
  "functions of float16": (x) => x.to("float16").exp().rsqrt().add(1),
  "rows that are standardised": (x) => x.sub(x.mean(1, { keepdim: true })).div(x.std(1, { keepdim: true })),
  "sums of all, of columns, and of long rows": (x) =>
    x
      .sum()
      .add(x.sum(0))
      .add(
        x
          .reshape([-1])
          .mul(x.reshape([-1]))
          .sum(),
      ),
  "a product": (x) => x.narrow(0, 0, 12).matmul(x.narrow(0, 0, 12).t()),
  "products of long rows, of doubles and of float16": (x) => {
    const [rows, columns] = [x.reshape([15, 600]), x.reshape([600, 15])];
    const half = rows.to("float16").matmul(columns.to("float16"));
    return rows
      .matmul(columns)
      .add(rows.to("float64").matmul(columns.to("float64")))
      .add(half);
  },
  "a product by a vector, and of batches": (x) =>
    x.matmul(x.select(0, 3)).add(
      x
        .reshape([5, 12, 150])
        .matmul(x.reshape([5, 150, 12]))
        .sum([0, 1])
        .sum(),
    ),
  "gradients of a layer": (x) => {
    const w = x.narrow(0, 0, 20).clone().detach().requiresGrad_();
    w.matmul(x.t()).relu().square().mean().backward();
    return w.grad as AnyTensor;
  },
  "a convolution": (x) =>
    conv2d(x.unsqueeze(0).unsqueeze(0), x.narrow(0, 0, 3).narrow(1, 0, 3).reshape([1, 1, 3, 3])),
  "a scan": (x) => cumsum(x.exp(), 1),
  "a sort": (x) => x.sin().sort(1).values,
  integers: (x) =>
    x
      .mul(10)
      .to("int64")
      .remainder(7)
      .mul(arange(x.shape[1] as number)),
};

const bits = (x: AnyTensor): readonly unknown[] => {
  const { buffer, byteOffset, byteLength } = x.toTypedArray();
  // A copy: what is written later shows in the tensor's own.
  return [x.dtype, x.shape, new Uint8Array(buffer, byteOffset, byteLength).slice()];
};

describe("the first and later runs of a program", () => {
  for (const [name, program] of Object.entries(programs))
    for (const fusion of ["on", "none"] as const)
      it(`give the same bits: ${name}${fusion === "none" ? ", unfused" : ""}`, () => {
        setOptions({ fusion });
        const x = columns(60, 150);
        const first = bits(program(x).compute());
        const second = bits(program(x).compute());
        const third = bits(program(x).compute());
        expect(second).toEqual(first);
        expect(third).toEqual(first);
      });
  it("draw the same random numbers", () => {
    const drawn = (): readonly unknown[] => {
      manualSeed(5);
      return bits(randn([70, 80]).mul(2).compute());
    };
    const first = drawn();
    expect(drawn()).toEqual(first);
  });
  it("write in place alike", () => {
    const written = (): readonly unknown[] => {
      const x = columns(60, 150).clone().compute();
      x.mul_(2).exp_();
      x.select(0, 3).sub_(1);
      return bits(x.compute());
    };
    const first = written();
    expect(written()).toEqual(first);
  });
  it("count as one compilation, and are explained by the kernels that go on", () => {
    const x = columns(60, 150);
    const run = (): AnyTensor => softmax(x.mul(3), 1).compute();
    run();
    const { programs } = stats();
    run();
    const { misses, hits } = stats().programs;
    expect([misses, hits]).toEqual([programs.misses, programs.hits + 1]);
    const { emitter, kernels: explained } = softmax(x.mul(3), 1).explain();
    expect(emitter).toBe("wasm");
    expect(explained[0]?.source).toContain("f32x4");
  });
  it("throw the same error, and leave everything usable", () => {
    const x = columns(60, 150);
    const places = tensor([0, 3, 60], { dtype: "int64" });
    const run = (): AnyTensor => x.mul(2).add(1).indexSelect(0, places).exp().compute();
    const message = messageOf(run);
    expect(message).toMatch(/^indexSelect: index 60 is out of bounds/);
    expect(messageOf(run)).toBe(message);
    expect(x.mul(2).add(1).select(0, 3).shape).toEqual([150]);
  });
  it("compute nothing that fails where later runs would not", () => {
    const [x, y] = [arange(200).compute(), arange(200).sub(199).compute()];
    const run = (): AnyTensor =>
      x
        .floorDivide(y)
        .add(1)
        .narrow(0, 0, 199)
        .mul(y.narrow(0, 0, 199))
        .compute();
    const first = bits(run());
    expect(bits(run())).toEqual(first);
  });
  it("give results that are inputs, views of results, numbers, and one another", () => {
    const x = columns(60, 150);
    const run = (): readonly unknown[] => {
      const y = x.mul(2).exp();
      const z = y.sum(1);
      const results = [
        x,
        x.reshape([-1]),
        y,
        y.t(),
        y.reshape([30, 300]),
        z,
        z.expand([2, 60]),
        z.add(y.sum()),
      ];
      compute(...results, full([3, 2], 7.25), arange(4));
      return results.map(bits);
    };
    const first = run();
    expect(run()).toEqual(first);
    expect(run()).toEqual(first);
  });
  it("are quick where ops came before, in whatever program: those are not compiled again", () => {
    const x = columns(60, 150);
    x.mul(2).exp().add(x.sin()).compute();
    const { misses } = stats().kernels;
    x.exp().sin().mul(2).add(x).exp().compute();
    expect(stats().kernels.misses).toBe(misses);
  });
  it("are one miss with the second run, and another for each other way to compile", () => {
    const x = columns(60, 150);
    const run = (options?: { fusion: "none" } | { emitter: "js" }): AnyTensor =>
      x.mul(2).exp().add(x.sin()).compute(options);
    for (let k = 0; k < 3; k++)
      columns(5 + k, 7)
        .mul(2)
        .add(k)
        .compute();
    const before = stats().programs.misses;
    run();
    run();
    expect(stats().programs.misses - before).toBe(1);
    run({ fusion: "none" });
    run({ emitter: "js" });
    expect(stats().programs.misses - before).toBe(3);
    run();
    run({ emitter: "js" });
    expect(stats().programs.misses - before).toBe(3);
  });
  it("are alike where a program comes seldom: nothing is compiled again until its runs have lost enough", () => {
    const x = columns(6, 8);
    const seldom = (): readonly unknown[] => {
      for (let k = 0; k < 20; k++) tensor(k).add(1).compute();
      return bits(x.mul(2).exp().add(x.sin()).sub(x.mean(0)).softmax(1).cumsum(0).compute());
    };
    seldom();
    clearCaches();
    const first = seldom();
    const { misses } = stats().kernels;
    for (let k = 0; k < 3; k++) expect(seldom()).toEqual(first);
    expect(stats().kernels.misses).toBe(misses);
    for (let k = 0; k < 60; k++) expect(seldom()).toEqual(first);
    const made = stats().kernels.misses;
    expect(made).toBeGreaterThan(misses);
    seldom();
    expect(stats().kernels.misses).toBe(made);
  });
  it("go on where a long program comes again soon; a short one is compiled at its second run", () => {
    const x = columns(6, 8);
    const computed = (rounds: number): readonly unknown[] => {
      let y = x;
      for (let k = 0; k < rounds; k++) y = y.sub(y.mean(0)).mul(1.1).tanh().add(x);
      return bits(y.compute());
    };
    const missesOf = (rounds: number, runs: number): number => {
      const { misses } = stats().kernels;
      for (let k = 0; k < runs; k++) expect(computed(rounds)).toEqual(computed(rounds));
      return stats().kernels.misses - misses;
    };
    for (const rounds of [4, 25]) computed(rounds);
    clearCaches();
    for (const rounds of [4, 25]) computed(rounds);
    expect(missesOf(4, 1)).toBeGreaterThan(0);
    expect(missesOf(25, 2)).toBe(0);
    // Each run takes at least a step of the compilation.
    expect(missesOf(25, 150)).toBeGreaterThan(0);
    expect(missesOf(25, 1)).toBe(0);
  });
  it("leave results that are forgotten and computed again as they were", () => {
    const x = columns(100, 150);
    const y = x.mul(3).add(x.sin());
    const z = y.sum(0, { keepdim: true }).add(y);
    compute(z, y);
    const before = [bits(z.clone()), bits(y.clone())];
    const again = x.mul(3).add(x.sin());
    compute(again.sum(0, { keepdim: true }).add(again), again);
    setOptions({ linearBytesLimit: 2 ** 16 });
    for (let k = 0; k < 20; k++) columns(100, 150).mul(k).compute();
    expect([bits(z), bits(y)]).toEqual(before);
  });
  it("are told apart by no one who watches", () => {
    const x = columns(60, 150);
    const emitters = trace(() => softmax(x, 1).compute()).events.flatMap((event) =>
      event.kind === "kernel" ? [event.emitter] : [],
    );
    expect(new Set(emitters)).toEqual(new Set(["wasm"]));
  });
});

describe("a long recording that is not to run op by op", () => {
  /** Programs that run for 90 rounds of six ops on a square of so many rows. */
  const programsFor = (rows: number, options: Parameters<AnyTensor["compute"]>[0] = {}): number => {
    const x = columns(rows, rows);
    let y = x;
    for (let k = 0; k < 90; k++) y = y.sub(y.mean(0)).mul(0.9).tanh().add(x);
    const before = stats().runs.programs;
    y.compute(options);
    return stats().runs.programs - before;
  };

  it("is computed in stages where its tensors are large, or an emitter is asked for", () => {
    expect(programsFor(8)).toBe(1);
    expect(programsFor(300)).toBeGreaterThan(3);
    expect(programsFor(8, { emitter: "js" })).toBeGreaterThan(3);
  });
});
