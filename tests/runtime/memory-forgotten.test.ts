import * as fc from "fast-check";
import {
  type AnyTensor,
  compute,
  fromTypedArray,
  manualSeed,
  ones,
  randn,
  setOptions,
  stats,
  tensor,
} from "fuseau";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { endKeeping, mayBeKept } from "../../packages/runtime/src/memory/kept.ts";
import {
  allowanceFor,
  noteForgotten,
  noteTooLong,
  noteWanted,
} from "../../packages/runtime/src/memory/repeatable.ts";
import { Stay } from "../../packages/runtime/src/memory/stay.ts";

const COUNT = 5_000;
const BYTES = 4 * COUNT;
const numbers = (start = 0): Float32Array => Float32Array.from({ length: COUNT }, (_, k) => start + (k % 97));

const PROGRAMS = Number(process.env.FUSEAU_RUNS ?? 8);
const emitters = ["wasm", "js", "closure"] as const;

beforeEach(() => setOptions({ linearBytesLimit: 3 * BYTES }));
afterEach(() => setOptions({ linearBytesLimit: undefined, emitter: undefined, fusion: undefined }));

describe.each(emitters)("a loop that overwrites its handle (%s)", (emitter) => {
  beforeEach(() => setOptions({ emitter }));

  it("holds a few results, however long it is", () => {
    let x: AnyTensor = tensor(numbers()).add(1).compute();
    let most = 0;
    for (let k = 0; k < 300; k++) {
      x = x.add(1).compute();
      most = Math.max(most, stats().linear.used, stats().results.bytes);
    }
    expect(most).toBeLessThan(5 * BYTES);
    expect(x.toTypedArray()).toEqual(numbers(301));
  });
  it("gives what it gives where everything is kept", () => {
    const run = (): Float32Array => {
      manualSeed(7);
      let x: AnyTensor = tensor(numbers());
      let v: AnyTensor = ones([COUNT]);
      for (let k = 0; k < 40; k++) {
        const force = x.sin().mul(-0.1).compute();
        v = v.add(force).compute();
        const noise = randn([COUNT]).mul(0.01).compute();
        x = x.add(v).add(noise).compute();
      }
      return x.add(v).toTypedArray() as Float32Array;
    };
    const tight = run();
    setOptions({ linearBytesLimit: undefined });
    expect(run()).toEqual(tight);
  });
});

describe("a loop whose results are large", () => {
  const LARGE = 2 ** 18;
  const counts = (steps: number, kept: readonly number[] = []): AnyTensor[] => {
    const found: AnyTensor[] = [];
    let x: AnyTensor = ones([LARGE]).compute();
    for (let k = 1; k <= steps; k++) {
      x = x.add(1).compute();
      if (kept.includes(k)) found.push(x);
    }
    return [...found, x];
  };
  beforeEach(() => setOptions({ linearBytesLimit: 64 * 2 ** 20, emitter: "wasm" }));

  it("copies ever fewer of them to the heap, as long as none is wanted", () => {
    const { movedOut } = stats().results;
    const [x] = counts(1_000);
    expect(stats().results.movedOut - movedOut).toBeLessThan(12);
    expect(x?.slice([0, 1]).toArray()).toEqual([1_001]);
  });
  it("copies as few where states read each other: a run that two results need counts once", () => {
    const { movedOut } = stats().results;
    let [x, v]: AnyTensor[] = [ones([LARGE]).compute(), ones([LARGE]).compute()];
    for (let k = 0; k < 500; k++) {
      v = v!.sub(x!).compute();
      x = x!.add(v).compute();
    }
    expect(stats().results.movedOut - movedOut).toBeLessThan(24);
    // The period of these two numbers is six steps.
    expect([x, v].map((y) => y!.slice([0, 1]).toArray())).toEqual([[0], [-1]]);
  });
  it("repeats each run once for a result that needs it in several ways, and holds no more than the loop did", () => {
    let [x, y]: AnyTensor[] = [ones([LARGE]).compute(), ones([LARGE]).compute()];
    const base = x;
    let early: AnyTensor | null = null;
    for (let k = 0; k < 60; k++) {
      const noise = base!.mul(k % 3).compute();
      [x, y] = [y, x!.add(y!).remainder(7).add(noise).compute()];
      if (k === 20) early = y!;
    }
    const { returned } = stats().results;
    expect(early!.slice([0, 1]).toArray()).toEqual([4]);
    const runs = stats().results.returned - returned;
    expect(runs).toBeGreaterThan(10);
    expect(runs).toBeLessThanOrEqual(42);
    expect(stats().linear.used).toBeLessThan(40 * 2 ** 20);
  });
  it("gives states that are read in turn the room that they need, and no more", () => {
    const states: AnyTensor[] = Array.from({ length: 12 }, () => ones([LARGE]).compute());
    const before = stats().results.returned;
    for (let k = 0; k < 600; k++) {
      const at = k % 12;
      states[at] = states[at]!.add(states[(at + 1) % 12]!)
        .mul(0.5)
        .compute();
    }
    const { room, returned } = stats().results;
    expect(room).toBeLessThan(40 * 2 ** 20);
    expect(returned - before).toBeLessThan(100);
  });
  it("computes what is wanted of them in the room that there is", () => {
    const kept = [30, 350, 600, 900];
    const [first, ...others] = counts(1_000, kept);
    for (const [k, x] of [...others].reverse().entries())
      expect(x.slice([7, 8]).toArray()).toEqual([1 + [1_000, 900, 600, 350][k]!]);
    expect(first?.slice([7, 8]).toArray()).toEqual([31]);
    expect(stats().linear.used).toBeLessThan(100 * 2 ** 20);
  });
});

