// Gauss-Jordan elimination by rows in place, n = 12: fused is slower than unfused; PyTorch takes 1.0 ms
import { rand, setOptions, stats, manualSeed } from "fuseau";
if (process.argv[2] === "none") setOptions({ fusion: "none" });
const pivot = process.argv[3] !== "nopivot"; const n = Number(process.argv[4] ?? 12);
manualSeed(1);
const t: number[] = [];
for (let k = 0; k < 300; k++) {
  const A = rand([n, n + 1]).add(0).compute();
  const t0 = performance.now();
  const M = A.clone();
  for (let i = 0; i < n; i++) {
    if (pivot) {
      const p = i + M.slice([i, null], [i, i + 1]).abs().argmax().item();
      if (p !== i) { const r = M.select(0, i).clone(); M.select(0, i).copy_(M.select(0, p)); M.select(0, p).copy_(r); }
    }
    M.select(0, i).div_(M.select(0, i).select(0, i).clone());
    for (let j = 0; j < n; j++) if (j !== i) M.select(0, j).sub_(M.select(0, i).mul(M.select(0, j).select(0, i)));
  }
  M.select(1, n).toArray();
  t.push(performance.now() - t0);
}
const s = t.slice(150).sort((a, b) => a - b);
console.log(process.argv[2] ?? "on", "first", t[0]!.toFixed(0), "max 2..10", Math.max(...t.slice(1, 10)).toFixed(0), "steady", s[75]!.toFixed(2), "runs", stats().runs, "misses", stats().programs.misses);
