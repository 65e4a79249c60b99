/** Many tensors whose sizes change independently: joined, padded to a batch, or written into one tensor. */
import { type AnyTensor, cat, clearCaches, fromTypedArray, setOptions, stack, stats, zeros } from "fuseau";
import * as nn from "fuseau/nn";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

beforeEach(() => clearCaches());
afterEach(() => setOptions({ emitter: undefined, fusion: undefined }));

const COUNT = 6;
type Row = readonly [number, number];
/** Lengths from 1 to 17, in no order. */
const lengthsAt = (round: number): number[] =>
  Array.from({ length: COUNT }, (_, k) => 1 + ((round * round * 7 + k * k * 31 + round * (k + 3) * 5) % 17));
const rowsOf = (length: number, k: number): Row[] =>
  Array.from({ length }, (_, i) => [i + k / 4, ((i * 7 + k) % 5) - 2]);
const tensorOf = (rows: readonly Row[]): AnyTensor =>
  fromTypedArray(Float32Array.from(rows.flat())).reshape([-1, 2]);

const sumOf = (rows: readonly Row[]): Row => rows.reduce<Row>(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
const padded = (rows: readonly Row[], length: number): Row[] => [
  ...rows,
  ...Array.from({ length: length - rows.length }, (): Row => [0, 0]),
];
const doubled = (rows: readonly Row[]): Row[] => rows.map(([a, b]) => [2 * a, 2 * b]);

const loops: Readonly<
  Record<string, readonly [(xs: AnyTensor[]) => AnyTensor, (lists: Row[][]) => unknown]>
> = {
  joined: [(xs) => cat(xs), (lists) => lists.flat()],
  "joined and summed": [(xs) => cat(xs).sum(0), (lists) => sumOf(lists.flat())],
  "computed, joined and read": [
    (xs) => cat(xs.map((x) => x.mul(2))).add(1),
    (lists) => doubled(lists.flat()).map(([a, b]) => [a + 1, b + 1]),
  ],
  "made of one tensor": [
    (xs) => {
      const all = cat(xs).mul(2);
      return cat(xs.map((x) => all.slice([0, x.shape[0]!])));
    },
    (lists) => {
      const all = doubled(lists.flat());
      return lists.flatMap((list) => all.slice(0, list.length));
    },
  ],
  "sums of each": [(xs) => stack(xs.map((x) => x.sum(0))), (lists) => lists.map(sumOf)],
  "padded to a batch": [
    (xs) => nn.utils.padSequence(xs, { batchFirst: true }),
    (lists) => lists.map((list) => padded(list, Math.max(...lists.map(({ length }) => length)))),
  ],
  "written into a batch": [
    (xs) => {
      const batch = zeros([COUNT, 17, 2]);
      for (const [k, x] of xs.entries()) batch.assign_([k, [0, x.shape[0]!]], x);
      return batch;
    },
    (lists) => lists.map((list) => padded(list, 17)),
  ],
};
const ROUNDS = 60;

describe.each(Object.entries(loops))("%s", (_, [make, plain]) => {
  it.each([{}, { emitter: "wasm" }, { fusion: "none" }] as const)("%o: a few programs", (options) => {
    setOptions(options);
    const faults = stats().faults.count;
    let late = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const lists = lengthsAt(round).map(rowsOf);
      const xs = lists.map(tensorOf);
      const before = stats().programs.misses;
      expect(make(xs).toArray()).toEqual(plain(lists));
      if (round >= ROUNDS / 2) late += stats().programs.misses - before;
    }
    expect(late).toBeLessThan(ROUNDS / 3);
    expect(stats().faults.count).toBe(faults);
  });
});

it.each<[string, (all: AnyTensor, next: AnyTensor) => AnyTensor]>([
  ["behind", (all, next) => cat([all, next])],
  ["in front of", (all, next) => cat([next, all])],
])("pieces of any lengths that are joined %s each other are a few programs", (where, join) => {
  let seed = 1;
  const drawn = (): number => {
    seed = (seed * 48_271) % 0x7fffffff;
    return seed;
  };
  let late = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const pieces = Array.from({ length: 5 }, () => Float32Array.from({ length: 1 + (drawn() % 60) }, drawn));
    const before = stats().programs.misses;
    const joined = pieces.map((piece) => fromTypedArray(piece).neg() as AnyTensor).reduce(join);
    const inOrder = where === "behind" ? pieces : [...pieces].reverse();
    const plain = Float32Array.from(inOrder.flatMap((piece) => [...piece]));
    expect(joined.neg().toTypedArray()).toEqual(plain);
    if (round >= ROUNDS / 2) late += stats().programs.misses - before;
  }
  expect(late).toBeLessThan(ROUNDS / 6);
});

it("what is joined with itself again and again is not looked into", () => {
  let [empty, one] = [zeros([0, 2]).neg(), zeros([1]).add(1)] as AnyTensor[];
  for (let k = 0; k < 40; k++) empty = cat([empty!, empty!]);
  for (let k = 0; k < 20; k++) one = cat([one!, one!]);
  expect(empty!.toArray()).toEqual([]);
  expect(one!.sum().item()).toBe(2 ** 20);
});

it("gradients flow through what is joined one by one", () => {
  for (let round = 0; round < 30; round++) {
    const lists = lengthsAt(round).map(rowsOf);
    const xs = lists.map((list) => tensorOf(list).requiresGrad_());
    const all = cat(xs.map((x) => x.square()));
    all.toArray();
    all.sum().backward();
    for (const [k, x] of xs.entries()) expect(x.grad?.toArray()).toEqual(doubled(lists[k]!));
  }
});

it("what reads the joined tensor, or one of those, is computed after that was disposed of", () => {
  for (let round = 0; round < 30; round++) {
    const lists = lengthsAt(round).map(rowsOf);
    const made = lists.map((list) => tensorOf(list).mul(2));
    const all = cat(made);
    all.sum(0).toArray();
    const readers = [all.add(1), made[1]!.add(1)];
    for (const tensor of [all, made[1]!]) tensor.dispose();
    expect(readers.map((reader) => reader.toArray())).toEqual(
      [lists.flat(), lists[1]!].map((list) => doubled(list).map((row) => row.map((x) => x + 1))),
    );
  }
});

it("writes of fixed lengths are a few programs, however many they are", () => {
  const xs = Array.from({ length: 64 }, (_, k) => tensorOf(rowsOf(1 + ((k * k * 7) % 17), k)));
  const round = (): AnyTensor => {
    const batch = zeros([64, 17, 2]);
    for (const [k, x] of xs.entries()) batch.assign_([k, [0, x.shape[0]!]], x);
    return batch.sum(0).compute();
  };
  for (let k = 0; k < 16; k++) round();
  const { runs, programs } = stats();
  round();
  expect(stats().programs.misses).toBe(programs.misses);
  expect(stats().runs.programs - runs.programs).toBeLessThan(20);
});

it("lists of the same lengths are one program", () => {
  const xs = lengthsAt(3).map(rowsOf).map(tensorOf);
  cat(xs).sum(0).compute();
  cat(xs).sum(0).compute();
  const before = stats().programs.misses;
  for (let round = 0; round < 20; round++) cat(xs).sum(0).compute();
  expect(stats().programs.misses).toBe(before);
});
