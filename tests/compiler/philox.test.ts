import { describe, expect, test } from "vitest";
import { philox, randomWord } from "../../packages/compiler/src/emit/intrinsics/philox.ts";

const hex = (words: Iterable<number>): string =>
  [...words].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join(" ");

function block(counter: readonly number[], key: readonly number[]): string {
  const words = new Int32Array(4);
  const [c0, c1, c2, c3] = counter as [number, number, number, number];
  const [k0, k1] = key as [number, number];
  philox(words, c0, c1, c2, c3, k0, k1);
  return hex(words);
}

/** The same by BigInt, as the paper writes it. */
function plainBlock(counter: bigint, key: bigint): string {
  const low = (x: bigint): bigint => BigInt.asUintN(32, x);
  let [c0, c1, c2, c3] = [low(counter), low(counter >> 32n), low(counter >> 64n), low(counter >> 96n)];
  let [k0, k1] = [low(key), low(key >> 32n)];
  for (let round = 0; round < 10; round++) {
    const [first, second] = [c0 * 0xd2511f53n, c2 * 0xcd9e8d57n];
    [c0, c1, c2, c3] = [(second >> 32n) ^ c1 ^ k0, low(second), (first >> 32n) ^ c3 ^ k1, low(first)];
    [k0, k1] = [low(k0 + 0x9e3779b9n), low(k1 + 0xbb67ae85n)];
  }
  return hex([c0, c1, c2, c3].map(Number));
}

describe("Philox 4x32-10", () => {
  // Random123's kat_vectors.
  test("gives the published vectors", () => {
    expect(block([0, 0, 0, 0], [0, 0])).toBe("6627e8d5 e169c58d bc57ac4c 9b00dbd8");
    const ones = 0xffffffff;
    expect(block([ones, ones, ones, ones], [ones, ones])).toBe("408f276d 41c83b0e a20bc7c6 6d5451fd");
    expect(block([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0])).toBe(
      "d16cfe09 94fdcceb 5001e420 24126ea1",
    );
  });

  test("gives word i mod 4 of block i / 4, whatever was asked before", () => {
    const places = [0, 5, 2, 3, 2 ** 34, 2 ** 34 + 6, 2 ** 53 - 1, 1, 4, 2 ** 40 + 3];
    for (const [low, high] of [
      [0, 0],
      [123, 0],
      [0xdeadbeef, 0xfeedface],
    ] as const) {
      for (const place of places) {
        const expected = plainBlock(BigInt(Math.floor(place / 4)), (BigInt(high) << 32n) + BigInt(low));
        expect(hex([randomWord(place, low, high)]), `word ${place}`).toBe(expected.split(" ")[place % 4]);
      }
    }
  });

  test("gives some word for what is no counter", () => {
    for (const place of [NaN, Infinity, -1, 0.5]) {
      const word = randomWord(place, 1, 2);
      expect(Number.isInteger(word) && word >= 0 && word < 2 ** 32).toBe(true);
      expect(randomWord(place, 1, 2)).toBe(word);
    }
  });
});
