// Rejection sampling: accepted rows are appended with cat until there are 200. A program is compiled in every round, for ever.
import { cat, rand, manualSeed, setOptions, stats, type Tensor, zeros } from "fuseau";
if (process.argv[2] === "none") setOptions({ fusion: "none" });
manualSeed(3);
const t0 = performance.now(); let last = t0, m0 = stats().programs.misses;
for (let k = 0; k < 2000; k++) {
  let got: Tensor<[number, number], "float32"> = zeros([0, 2]);
  while (got.shape[0] < 200) {
    const p = rand([100, 2]).mul(2).sub(1);
    const ok = p.square().sum(1).lt(1);
    got = cat([got, p.index([ok])]);
  }
  got.slice([0, 200]).mean(0).toArray();
  if (k % 200 === 199) { const t = performance.now(), s = stats(); console.log(k + 1, ((t - last) / 200).toFixed(2), "ms a round; programs compiled", s.programs.misses - m0, "late", JSON.stringify(s.late), "size", s.programs.size, "heap", (process.memoryUsage().heapUsed / 1e6).toFixed(0)); last = t; m0 = s.programs.misses; }
}