describe("a loop that reads one array for smaller results", () => {
  const [LENGTH, ROUNDS] = [100_000, 400];
  const source = Float32Array.from({ length: LENGTH }, (_, k) => k % 97);
  const half = (x: AnyTensor, round: number): AnyTensor => x.add(round).slice([null, null, 2]).compute();
  const expected = (round: number): Float32Array =>
    Float32Array.from({ length: LENGTH / 2 }, (_, k) => round + ((2 * k) % 97));
  beforeEach(() => setOptions({ linearBytesLimit: 2 ** 21 }));

  it.each([
    ["tensor", (array: Float32Array): AnyTensor => tensor(array)],
    ["fromTypedArray", (array: Float32Array): AnyTensor => fromTypedArray(array)],
  ] as const)("moves few of them to the heap (%s)", (_, make) => {
    const x = make(source.slice());
    const { movedOut } = stats().results;
    let last = half(x, 0);
    for (let round = 1; round < ROUNDS; round++) last = half(x, round);
    expect(stats().results.movedOut - movedOut).toBeLessThan(8);
    expect(last.toTypedArray()).toEqual(expected(ROUNDS - 1));
  });
  it("gives those that are kept, whatever becomes of the array", () => {
    const lent = source.slice();
    const x = fromTypedArray(lent);
    const kept = Array.from({ length: ROUNDS }, (_, round) => half(x, round));
    x.dispose();
    lent.fill(-1);
    for (const [round, result] of kept.entries())
      if (round % 37 === 0) expect(result.toTypedArray()).toEqual(expected(round));
  });
  it("does not copy an array that is lent for results that together are smaller", () => {
    setOptions({ emitter: "js" });
    const lent = source.slice();
    const x = fromTypedArray(lent);
    const part = (): number => Number(x.slice([0, 5_000]).mul(2).compute().slice([0, 1]).sum().item());
    const before = part();
    for (let round = 0; round < 15; round++) part();
    // By contract nobody does this; here it shows that the array itself is still read.
    lent[0] = 21;
    expect([before, part()]).toEqual([0, 42]);
  });
  it("keeps no more such arrays than its limit", () => {
    const stay = (uses: number): Stay => Object.assign(new Stay(null as never), { uses });
    expect(mayBeKept(stay(1), 100, 100)).toBe(false);
    expect(mayBeKept(stay(9), 100, 10)).toBe(false);
    expect(mayBeKept(stay(3), 2 ** 28, 2 ** 28)).toBe(false);
    const [first, second] = [stay(3), stay(3)];
    const may = (own: Stay, bytes: number): boolean => mayBeKept(own, bytes, 2 ** 26);
    expect([may(first, 2 ** 26), may(second, 2 ** 26 + 1), may(first, 2 ** 26)]).toEqual([true, false, true]);
    endKeeping(first, 2 ** 26);
    expect(may(second, 2 ** 26 + 1)).toBe(true);
    endKeeping(second, 2 ** 26 + 1);
  });
});

