// A state made anew in each round, of which a number is read: some 8 programs are compiled in the first 10 rounds, of growing length
// (argument "compute": the state is computed by hand, 2 programs; "none": unfused)
import { linspace, pad, setOptions, stats, type Tensor } from "fuseau";
if (process.argv.includes("none")) setOptions({ fusion: "none" });
const N = 64, g = linspace(-1, 1, N), h = 2 / (N - 1);
let phi: Tensor = g.square().unsqueeze(0).add(g.square().unsqueeze(1)).sqrt().sub(0.5);
const ts: string[] = []; let sum = 0;
for (let k = 0; k < 40; k++) {
  const t0 = performance.now();
  for (let s = 0; s < 3; s++) {
    const p = pad(phi.reshape([1, 1, N, N]), [1, 1, 1, 1], { mode: "replicate" }).reshape([N + 2, N + 2]);
    const c = p.slice([1, -1], [1, -1]);
    const xm = c.sub(p.slice([1, -1], [0, -2])).div(h), xp = p.slice([1, -1], [2, null]).sub(c).div(h);
    const ym = c.sub(p.slice([0, -2], [1, -1])).div(h), yp = p.slice([2, null], [1, -1]).sub(c).div(h);
    const gr = xm.clamp({ min: 0 }).square().add(xp.clamp({ max: 0 }).square()).add(ym.clamp({ min: 0 }).square()).add(yp.clamp({ max: 0 }).square()).sqrt();
    phi = phi.sub(gr.mul(0.3 * h));
  }
  if (process.argv.includes("compute")) phi.compute();
  phi.lt(0).sum().item();
  const d = performance.now() - t0; sum += d; if (k < 14) ts.push(d.toFixed(0) + "/" + stats().programs.misses);
}
console.log(process.argv.slice(2).join(" ") || "on", "ms/programs:", ts.join(" "), "sum of 40:", sum.toFixed(0));
