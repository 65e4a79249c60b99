// idioms with data-dependent sizes: which keep compiling
import { arange, cat, manualSeed, ones, rand, stack, stats, type Tensor, zeros, setOptions } from "fuseau";
manualSeed(3); const [, , what, mode] = process.argv; if (mode === "none") setOptions({ fusion: "none" });
type V = Tensor<[number], "float32">;
const piece = (m = 40): V => { const p = rand([m]); return p.index([p.lt(0.6)]); };
const idioms: Record<string, (k: number) => unknown> = {
  totals: () => { let t: Tensor = zeros([]); for (let j = 0; j < 5; j++) t = t.add(piece().square().sum()); return t.item(); },
  prepend: () => { let g: V = zeros([1]); for (let j = 0; j < 5; j++) g = cat([piece(), g]); return g.mean().item(); },
  buffer: () => { const buf = zeros([200]); let off = 0; for (let j = 0; j < 5; j++) { const q = piece(); buf.slice([off, off + q.shape[0]]).copy_(q); off += q.shape[0]; } return buf.slice([0, off]).mean().item(); },
  padded: () => { const out = zeros([5, 40]); for (let j = 0; j < 5; j++) { const q = piece(); out.select(0, j).slice([0, q.shape[0]]).copy_(q); } return out.softmax(1).sum(0).toArray(); },
  segments: () => { const x = rand([100]).compute(); const cuts = [0, ...rand([4]).mul(90).add(2).floor().sort(0).values.toArray().map((c, i) => c + i), 100]; const ms: Tensor[] = []; for (let j = 0; j < 5; j++) ms.push(x.slice([cuts[j]!, cuts[j + 1]!]).std(null, { correction: 0 })); return stack(ms).toArray(); },
  splits: () => { const x = rand([60, 4]).compute(); const a = 5 + Math.floor(rand([]).item() * 20), b = 5 + Math.floor(rand([]).item() * 20); return stack(x.split([a, b, 60 - a - b]).map((p) => p.logsumexp(0))).toArray(); },
  running: () => { let h: Tensor = zeros([3]); for (let j = 0; j < 5; j++) { const q = piece(); h = h.mul(0.5).add(stack([q.mean(), q.amax(), q.amin()])); } return h.toArray(); },
  growmat: () => { let K: Tensor<[number, number], "float32"> = ones([1, 1]); const n = 3 + Math.floor(rand([]).item() * 12); let x = rand([1, 2]); for (let j = 0; j < n; j++) { const p = rand([1, 2]); const c = (x as Tensor<[number, 2], "float32">).sub(p).square().sum(1, { keepdim: true }).neg().exp(); K = cat([cat([K, c], 1), cat([c.t(), ones([1, 1])], 1)], 0) as never; x = cat([x, p]) as never; } return K.sum().item(); },
  survivors: () => { let x: V = rand([200]); let s = 0; for (let j = 0; j < 5; j++) { x = x.index([x.gt(rand([x.shape[0]]).mul(0.5))]).mul(0.9); s += x.shape[0]; } return [s, x.sum().item()]; },
  kfold: (k) => { const n = 50 + (k * 7) % 31; const X = rand([n, 3]), y = X.sum(1); let e = 0; for (let f = 0; f < 4; f++) { const a = Math.floor((f * n) / 4), b = Math.floor(((f + 1) * n) / 4); const tr = cat([X.slice([0, a]), X.slice([b, null])]), ty = cat([y.slice([0, a]), y.slice([b, null])]); const w = tr.t().matmul(ty); e += X.slice([a, b]).matmul(w).sub(y.slice([a, b])).square().mean().item(); } return e; },
  windows: (k) => { const n = 30 + (k * 11) % 57, w = 3 + (k % 5); const x = rand([n]); return x.unfold(0, w, 1).mean(1).max().item(); },
  pairs: () => { const a = piece(), b = piece(); return a.unsqueeze(1).sub(b.unsqueeze(0)).abs().amin(1).mean().item(); },
  conc2: () => { const a = piece(), b = piece(), c = piece(); return cat([a, b]).unsqueeze(1).mul(cat([b, c]).unsqueeze(0)).sum().item(); },
  topkvar: () => { const a = piece(60); const k = Math.max(1, a.shape[0] >> 2); return a.topk(k).values.mean().item(); },
  interleave: (k) => { const n = 10 + (k * 3) % 17; const c = rand([n]).mul(4).floor().long(); return arange(n).repeatInterleave(c).float().sum().item(); },
  merge: () => { let g: V = piece(); for (let j = 0; j < 4; j++) g = cat([g, piece()]).sort(0).values; return g.median().item(); },
  dedupe: () => { let g = rand([10]).mul(50).floor().long(); for (let j = 0; j < 4; j++) g = cat([g, rand([10]).mul(50).floor().long()]).unique() as typeof g; return g.sum().item(); },
};
for (const [name, f] of Object.entries(idioms)) { if (what && what !== "all" && what !== name) continue; let t0 = performance.now(), m0 = stats().programs.misses, worst = 0; const out: string[] = []; for (let k = 0; k < 900; k++) { const t = performance.now(); f(k); worst = Math.max(worst, performance.now() - t); if (k % 300 === 299) { const t = performance.now(), s = stats().programs.misses; out.push(`${((t - t0) / 300).toFixed(2)} ms, ${s - m0} programs, worst ${worst.toFixed(0)}`); worst = 0; t0 = t; m0 = s; } } console.log(name.padEnd(10), out.join(" | ")); }
