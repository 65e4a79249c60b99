// Modified Gram-Schmidt by columns in place, 30x20: PyTorch takes 1.4 ms
import { rand, setOptions, stats, manualSeed } from "fuseau";
if (process.argv[2] === "none") setOptions({ fusion: "none" });
manualSeed(1); const t: number[] = [];
for (let k = 0; k < 200; k++) {
  const A = rand([30, 20]).compute(); const t0 = performance.now();
  const Q = A.clone();
  for (let j = 0; j < 20; j++) {
    const q = Q.select(1, j); q.div_(q.norm());
    for (let i = j + 1; i < 20; i++) Q.select(1, i).sub_(q.mul(q.dot(Q.select(1, i))));
  }
  Q.toArray(); t.push(performance.now() - t0);
}
const s = t.slice(100).sort((a, b) => a - b);
console.log(process.argv[2] ?? "on", "first", t[0]!.toFixed(0), "max 2..10", Math.max(...t.slice(1, 10)).toFixed(0), "max later", Math.max(...t.slice(10)).toFixed(0), "steady", s[50]!.toFixed(2), "runs", stats().runs, "misses", stats().programs.misses);
