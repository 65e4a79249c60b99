/** Chains of movements of any length: no pass recurses over them, nor walks each of them from its beginning. */
import { arange, clearCaches, type Tensor } from "fuseau";
import { expect, it } from "vitest";

it.each(["on", "none"] as const)("12,000 turns and flips, fusion %s", (fusion) => {
  clearCaches();
  let x: Tensor = arange(12).reshape([3, 4]).compute();
  // Four of them in a row give the matrix turned by half: an even number of times is as it was.
  for (let k = 0; k < 12_000; k++) x = k % 2 === 0 ? x.t() : x.flip(0);
  const expected = arange(12).reshape([3, 4]).mul(2).toArray();
  // The second time the whole is compiled.
  for (let times = 0; times < 3; times++) expect(x.mul(2).compute({ fusion }).toArray()).toEqual(expected);
});
