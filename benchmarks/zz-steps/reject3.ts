// which part of reject2 keeps compiling: argument list|nest, pieces 3|5, slice|all
import { cat, rand, manualSeed, stats, type Tensor, zeros } from "fuseau";
manualSeed(3); const [, , how, pieces, end, start] = process.argv;
let t0 = performance.now(), m0 = stats().programs.misses; const out: string[] = [];
for (let k = 0; k < 1500; k++) {
  let got: Tensor<[number, number], "float32"> = start === "zero" ? zeros([0, 2]) : rand([1, 2]); const list: Tensor<[number, number], "float32">[] = [];
  for (let j = 0; j < Number(pieces); j++) { const p = rand([100, 2]).mul(2).sub(1); const q = p.index([p.square().sum(1).lt(0.7)]); if (how === "list") list.push(q); else got = cat([got, q]); }
  if (how === "list") got = cat(list);
  (end === "slice" ? got.slice([0, 80]) : got).mean(0).toArray();
  if (k % 500 === 499) { const t = performance.now(), s = stats().programs.misses; out.push(`${((t - t0) / 500).toFixed(2)} ms, ${s - m0} programs`); t0 = t; m0 = s; }
}
console.log(how, pieces, end, start ?? "", "|", out.join(" | "));
