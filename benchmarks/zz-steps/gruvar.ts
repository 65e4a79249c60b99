// A GRU trained on sequences of 3 to 13 steps: compiled by round 60; at rounds 600 and more programs are compiled again, with stalls of .3-.5 s
import { manualSeed, rand, stats } from "fuseau";
import { GRU, Linear } from "fuseau/nn";
import { Adam } from "fuseau/optim";
manualSeed(3); let s = 7; const R = (a: number, b: number) => a + ((s = (s * 69069 + 1) % 4294967296) >>> 8) % (b - a);
const m = new GRU(4, 8, { batchFirst: true }), o = new Linear(8, 1), opt = new Adam([...m.parameters(), ...o.parameters()], { lr: 0.01 });
let before = stats().programs; let tot = 0;
for (let k = 0; k < 2500; k++) {
  const T = R(3, 14), t = performance.now();
  const [h] = m.forward(rand([4, T, 4])); const l = o.forward(h.select(1, -1)).square().mean();
  opt.zeroGrad(); l.backward(); opt.step(); l.item();
  const d = performance.now() - t, now = stats().programs; tot += d;
  if (k > 100 && (d > 100 || now.misses !== before.misses)) console.log(k, "T", T, d.toFixed(0), "ms; misses +" + (now.misses - before.misses), "evictions", now.evictions, "size", now.size, "MB", (now.bytes / 1e6).toFixed(1), "kernels", JSON.stringify(stats().kernels), "late", JSON.stringify(stats().late));
  before = now; if (k % 500 === 499) { console.log(k + 1, "mean", (tot / 500).toFixed(2), "ms"); tot = 0; }
}
