/** Loops that are recorded whole are compiled a few rounds at a time: what they give does not change, and it takes few programs. */
import {
  type AnyTensor,
  autograd,
  clearCaches,
  compute,
  fromTypedArray,
  getOptions,
  jit,
  manualSeed,
  minimum,
  noGrad,
  rand,
  randint,
  setOptions,
  stack,
  stats,
  tensor,
  where,
  zeros,
} from "fuseau";
import { GRU, Linear, LSTM, LSTMCell } from "fuseau/nn";
import { Adam } from "fuseau/optim";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { computeRounds } from "../../packages/runtime/src/execute/compute.ts";
import { unwrap } from "../../packages/runtime/src/tensor/handle.ts";
import { lookForParts } from "../compiled-whole.ts";

lookForParts();

const numbers = (count: number): Float32Array =>
  Float32Array.from({ length: count }, (_, k) => ((k * 7919) % 997) / 499 - 1);
const given = (...shape: number[]): AnyTensor =>
  fromTypedArray(numbers(shape.reduce((a, b) => a * b, 1)), { shape });

type State = readonly AnyTensor[];

/** What a loop begins with, and a round of it. */
interface Loop {
  readonly begin: () => State;
  readonly round: (state: State, k: number) => State;
}

const plate = given(24, 24);
const weight = given(6, 6).div(4).compute();
const rows = given(400, 6);
const table = tensor([5, 3, 0, 1, 4, 2], { dtype: "int64" });

const loops: Readonly<Record<string, Loop>> = {
  "heat by rolls": {
    begin: () => [plate],
    round: ([u]) => [
      u!.add(
        u!.roll(1, 0).add(u!.roll(-1, 0)).add(u!.roll(1, 1)).add(u!.roll(-1, 1)).sub(u!.mul(4)).mul(0.1),
      ),
    ],
  },
  "softmax of a state": {
    begin: () => [plate],
    round: ([x]) => [x!.softmax(-1).mul(x!.sin()).add(x!.mean())],
  },
  "positions and velocities": {
    begin: () => [given(8, 3), zeros([8, 3])],
    round: ([p, v]) => {
      const apart = p!.unsqueeze(0).sub(p!.unsqueeze(1));
      const pull = apart.mul(apart.square().sum(-1, { keepdim: true }).add(0.1).rsqrt()).sum(1);
      const speed = v!.add(pull.mul(0.01));
      return [p!.add(speed.mul(0.01)), speed];
    },
  },
  "a recurrent layer over rows of what is given": {
    begin: () => [zeros([6])],
    round: ([h], k) => [h!.unsqueeze(0).matmul(weight).squeeze(0).add(rows.select(0, k)).tanh()],
  },
  "shortest paths": {
    begin: () => [plate.abs()],
    round: ([d], k) => [
      minimum(
        d!,
        d!
          .select(1, k % 24)
          .unsqueeze(1)
          .add(d!.select(0, k % 24).unsqueeze(0)),
      ),
    ],
  },
  lookups: {
    begin: () => [given(6, 4)],
    round: ([x], k) => [where(x!.gt(0), x!.indexSelect(0, table), x!.cumsum(0).mul(0.5)).sub(k % 3)],
  },
  "places and numbers that are drawn": {
    begin: () => {
      manualSeed(5);
      return [plate];
    },
    round: ([x]) => {
      const at = randint(0, 24, [24, 1]);
      const energy = x!.matmul(plate).gather(1, at).mul(0.1);
      return [x!.scatter(1, at, where(rand([24, 1]).lt(energy.exp()), x!.gather(1, at).neg(), energy))];
    },
  },
  "numbers that are others in each round": {
    begin: () => [plate],
    round: ([x], k) => [
      x!
        .add(x!.roll(1, 0).mul(0.3 / (k + 7)))
        .mul(1 - 0.11 / (k + 3))
        .sub(x!.mean(1, { keepdim: true })),
    ],
  },
  "an integrator of three parts": {
    begin: () => [given(3, 50)],
    round: ([s]) => {
      const slope = (q: AnyTensor): AnyTensor => {
        const [x, y, z] = q.unbind(0) as [AnyTensor, AnyTensor, AnyTensor];
        return stack([y.sub(x).mul(10), x.mul(z.neg().add(28)).sub(y), x.mul(y).sub(z.mul(8 / 3))]);
      };
      const half = slope(s!);
      return [s!.add(slope(s!.add(half.mul(0.002))).mul(0.004))];
    },
  },
};

