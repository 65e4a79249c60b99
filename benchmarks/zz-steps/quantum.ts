// A circuit of 10 qubits, 3 layers (re and im as two tensors), read once a round. First round 1-4 s, second .6-2.5 s; PyTorch 7 and 3 ms.
// With "tiny" three one-op programs run before: the first round takes a half to a quarter of that.
import { arange, setOptions, stack, tensor, zeros, stats, type Tensor } from "fuseau";
const n = 10, N = 1 << n;
if (process.argv.includes("none")) setOptions({ fusion: "none" });
if (process.argv.includes("tiny")) for (let i = 1; i < 4; i++) tensor([i, 2]).add(i).sum().item();
const ts: number[] = [];
for (let k = 0; k < 8; k++) {
  const t0 = performance.now();
  let re: Tensor = zeros([N]), im: Tensor = zeros([N]); re.select(0, 0).fill_(1);
  const rx = (q: number, th: number) => {
    const R = re.reshape([1 << q, 2, 1 << (n - q - 1)]), I = im.reshape([1 << q, 2, 1 << (n - q - 1)]); const c = Math.cos(th), s = Math.sin(th);
    const r0 = R.select(1, 0), r1 = R.select(1, 1), i0 = I.select(1, 0), i1 = I.select(1, 1);
    re = stack([r0.mul(c).add(i1.mul(s)), r1.mul(c).add(i0.mul(s))], 1).reshape([N]);
    im = stack([i0.mul(c).sub(r1.mul(s)), i1.mul(c).sub(r0.mul(s))], 1).reshape([N]);
  };
  const cz = (p: number, q: number) => { const i = arange(N); const f = i.bitwiseRightShift(n - 1 - p).bitwiseAnd(i.bitwiseRightShift(n - 1 - q)).bitwiseAnd(1).mul(-2).add(1); re = re.mul(f); im = im.mul(f); };
  for (let l = 0; l < 3; l++) { for (let q = 0; q < n; q++) rx(q, 0.3 * (q + 1) + 0.1 * l + 0.01 * k); for (let q = 0; q + 1 < n; q++) cz(q, q + 1); }
  re.square().add(im.square()).slice([0, 32]).toArray();
  ts.push(Math.round(performance.now() - t0));
}
console.log(process.argv.slice(2).join(" ") || "on", ts.join(" "), "programs", stats().programs.misses);
