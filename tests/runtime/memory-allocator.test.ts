import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Allocator } from "../../packages/runtime/src/memory/allocator.ts";
import { holds } from "./rows.ts";

const START = 64;
const END = 2 ** 32 - 65_536;
const SLACK = 64;

interface Held {
  readonly record: number;
  readonly pointer: number;
  readonly bytes: number;
}

/** What is done: blocks of so many bytes taken, or a block given back (by its place among those held). */
const sizes = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2 ** 24 }));
const steps = fc.array(fc.oneof(fc.record({ take: sizes }), fc.record({ give: fc.nat() })), {
  maxLength: 200,
  size: "max",
});

/** Does it all; `check` sees what is held after each step. */
function perform(
  allocator: Allocator,
  todo: readonly ({ take: number } | { give: number })[],
  check: (held: readonly Held[]) => void,
): Held[] {
  const held: Held[] = [];
  for (const step of todo) {
    if ("take" in step) {
      const record = allocator.take(step.take);
      expect(record).toBeGreaterThanOrEqual(0);
      held.push({ record, pointer: allocator.pointerOf(record), bytes: step.take });
    } else if (held.length > 0) {
      const [block] = held.splice(step.give % held.length, 1) as [Held];
      allocator.give(block.record);
    }
    check(held);
  }
  return held;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

describe("blocks", () => {
  it("never overlap, begin at cache lines and have their slack", () => {
    holds(
      fc.property(steps, (todo) => {
        perform(new Allocator(START, END), todo, (held) => {
          const sorted = [...held].sort((a, b) => a.pointer - b.pointer);
          let end = START;
          for (const { pointer, bytes } of sorted) {
            expect(pointer % 64).toBe(0);
            expect(pointer).toBeGreaterThanOrEqual(end);
            end = pointer + bytes + SLACK;
          }
          expect(end).toBeLessThanOrEqual(END);
        });
      }),
    );
  });
  it("leave nothing behind when all are given back, in whatever order", () => {
    holds(
      fc.property(steps, fc.infiniteStream(fc.nat()), (todo, order) => {
        const allocator = new Allocator(START, END);
        const held = perform(allocator, todo, () => {});
        while (held.length > 0) {
          const [block] = held.splice(order.next().value % held.length, 1) as [Held];
          allocator.give(block.record);
        }
        expect([allocator.taken, allocator.frontier]).toEqual([0, START]);
      }),
    );
  });
  it("lose at most a sixteenth and ten cache lines to rounding", () => {
    holds(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (bytes) => {
        const allocator = new Allocator(START, END);
        allocator.take(bytes);
        const least = bytes + SLACK;
        expect(allocator.taken).toBeGreaterThanOrEqual(least);
        expect(allocator.taken).toBeLessThan(least * (1 + 1 / 16) + 10 * 64);
      }),
    );
  });
  it("of 64 KiB and more begin at other sets of the first cache, seven of any size", () => {
    holds(
      fc.property(fc.integer({ min: 2 ** 16, max: 2 ** 28 }), (bytes) => {
        const allocator = new Allocator(START, END);
        const places = Array.from({ length: 7 }, () => allocator.pointerOf(allocator.take(bytes)));
        expect(new Set(places.map((place) => Math.floor((place % 4096) / 512))).size).toBe(7);
      }),
    );
  });
});

describe("what was given back", () => {
  it("is taken again, the last first, before anything new is touched", () => {
    const allocator = new Allocator(START, END);
    const blocks = Array.from({ length: 10 }, () => allocator.take(1_000_000));
    const places = blocks.map((block) => allocator.pointerOf(block));
    const { frontier } = allocator;
    const given = [1, 5, 3, 7];
    for (const k of given) allocator.give(blocks[k] as number);
    const again = given.map(() => allocator.pointerOf(allocator.take(1_000_000)));
    expect(again).toEqual([7, 3, 5, 1].map((k) => places[k]));
    expect(allocator.frontier).toBe(frontier);
  });
  it("serves smaller blocks in parts", () => {
    const allocator = new Allocator(START, END);
    const large = allocator.take(1_000_000);
    allocator.take(0);
    const { frontier } = allocator;
    allocator.give(large);
    for (let k = 0; k < 9; k++) allocator.take(100_000);
    expect(allocator.frontier).toBe(frontier);
  });
  it("serves larger blocks when neighbours come back", () => {
    const allocator = new Allocator(START, END);
    const blocks = Array.from({ length: 10 }, () => allocator.take(100_000));
    const { frontier } = allocator;
    for (const k of [3, 5, 4]) allocator.give(blocks[k] as number);
    expect(allocator.pointerOf(allocator.take(290_000))).toBe(allocator.pointerOf(blocks[3] as number));
    expect(allocator.frontier).toBe(frontier);
  });
  it("is fragmented within bounds: random sizes held and dropped for long need not twice what they are", () => {
    const random = fc.sample(fc.tuple(fc.integer({ min: 64, max: 2 ** 22 }), fc.nat()), {
      numRuns: 20_000,
      seed: 1,
    });
    const allocator = new Allocator(START, END);
    const held: Held[] = [];
    let live = 0;
    let peak = 0;
    for (const [bytes, pick] of random) {
      while (live + bytes > 2 ** 28) {
        const [block] = held.splice(pick % held.length, 1) as [Held];
        allocator.give(block.record);
        live -= block.bytes;
      }
      const record = allocator.take(bytes);
      held.push({ record, pointer: allocator.pointerOf(record), bytes });
      live += bytes;
      peak = Math.max(peak, live);
    }
    expect(sum(held.map(({ bytes }) => bytes))).toBe(live);
    expect(allocator.frontier).toBeLessThan(2 * peak);
  });
});

describe("the end", () => {
  it("is not passed; more memory is asked for by its measure", () => {
    const allocator = new Allocator(START, 0);
    expect(allocator.take(1_000)).toBe(-1);
    const end = allocator.endFor(1_000);
    allocator.extend(end - 64);
    expect(allocator.take(1_000)).toBe(-1);
    allocator.extend(end);
    expect(allocator.take(1_000)).toBeGreaterThanOrEqual(0);
    expect(allocator.frontier).toBe(end);
    expect(allocator.take(0)).toBe(-1);
  });
  it("may be that of 4 GiB; nothing beyond is ever found", () => {
    const allocator = new Allocator(START, 2 ** 32);
    for (const bytes of [2 ** 32, 2 ** 32 + 5, 2 ** 38 + 1, 2 ** 53]) expect(allocator.take(bytes)).toBe(-1);
    const most = allocator.take(2 ** 31);
    const high = allocator.take(2 ** 30 + 2 ** 29);
    expect(allocator.pointerOf(high)).toBeGreaterThan(2 ** 31);
    allocator.give(most);
    for (const bytes of [2 ** 32, 2 ** 32 + 5, 2 ** 38 + 1]) expect(allocator.take(bytes)).toBe(-1);
    allocator.give(high);
    expect(allocator.frontier).toBe(START);
  });
});