function run({ begin, round }: Loop, rounds: number, each: (state: State) => void = () => {}): State {
  let state = begin();
  for (let k = 0; k < rounds; k++) {
    state = round(state, k);
    each(state);
  }
  return state;
}

const bits = (state: State): unknown => {
  compute(...(state as [AnyTensor]));
  return state.map((each) => each.toTypedArray());
};

// By choice short programs and long ones may run on different emitters, whose sums have orders of their own.
beforeEach(() => {
  clearCaches();
  setOptions({ emitter: "wasm" });
});
afterAll(() => setOptions({ emitter: undefined }));

describe.each(Object.entries(loops))("%s", (_, loop) => {
  it.each([
    [40, "wasm"],
    [150, "wasm"],
    [40, "js"],
  ] as const)("gives in %i rounds at once what it gives round by round, by %s", (rounds, emitter) => {
    setOptions({ emitter });
    const byRound = bits(run(loop, rounds, (state) => compute(...(state as [AnyTensor]))));
    expect(bits(run(loop, rounds))).toEqual(byRound);
    // Once more, with programs that are known.
    expect(bits(run(loop, rounds))).toEqual(byRound);
  });
  it("takes as many programs and kernels for 300 rounds as for 200", () => {
    const made = (rounds: number): number[] => {
      clearCaches();
      const before = stats();
      bits(run(loop, rounds));
      const after = stats();
      return [
        after.programs.misses - before.programs.misses,
        after.kernels.misses - before.kernels.misses,
        after.programs.bytes,
      ];
    };
    const [few, many] = [made(200), made(300)];
    expect(many[0]).toBeLessThanOrEqual(few[0]! + 2);
    expect(many[0]).toBeLessThanOrEqual(12);
    expect(many[1]).toBeLessThanOrEqual(few[1]! + 12);
    expect(many[2]).toBeLessThanOrEqual(1.35 * few[2]!);
  });
});

it("shares the programs of a loop that comes with any number of rounds", () => {
  const plate = given(128, 128);
  const heated = (rounds: number): AnyTensor => {
    let u = plate;
    for (let k = 0; k < rounds; k++)
      u = u.add(u.roll(1, 0).add(u.roll(-1, 0)).add(u.roll(1, 1)).add(u.roll(-1, 1)).sub(u.mul(4)).mul(0.1));
    return u.sum();
  };
  clearCaches();
  const before = stats().programs.misses;
  for (let k = 0; k < 24; k++) heated(60 + ((k * 97) % 241)).item();
  expect(stats().programs.misses - before).toBeLessThanOrEqual(7);
  const whole = jit(heated, { static: [0] });
  expect(heated(131).item()).toBe(whole(131).item());
});

describe("rounds that leave something behind", () => {
  const trail = (rounds: number, each: boolean): AnyTensor => {
    let score: AnyTensor = rows.select(0, 0);
    const best: AnyTensor[] = [];
    for (let k = 1; k < rounds; k++) {
      const { values, indices } = score.unsqueeze(1).add(weight).max(0);
      score = values.add(rows.select(0, k));
      if (each) score.compute();
      best.push(indices);
    }
    return stack(best);
  };
  it("are read at the end, as they were", () => {
    expect(trail(300, false).toTypedArray()).toEqual(trail(300, true).toTypedArray());
  });
  it("may be wanted themselves", () => {
    const states: AnyTensor[] = [];
    run(loops["heat by rolls"]!, 60, ([u]) => void states.push(u!));
    const wanted = [states[10]!, states[31]!, states[59]!];
    compute(...(wanted as [AnyTensor]));
    const again: AnyTensor[] = [];
    run(loops["heat by rolls"]!, 60, ([u]) => void again.push(u!.compute()));
    expect(wanted.map((each) => each.toTypedArray())).toEqual(
      [10, 31, 59].map((k) => again[k]!.toTypedArray()),
    );
  });
});

it("leaves rounds together that are pointwise and large: one loop does all of them", () => {
  let x: AnyTensor = given(1_000_000);
  for (let k = 0; k < 200; k++) x = x.mul(0.99).add(k);
  const before = stats().programs.misses;
  x.compute();
  expect(stats().programs.misses - before).toBe(1);
});