describe("what a chain of forgotten results may cost", () => {
  const BYTES_EACH = 2 ** 22;
  afterEach(noteWanted);

  it("grows with what was forgotten since one was asked for", () => {
    noteWanted();
    const least = allowanceFor(BYTES_EACH);
    noteForgotten(2 ** 31);
    expect(allowanceFor(BYTES_EACH)).toBe(2 ** 31);
    noteWanted();
    expect(allowanceFor(BYTES_EACH)).toBe(least);
  });
  it("does not grow while results move: states that read each other would never all have moved", () => {
    noteWanted();
    noteForgotten(2 ** 30);
    noteTooLong(allowanceFor(BYTES_EACH));
    for (let k = 0; k < 20; k++) {
      noteForgotten(2 ** 27);
      expect(allowanceFor(BYTES_EACH)).toBe(2 ** 30);
      noteTooLong(2 ** 30);
    }
    noteForgotten(2 ** 28);
    expect(allowanceFor(BYTES_EACH)).toBe(2 ** 30 + 20 * 2 ** 27 + 2 ** 28);
  });
});

describe("what was forgotten", () => {
  it.each(emitters)("comes back when it is read, in any order (%s)", (emitter) => {
    setOptions({ emitter });
    for (const order of [(k: number) => k, (k: number) => 59 - k, (k: number) => (k * 37) % 60]) {
      const history: AnyTensor[] = [];
      let x: AnyTensor = tensor(numbers());
      for (let k = 0; k < 60; k++) {
        x = x.add(1).compute();
        history.push(x);
      }
      const { returned } = stats().results;
      for (let k = 0; k < 60; k++)
        expect(history[order(k)]?.slice([0, 2]).toArray()).toEqual([order(k) + 1, order(k) + 2]);
      expect(stats().results.returned).toBeGreaterThan(returned);
    }
  });
  it("makes room for more, once it was wanted again", () => {
    setOptions({ linearBytesLimit: 2 ** 28, emitter: "wasm" });
    const large = (): AnyTensor =>
      ones([2 ** 19])
        .add(ones([2 ** 19]))
        .compute();
    const kept = Array.from({ length: 16 }, large);
    let before = stats().results;
    for (let round = 0; round < 20; round++) {
      if (round === 19) before = stats().results;
      for (let k = 0; k < kept.length; k++) kept[k] = kept[k]!.add(1).compute();
    }
    expect(stats().results.returned).toBe(before.returned);
    expect(stats().results.room).toBeGreaterThan(before.bytes / 2);
    for (const x of kept) expect(x.slice([0, 1]).toArray()).toEqual([22]);
  });
  it("is there when what it was computed from was disposed of", () => {
    const x = tensor(numbers()).mul(2).compute();
    const y = x.add(1).compute();
    crowd();
    x.dispose();
    crowd();
    expect(y.slice([0, 3]).toArray()).toEqual([1, 3, 5]);
    expect(() => x.toArray()).toThrow(/given back by dispose\(\)/);
  });
  it("is there when what it was computed from was written over", () => {
    const x = tensor(numbers()).mul(2).compute();
    const y = x.add(1).compute();
    crowd();
    x.add_(100).compute();
    crowd();
    expect(y.slice([0, 3]).toArray()).toEqual([1, 3, 5]);
    expect(x.slice([0, 3]).toArray()).toEqual([100, 102, 104]);
  });
  it("does not read a lent array that its owner has back", () => {
    const lent = numbers();
    const results: AnyTensor[] = [];
    for (let k = 0; k < 20; k++) {
      lent.fill(k);
      results.push(fromTypedArray(lent).add(1).compute());
    }
    const same = fromTypedArray(lent.fill(100));
    for (let k = 0; k < 20; k++) results.push(same.add(k).compute());
    lent.fill(-1);
    crowd();
    results.forEach((x, k) => {
      expect(x.slice([0, 1]).toArray()).toEqual([k < 20 ? k + 1 : 80 + k]);
    });
  });
  it("is all results of a run, when one of them is wanted", () => {
    const x = tensor(numbers());
    const [a, b] = [x.add(1), x.mul(2)];
    compute(a, b);
    crowd();
    const { returned } = stats().results;
    expect([a, b].map((y) => y.slice([1, 2]).toArray())).toEqual([[2], [2]]);
    expect(stats().results.returned).toBeLessThanOrEqual(returned + 1);
  });
  it("is nothing that would take long to compute again: that moves to the heap", () => {
    setOptions({ emitter: "wasm" });
    const a = ones([512, 512]).mul(0.5).compute();
    const product = a.matmul(a).compute();
    const { movedOut } = stats().results;
    crowd();
    expect(stats().results.movedOut).toBeGreaterThan(movedOut);
    expect(product.slice([0, 1], [0, 1]).toArray()).toEqual([[128]]);
  });
  it("takes no memory of what was read: an array that a reader had stays as it is", () => {
    setOptions({ emitter: "js" });
    const x = tensor(numbers()).mul(2).compute();
    const array = x.toTypedArray();
    const nested = x.toArray();
    crowd();
    expect(array.slice(0, 3)).toEqual(Float32Array.of(0, 2, 4));
    expect(x.toArray()).toEqual(nested);
  });
});

