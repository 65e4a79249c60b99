// A loop that reads its state every 50th round: at the 4th read or so it stops for 1-2 s (unfused it is the 3rd)
import { tensor, rand, ones, zeros, stats, setOptions, type Tensor } from "fuseau";
if (process.argv[2] === "none") setOptions({ fusion: "none" });
const R = 200, A = 10;
const mu = rand([R, A]).compute();
let n: Tensor = ones([R, A]), s: Tensor = mu.clone(), reg: Tensor = zeros([R]);
let t0 = performance.now(), worst = 0;
for (let k = 0; k < 1000; k++) {
  const ucb = s.div(n).add(n.reciprocal().mul(2 * Math.log(k + 2)).sqrt());
  const a = ucb.argmax(1, { keepdim: true });
  const rew = mu.gather(1, a).gt(rand([R, 1])).float();
  n = n.scatterAdd(1, a, ones([R, 1]));
  s = s.scatterAdd(1, a, rew);
  reg = reg.add(mu.amax(1)).sub(mu.gather(1, a).squeeze(1));
  if (k % 50 === 0) { const t = performance.now(); reg.mean().item(); const d = performance.now() - t; if (k <= 500) console.log(k, d.toFixed(0), "ms; compiled", stats().programs.misses); }
}
console.log("total", (performance.now() - t0).toFixed(0)); void [tensor, worst];