it("computes rounds in stages that are pointwise and small: to compile one loop of them all would take longer", () => {
  const average = (each: boolean): AnyTensor => {
    const samples = given(1_000);
    let mean: AnyTensor = zeros([20]);
    for (let k = 0; k < 1_000; k++) {
      mean = mean.mul(0.9).add(samples.slice([k % 900, (k % 900) + 20]).mul(0.1));
      if (each) mean.compute();
    }
    return mean.compute();
  };
  clearCaches();
  const before = stats().programs.misses;
  const mean = average(false);
  expect(stats().programs.misses - before).toBeLessThanOrEqual(4);
  expect(stats().programs.bytes + stats().kernels.bytes).toBeLessThan(6 * 2 ** 20);
  expect(mean.toTypedArray()).toEqual(average(true).toTypedArray());
});

it("lets what is written in place between rounds be as it was when it was read", () => {
  const loop = (each: boolean): AnyTensor => {
    const state = plate.clone();
    let sum: AnyTensor = zeros([24]);
    for (let k = 0; k < 80; k++) {
      sum = sum.add(state.roll(1, 0).sum(0));
      state.mul_(0.9).add_(state.roll(1, 1));
      if (each) compute(state, sum);
    }
    return sum;
  };
  expect(loop(false).toTypedArray()).toEqual(loop(true).toTypedArray());
});

it("differentiates through rounds that are computed in stages", () => {
  const gradient = (each: boolean): AnyTensor => {
    const w = weight.clone().compute().requiresGrad_();
    let h: AnyTensor = zeros([6]);
    for (let k = 0; k < 60; k++) {
      h = h.unsqueeze(0).matmul(w).squeeze(0).add(rows.select(0, k)).tanh();
      if (each) noGrad(() => h.compute());
    }
    h.square().sum().backward();
    return w.grad as AnyTensor;
  };
  expect(gradient(false).toTypedArray()).toEqual(gradient(true).toTypedArray());
});

describe("a recurrent network that is trained", () => {
  type Made = { readonly parameters: readonly AnyTensor[]; loss(steps: number): AnyTensor };
  const made = (): Made => {
    manualSeed(3);
    const net = new LSTM(5, 6);
    const head = new Linear(6, 3);
    return {
      parameters: [...net.parameters(), ...head.parameters()],
      loss(steps) {
        const [states] = net.forward(given(steps, 4, 5) as never) as unknown as readonly [AnyTensor];
        return (head.forward(states as never) as AnyTensor).square().mean();
      },
    };
  };
  const gradients = (steps: number): unknown => {
    const { parameters, loss } = made();
    loss(steps).backward();
    return parameters.map(({ grad }) => (grad as AnyTensor).toTypedArray());
  };
  it("has the gradients of one program for all steps", () => {
    const staged = gradients(40);
    const { parameters, loss } = made();
    const whole = jit(() => autograd.grad([loss(40)], parameters as never));
    expect(staged).toEqual((whole() as readonly AnyTensor[]).map((each) => each.toTypedArray()));
  });
  it("is compiled once for many steps, forwards and backwards", () => {
    const programs = (steps: number): number => {
      clearCaches();
      const before = stats().programs.misses;
      gradients(steps);
      return stats().programs.misses - before;
    };
    expect(programs(120)).toBeLessThanOrEqual(programs(80) + 3);
    expect(programs(120)).toBeLessThanOrEqual(32);
  });
});