/** Computes so much else that nothing from before has room. */
function crowd(): void {
  for (let k = 0; k < 8; k++) tensor(numbers(k)).add(k).compute();
}

/** What may happen to a few tensors; each number picks among them. */
const step = fc.oneof(
  fc.record({
    kind: fc.constantFrom("add", "mul", "sin", "reversed", "noise", "lent"),
    at: fc.nat(5),
    of: fc.nat(5),
  }),
  fc.record({
    kind: fc.constantFrom("addInPlace", "writePart", "dispose", "view", "scalar", "pair"),
    at: fc.nat(5),
    of: fc.nat(5),
  }),
);

describe("any program", () => {
  it.each(emitters)("reads what it read when nothing was forgotten (%s)", (emitter) => {
    const programs = fc.property(fc.array(step, { maxLength: 30, size: "max" }), (steps) => {
      setOptions({ linearBytesLimit: 2 * BYTES, emitter });
      const tight = perform(steps);
      setOptions({ linearBytesLimit: undefined });
      expect(tight).toEqual(perform(steps));
    });
    void fc.assert(programs, { numRuns: PROGRAMS });
  });
});

function perform(steps: readonly { kind: string; at: number; of: number }[]): unknown[] {
  manualSeed(3);
  const seen: unknown[] = [];
  const lent = numbers();
  const slots: AnyTensor[] = Array.from({ length: 6 }, (_, k) => tensor(numbers(k)).mul(0.5).compute());
  const first = (x: AnyTensor): unknown => x.slice([0, 3]).toArray();
  for (const { kind, at, of } of steps) {
    const [x, y] = [slots[at]!, slots[of]!];
    switch (kind) {
      case "add":
        slots[at] = x.add(y).compute();
        break;
      case "mul":
        slots[at] = x.mul(0.75).sub(y).compute();
        break;
      case "sin":
        slots[at] = y.sin().compute();
        break;
      case "reversed":
        slots[at] = y.flip(0).compute();
        break;
      case "noise":
        slots[at] = x.add(randn([COUNT])).compute();
        break;
      case "lent":
        lent.fill(of);
        slots[at] = fromTypedArray(lent).add(x).compute();
        lent.fill(-1);
        break;
      case "addInPlace":
        x.add_(y.mul(0.5));
        x.compute();
        break;
      case "writePart":
        x.slice([0, 100]).add_(1);
        x.compute();
        break;
      case "dispose": {
        const fresh = x.add(1).compute();
        x.dispose();
        for (let k = 0; k < slots.length; k++) if (slots[k] === x) slots[k] = fresh;
        break;
      }
      case "view":
        slots[at] = y.slice([0, 2_500]).repeat([2]).compute();
        break;
      case "pair": {
        const [sum, product] = [x.add(y), x.mul(0.5)];
        compute(sum, product);
        slots[at] = sum;
        slots[of] = product;
        break;
      }
      default:
        seen.push(first(x));
    }
  }
  return [...seen, ...slots.map((x) => x.toTypedArray())];
}
