// A factor that becomes a whole number at k = 100 is another program (98 ms stall in e.canny)
import { rand, stats } from "fuseau";
const x = rand([256, 256]).compute();
for (let k = 1; k < 210; k++) { const m = stats().programs.misses, t = performance.now(); let y = x.mul(1 + 0.01 * k).sin(); for (let i = 0; i < 30; i++) y = y.add(x.mul(0.1)).cos(); y.sum().item(); if (k > 20 && stats().programs.misses !== m) console.log(k, (performance.now() - t).toFixed(0), "ms, programs", stats().programs.misses); }