describe("a recurrent network that is trained on sequences of any length", () => {
  const made = () => {
    manualSeed(5);
    const net = new GRU(5, 6);
    const head = new Linear(6, 3);
    return { net, head, parameters: [...net.parameters(), ...head.parameters()] };
  };
  const gradients = ({ net, head, parameters }: ReturnType<typeof made>, steps: number): AnyTensor[] => {
    const [states] = net.forward(given(steps, 4, 5) as never) as unknown as readonly [AnyTensor];
    const loss = (head.forward(states as never) as AnyTensor).square().mean();
    return [...autograd.grad([loss], parameters as never)] as AnyTensor[];
  };

  it("shares its programs among lengths", () => {
    const network = made();
    const misses = (lengths: readonly number[]): number => {
      const before = stats().programs.misses;
      for (const length of lengths) compute(...(gradients(network, length) as [AnyTensor]));
      return stats().programs.misses - before;
    };
    misses([20, 27, 22, 25, 21, 26, 23, 30]);
    expect(misses([24, 28, 29, 19, 18, 31])).toBeLessThanOrEqual(4);
  });

  it.each([
    ["of one length", [17], 2],
    ["of several", [17, 24], 64],
  ] as const)(
    "is one program once recordings %s have come often, with the same bits",
    (_, lengths, times) => {
      clearCaches();
      const network = made();
      const whole = jit((length: number) => gradients(network, length), { static: [0] });
      const expected = lengths.map((length) => whole(length).map((each) => each.toTypedArray()));
      const runs = lengths.map((): number[] => []);
      for (let k = 0; k < times + 2; k++)
        for (const [which, length] of lengths.entries()) {
          const before = stats().runs.programs;
          const found = gradients(network, length);
          compute(...(found as [AnyTensor]));
          runs[which]!.push(stats().runs.programs - before);
          if (k % 23 < 3) expect(found.map((each) => each.toTypedArray())).toEqual(expected[which]);
        }
      for (const own of runs) {
        expect(own[0]).toBeGreaterThan(10);
        expect(own.at(-1)).toBe(1);
      }
      expect(runs.at(-1)![times - 1]).toBeGreaterThan(10);
    },
  );
});

describe("a cell that goes along a sequence of any length", () => {
  // All products of the steps are recorded in front of the loop that reads them.
  const last = (cell: LSTMCell, x: AnyTensor): AnyTensor => {
    let [h, c] = [zeros([4, 6]), zeros([4, 6])] as AnyTensor[];
    for (let t = 0; t < x.shape[1]!; t++)
      [h, c] = cell.forward(x.select(1, t) as never, [h, c] as never) as unknown as [AnyTensor, AnyTensor];
    return h as AnyTensor;
  };
  const cellOf = (): LSTMCell => {
    manualSeed(7);
    return new LSTMCell(5, 6);
  };

  it.each([
    ["that is given", (length: number) => given(4, length, 5)],
    ["that is computed with it", (length: number) => rand([4, length, 5]) as AnyTensor],
  ])("%s shares its programs among lengths", (_, input) => {
    clearCaches();
    const cell = cellOf();
    const misses = (lengths: readonly number[]): number => {
      const before = stats().programs.misses;
      for (const length of lengths) noGrad(() => last(cell, input(length))).compute();
      return stats().programs.misses - before;
    };
    misses([20, 27, 22, 25, 21, 26, 23, 30, 36, 33, 39]);
    expect(misses([24, 28, 29, 19, 18, 31, 34, 35, 37, 38])).toBeLessThanOrEqual(3);
  });

  it("is trained by programs that lengths share", () => {
    clearCaches();
    const cell = cellOf();
    const parameters = [...cell.parameters()];
    const misses = (lengths: readonly number[]): number => {
      const before = stats().programs.misses;
      for (const length of lengths)
        compute(
          ...(autograd.grad(
            [
              last(cell, given(4, length, 5))
                .square()
                .mean(),
            ],
            parameters as never,
          ) as [AnyTensor]),
        );
      return stats().programs.misses - before;
    };
    misses([20, 27, 22, 25, 21, 26, 23, 30, 19]);
    expect(misses([24, 28, 29, 18, 17, 31])).toBeLessThanOrEqual(10);
  });

  it("has the bits of one program", () => {
    const cell = cellOf();
    const whole = jit((x: AnyTensor) => noGrad(() => last(cell, x)));
    for (const length of [17, 23, 30])
      expect(noGrad(() => last(cell, given(4, length, 5))).toTypedArray()).toEqual(
        (whole(given(4, length, 5)) as AnyTensor).toTypedArray(),
      );
  });
});

