import { describe, expect, it } from "vitest";
import { phaseOf, runsIn, type Sequence } from "../../packages/runtime/src/execute/parts/periods.ts";

/** A sequence from text: each word is what a node is, with how far back it reads (`a-1-3`); `a` alone reads what is given. */
const sequence = (text: string): Sequence => {
  const words = text.split(" ");
  return {
    labels: Int32Array.from(words, (word) => word.charCodeAt(0)),
    reads: words.map((word, k) =>
      word
        .split("-")
        .slice(1)
        .map((back) => k - Number(back)),
    ),
  };
};

const repeated = (round: string, times: number): string => Array(times).fill(round).join(" ");

describe("runs", () => {
  it("are rounds that read the same within and from the round before", () => {
    const text = `x y ${repeated("a-1 b-1-2 c-1", 5)} z-1`;
    expect(runsIn(sequence(text), 4)).toEqual([{ first: 2, period: 3, length: 15 }]);
  });

  it("are found where the last round is a part of one", () => {
    expect(runsIn(sequence(`${repeated("a b-1", 6)} a`), 4)).toEqual([{ first: 0, period: 2, length: 13 }]);
  });

  it("may read much farther back from round to round, as a backward pass does", () => {
    const forward = repeated("a-1", 8).replace("a-1", "a");
    const backward = [..."01234567"].map((k) => `b-1-${2 * Number(k) + 1} c-1`).join(" ");
    expect(runsIn(sequence(`${forward} ${backward}`), 4)).toEqual([
      { first: 1, period: 1, length: 7 },
      { first: 9, period: 2, length: 15 },
    ]);
  });

  it("are none where rounds differ in what they read of each other, or are few", () => {
    expect(runsIn(sequence("a b-1 a-1 b-1 a-2 b-2 a-1 b-2"), 4)).toEqual([]);
    expect(runsIn(sequence(repeated("a b-1", 3)), 4)).toEqual([]);
    expect(runsIn(sequence("a"), 4)).toEqual([]);
    expect(runsIn({ labels: new Int32Array(0), reads: [] }, 4)).toEqual([]);
  });

  it("are several, one after another", () => {
    const text = `${repeated("a b-1", 5)} x ${repeated("c-1 d-1 e-1", 4)}`;
    expect(runsIn(sequence(text), 4)).toEqual([
      { first: 0, period: 2, length: 10 },
      { first: 11, period: 3, length: 12 },
    ]);
  });
});

describe("where a round ends", () => {
  it("is where the least goes on", () => {
    const sizeIn =
      ({ labels }: Sequence) =>
      (k: number): number =>
        String.fromCharCode(labels[k] as number) === "a" ? 100 : 1;
    const [small, large] = [sequence(`a ${repeated("b-1 a-1", 6)}`), sequence(`b ${repeated("a-1 b-1", 6)}`)];
    expect(phaseOf(small, { first: 1, period: 2, length: 12 }, sizeIn(small))).toBe(1);
    expect(phaseOf(large, { first: 1, period: 2, length: 12 }, sizeIn(large))).toBe(0);
  });

  it("is, among equal places, where what goes on is read most often", () => {
    // a, b and c each go on alone; a is read three times.
    const text = sequence(`c ${repeated("a-1 b-1-1-1 c-1", 6)}`);
    expect(phaseOf(text, { first: 1, period: 3, length: 18 }, () => 1)).toBe(1);
  });

  it("counts what is read within the round and by the next, once", () => {
    // d reads a and c: between b and d two values are alive, behind a and d one; a is read twice.
    const text = sequence(`d ${repeated("a-1 b-1 c-1 d-1-3", 6)}`);
    expect(phaseOf(text, { first: 1, period: 4, length: 24 }, () => 1)).toBe(1);
  });
});