it("does not fail at a member of a list that nobody reads", () => {
  const beyond = tensor([9, 0, 1, 2, 3, 4], { dtype: "int64" });
  for (let times = 0; times < 3; times++) {
    const list: AnyTensor[] = [];
    let x: AnyTensor = given(6, 6);
    for (let k = 0; k < 24; k++) {
      x = x.matmul(weight).tanh().add(x.cumsum(0).mul(0.1)).sub(x.mean()).softmax(-1).add(x.mul(0.5));
      list.push(x.indexSelect(0, k === 23 ? beyond : table).sum(0));
    }
    const before = stats().runs.programs;
    expect(stack(list).select(0, 3).toTypedArray()).toHaveLength(6);
    expect(stats().runs.programs - before).toBeGreaterThan(1);
  }
});

it("leaves a long loop in stages, however often it comes with a short one", () => {
  const step = (longRounds: number): number => {
    const before = stats().runs.programs;
    let x: AnyTensor = given(6, 6);
    for (let k = 0; k < longRounds; k++) x = x.matmul(weight).tanh().softmax(-1);
    // A round goes along the rows, and keeps six values for later.
    const kept: AnyTensor[][] = Array.from({ length: 6 }, () => []);
    for (let k = 0; k < 12; k++) {
      const gates = Array.from({ length: 5 }, (_, gate) =>
        x.matmul(weight).add(rows.select(0, k)).mul(gate).sin(),
      );
      x = gates.reduce((sum, gate) => sum.add(gate)).tanh();
      for (const [which, value] of [...gates, x].entries()) kept[which]!.push(value);
    }
    stack(kept.map((list) => stack(list).cumsum(0)))
      .sum()
      .item();
    return stats().runs.programs - before;
  };
  const often = (longRounds: number): number[] => Array.from({ length: 8 }, () => step(longRounds));
  const [together, alone] = [often(60), often(0)];
  expect(together.at(-1)).toBeGreaterThan(4);
  expect(alone[0]).toBeGreaterThan(4);
  expect(alone.at(-1)).toBe(1);
});

it("computes no value of a later stage that nobody asks for any more", () => {
  const net = new GRU(16, 32, { batchFirst: true });
  const head = new Linear(32, 5);
  const optimizer = new Adam([...net.parameters(), ...head.parameters()]);
  for (const steps of [20, 37, 54, 30, 47]) {
    optimizer.zeroGrad();
    const [states] = net.forward(given(8, steps, 16) as never) as unknown as readonly [AnyTensor];
    const loss = (head.forward(states as never) as AnyTensor).square().mean();
    loss.backward();
    optimizer.step();
    expect(loss.item()).toBeGreaterThan(0);
  }
});

it("names the line of an index that is out of range in a round", () => {
  let x: AnyTensor = given(6, 4);
  for (let k = 0; k < 100; k++) {
    const index = k === 70 ? tensor([9, 0, 1, 2, 3, 4], { dtype: "int64" }) : table;
    x = x.indexSelect(0, index).cumsum(0).mul(0.3);
  }
  expect(() => x.compute()).toThrow(/index 9 is out of (range|bounds)/);
});

describe("a view behind many views", () => {
  const views: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
    "of transposes": (x) => Array.from({ length: 300 }).reduce((y: AnyTensor) => y.t(), x),
    "of ever shorter slices": (x) =>
      Array.from({ length: 300 }).reduce((y: AnyTensor) => y.slice([1, y.shape[0] as number]), x),
    "of a loop's state": (x) => {
      let y = x;
      for (let k = 0; k < 100; k++) y = y.matmul(weight).tanh();
      for (let k = 0; k < 300; k++) y = y.t();
      return y;
    },
  };
  it.each(Object.entries(views))("%s is read", (_, view) => {
    const x = given(400, 6).clone();
    expect(view(x).toArray()).toEqual(view(x).compute({ fusion: "none" }).toArray());
  });
});

it("rounds that are computed early leave joined lists behind", () => {
  const w = given(6, 6).div(8).compute().requiresGrad_();
  let x: AnyTensor = zeros([2, 6]);
  for (let k = 0; k < 400; k++) x = x.matmul(w).add(rows.select(0, k)).tanh();
  x.sum().backward();
  const gradient = w.grad as AnyTensor;
  computeRounds([unwrap(gradient)], { ...getOptions() });
  const beneath = new Set([unwrap(gradient)]);
  for (const { storage, inputs } of beneath)
    if (storage === null) for (const input of inputs) beneath.add(input);
  expect(beneath.size).toBeLessThan(200);
  expect(gradient.isfinite().all().item()).toBe(true);
});
