import { type Tensor, arange, cat, conv1d, conv2d, cos, einsum, eye, full, hannWindow, linalg, linspace, matmul, maximum, ones, outer, pad, sin, stack, tensor, where, zeros, atan2, gridSample, affineGrid, type AnyTensor } from "fuseau";
import { U, u, type Progs } from "./h.ts";

const dct = (n: number) => {
  const k = arange(n).float().unsqueeze(1), i = arange(n).float().unsqueeze(0);
  const m = cos(k.mul(i.mul(2).add(1)).mul(Math.PI / (2 * n))).mul(Math.sqrt(2 / n));
  m.select(0, 0).mul_(1 / Math.sqrt(2));
  return m;
};
export const progs: Progs = {
  // Levinson-Durbin on frames
  lpc: () => {
    const x = U(8000, 1).sub(0.5);
    return (k) => {
      const frames = x.mul(1 + k * 0.01).unfold(0, 256, 128).mul(hannWindow(256));
      const order = 10;
      const r: Tensor[] = [];
      for (let l = 0; l <= order; l++) r.push(frames.slice(":", [0, 256 - l]).mul(frames.slice(":", [l, 256])).sum(1));
      let a: Tensor[] = [];
      let e: Tensor = r[0]!.add(1e-6);
      for (let i = 1; i <= order; i++) {
        let acc: Tensor = r[i]!;
        for (let j = 0; j < a.length; j++) acc = acc.add(a[j]!.mul(r[i - 1 - j]!));
        const kk = acc.div(e).neg();
        const b = a.map((v, j) => v.add(kk.mul(a[a.length - 1 - j]!)));
        b.push(kk);
        a = b;
        e = e.mul(kk.square().neg().add(1));
      }
      return stack(a, 1).toArray();
    };
  },
  // polyphase resample by 3/2
  resample: () => {
    const h = U(48, 2).sub(0.5); const L = 3, M = 2;
    const bank = h.reshape([16, L]).t().flip(1).unsqueeze(1).contiguous();
    let x: Tensor = U(6000, 3).sub(0.5);
    return () => {
      const y = conv1d(pad(x.reshape([1, 1, -1]), [15, 0]), bank); // [1,3,n]
      const up = y.squeeze(0).t().reshape([-1]);
      const out = up.slice([null, null, M]);
      x = out.slice([0, 6000]).div(out.abs().max()).compute();
      return [out.shape[0], out.sum().item(), x.slice([0, 20]).toArray()];
    };
  },
  mfcc: () => {
    const n = 256, F = n / 2 + 1;
    const t = arange(n).float(), f = arange(F).float();
    const ang = outer(f, t).mul(2 * Math.PI / n);
    const C = cos(ang), S = sin(ang);
    const mel = (hz: Tensor) => hz.div(700).add(1).log().mul(1127);
    const pts = linspace(0, 1127 * Math.log(1 + 4000 / 700), 28).div(1127).exp().sub(1).mul(700);
    const fr = linspace(0, 4000, F);
    const lo = pts.slice([0, 26]).unsqueeze(1), ce = pts.slice([1, 27]).unsqueeze(1), hi = pts.slice([2, 28]).unsqueeze(1);
    void mel;
    const fb = fr.sub(lo).div(ce.sub(lo)).minimum(hi.sub(fr).div(hi.sub(ce))).clamp({ min: 0 });
    const D = dct(26);
    const x = U(16000, 4).sub(0.5);
    return (k) => {
      const sig = x.add(sin(arange(16000).mul(0.05 + k * 0.001)));
      const pre = cat([sig.slice([0, 1]), sig.slice([1, null]).sub(sig.slice([0, -1]).mul(0.97))]);
      const fr2 = pre.unfold(0, n, 100).mul(hannWindow(n));
      const re = fr2.matmul(C.t()), im = fr2.matmul(S.t());
      const p = re.square().add(im.square()).div(n);
      const e = p.matmul(fb.t()).add(1e-8).log();
      return e.matmul(D.t()).slice(":", [0, 13]).toArray();
    };
  },
  // Schroeder reverb in blocks with circular delay lines, in place
  reverb: () => {
    const B = 64;
    const combs = [1116, 1188, 1277, 1356].map((d) => ({ d, buf: zeros([d]), p: 0 }));
    const ap = [556, 441].map((d) => ({ d, buf: zeros([d]), p: 0 }));
    const x = U(64000, 5).sub(0.5);
    return (k) => {
      const blk = x.slice([(k * B) % 60000, (k * B) % 60000 + B]);
      let sum: Tensor = zeros([B]);
      for (const c of combs) {
        const idx = arange(B).add(c.p).remainder(c.d);
        const d = c.buf.index([idx]);
        c.buf.indexPut_([idx], blk.add(d.mul(0.84)));
        c.p = (c.p + B) % c.d;
        sum = sum.add(d);
      }
      for (const a of ap) {
        const idx = arange(B).add(a.p).remainder(a.d);
        const d = a.buf.index([idx]);
        const v = sum.add(d.mul(0.5));
        a.buf.indexPut_([idx], v);
        a.p = (a.p + B) % a.d;
        sum = d.sub(v.mul(0.5));
      }
      return sum.toArray();
    };
  },
  // phase vocoder with real arithmetic, overlap-add
  vocoder: () => {
    const n = 128, H = 32, F = n / 2 + 1;
    const ang = outer(arange(F).float(), arange(n).float()).mul(2 * Math.PI / n);
    const C = cos(ang), S = sin(ang).neg();
    const win = hannWindow(n);
    const x = sin(arange(4000).mul(0.13)).add(U(4000, 6).mul(0.1));
    return (it) => {
      const rate = 0.8 + (it % 5) * 0.1;
      const fr = x.unfold(0, n, H).mul(win);
      const re = fr.matmul(C.t()), im = fr.matmul(S.t());
      const T = re.shape[0]!;
      const mag = re.square().add(im.square()).sqrt(), ph = atan2(im, re);
      const steps = arange(0, T - 1, rate);
      const i0 = steps.floor().long(), al = steps.sub(steps.floor()).unsqueeze(1);
      const m = mag.indexSelect(0, i0).mul(al.neg().add(1)).add(mag.indexSelect(0, i0.add(1)).mul(al));
      const adv = arange(F).float().mul(2 * Math.PI * H / n);
      let dp = ph.indexSelect(0, i0.add(1)).sub(ph.indexSelect(0, i0)).sub(adv);
      dp = dp.sub(dp.div(2 * Math.PI).round().mul(2 * Math.PI)).add(adv);
      const acc = cat([ph.slice([0, 1]), ph.slice([0, 1]).add(dp.slice([0, -1]).cumsum(0))]);
      const R = m.mul(acc.cos()), I = m.mul(acc.sin());
      const w = ones([F]).mul(2); w.select(0, 0).fill_(1); w.select(0, F - 1).fill_(1);
      const y = R.mul(w).matmul(C).add(I.mul(w).matmul(S)).div(n).mul(win);
      const N = y.shape[0]!;
      const out = zeros([(N - 1) * H + n]);
      for (let t = 0; t < N; t++) out.slice([t * H, t * H + n]).add_(y.select(0, t));
      return [N, out.sum().item(), out.slice([500, 520]).toArray()];
    };
  },
  jpeg: () => {
    const D = dct(8);
    const Q = tensor(u(64, 7)).reshape([8, 8]).mul(60).add(10).round();
    const img = U(256 * 256, 8).reshape([256, 256]).mul(255);
    return (k) => {
      const q = Q.mul(0.5 + (k % 7) * 0.3);
      const b = img.sub(128).unfold(0, 8, 8).unfold(1, 8, 8);
      const c = D.matmul(b).matmul(D.t());
      const qc = c.div(q).round();
      const back = D.t().matmul(qc.mul(q)).matmul(D).add(128).clamp(0, 255);
      const rec = back.permute([0, 2, 1, 3]).reshape([256, 256]);
      const mse = rec.sub(img).square().mean();
      const psnr = mse.log10().mul(-10).add(20 * Math.log10(255));
      return [psnr.item(), qc.ne(0).sum().item()];
    };
  },
  ycbcr: () => {
    const img = U(3 * 128 * 128, 9).reshape([3, 128, 128]).mul(255);
    const M = tensor([[0.299, 0.587, 0.114], [-0.1687, -0.3313, 0.5], [0.5, -0.4187, -0.0813]]);
    return (k) => {
      const y = einsum("ij,jhw->ihw", M, img.add(k));
      const cb = y.slice([1, 3]).reshape([2, 64, 2, 64, 2]).mean([2, 4]);
      const up = cb.repeatInterleave(2, 1).repeatInterleave(2, 2);
      const back = einsum("ij,jhw->ihw", linalg.inv(M), cat([y.slice([0, 1]), up]));
      return back.round().clamp(0, 255).to("uint8").long().sum([1, 2]).toArray();
    };
  },
  // triangle rasteriser with z buffer
  raster: () => {
    const W = 96, N = 40;
    const tri = U(N * 9, 10).reshape([N, 3, 3]);
    const xs = arange(W).float().add(0.5).div(W);
    return (k) => {
      const zb = full([W, W], Infinity), id = full([W, W], -1);
      for (let t = 0; t < N; t++) {
        const [a, b, c] = tri.select(0, t).add(k * 0.001).unbind(0) as [Tensor, Tensor, Tensor];
        const px = xs.unsqueeze(0), py = xs.unsqueeze(1);
        const e = (p: Tensor, q: Tensor) => q.select(0, 0).sub(p.select(0, 0)).mul(py.sub(p.select(0, 1))).sub(q.select(0, 1).sub(p.select(0, 1)).mul(px.sub(p.select(0, 0))));
        const w0 = e(b, c), w1 = e(c, a), w2 = e(a, b);
        const area = w0.add(w1).add(w2);
        const inside = w0.ge(0).logicalAnd(w1.ge(0)).logicalAnd(w2.ge(0)).logicalOr(w0.le(0).logicalAnd(w1.le(0)).logicalAnd(w2.le(0)));
        const z = w0.mul(a.select(0, 2)).add(w1.mul(b.select(0, 2))).add(w2.mul(c.select(0, 2))).div(area);
        const m = inside.logicalAnd(z.lt(zb));
        zb.copy_(where(m, z, zb));
        id.maskedFill_(m, t);
      }
      return [id.add(1).long().flatten().bincount({ minlength: N + 1 }).toArray(), zb.isfinite().sum().item()] as unknown;
    };
  },
  // ray marcher, sphere + torus SDF
  march: () => {
    const W = 64;
    const g = linspace(-1, 1, W);
    return (k) => {
      const d = stack([g.unsqueeze(0).expand([W, W]), g.unsqueeze(1).expand([W, W]), ones([W, W]).mul(1.5)], -1);
      const dir = d.div(d.norm(2, -1, { keepdim: true }));
      const o = tensor([0, 0.02 * k, -3]);
      const sdf = (p: AnyTensor) => {
        const s = p.norm(2, -1).sub(0.8);
        const q = p.slice("...", [0, 2]).norm(2, -1).sub(1.2);
        const t = q.square().add(p.select(-1, 2).square()).sqrt().sub(0.25);
        return s.minimum(t);
      };
      let t: Tensor = zeros([W, W]);
      for (let i = 0; i < 40; i++) {
        const dist = sdf(o.add(dir.mul(t.unsqueeze(-1))));
        t = where(dist.gt(1e-3).logicalAnd(t.lt(10)), t.add(dist), t);
      }
      const p = o.add(dir.mul(t.unsqueeze(-1)));
      const e = 1e-2;
      const n = stack([0, 1, 2].map((a) => { const h = zeros([3]); h.select(0, a).fill_(e); return sdf(p.add(h)).sub(sdf(p.sub(h))); }), -1);
      const nn = n.div(n.norm(2, -1, { keepdim: true }).add(1e-9));
      const lum = nn.mul(tensor([0.5, -0.7, -0.5])).sum(-1).clamp({ min: 0 });
      const img = where(t.lt(10), lum, zeros([1]));
      return [img.mean().item(), img.select(0, 30).toArray()];
    };
  },
  // path tracer, spheres in arrays, several bounces
  path: () => {
    const R = 4096, S = 12;
    const cen = U(S * 3, 11).reshape([S, 3]).mul(4).sub(2), rad = U(S, 12).mul(0.5).add(0.2), alb = U(S * 3, 13).reshape([S, 3]);
    const o0 = tensor([0, 0, -5]).expand([R, 3]), d0 = U(R * 3, 14).reshape([R, 3]).sub(tensor([0.5, 0.5, -0.5]));
    return (k) => {
      let o: Tensor = o0, d: Tensor = d0.div(d0.norm(2, 1, { keepdim: true })), thr: Tensor = ones([R, 3]), L: Tensor = zeros([R, 3]);
      for (let b = 0; b < 4; b++) {
        const oc = o.unsqueeze(1).sub(cen);
        const bb = oc.mul(d.unsqueeze(1)).sum(2), cc = oc.square().sum(2).sub(rad.square());
        const disc = bb.square().sub(cc);
        const t = where(disc.gt(0), bb.neg().sub(disc.clamp({ min: 0 }).sqrt()), Infinity);
        const tt = where(t.gt(1e-3), t, Infinity);
        const { values: tm, indices: hit } = tt.min(1);
        const miss = tm.isinf();
        const sky = d.select(1, 1).add(1).mul(0.5).unsqueeze(1).add(tensor([0.2, 0.3, 0.5]));
        L = L.add(where(miss.unsqueeze(1), thr.mul(sky), 0));
        const tc = where(miss, 0, tm).unsqueeze(1);
        const p = o.add(d.mul(tc));
        const n = p.sub(cen.index([hit])).div(rad.index([hit]).unsqueeze(1));
        thr = where(miss.unsqueeze(1), 0, thr.mul(alb.index([hit])));
        const refl = d.sub(n.mul(d.mul(n).sum(1, { keepdim: true }).mul(2)));
        d = refl; o = p.add(n.mul(1e-3));
      }
      return L.mul(1 + k * 0.1).mean(0).toArray();
    };
  },
  // Radon and filtered back projection
  radon: () => {
    const N = 48, A = 30;
    const img = zeros([N, N]); img.slice([12, 30], [16, 36]).fill_(1); img.slice([20, 24], [20, 28]).fill_(0.3);
    const ram = (() => { const n = arange(-N, N + 1).float(); const v = where(n.remainder(2).eq(0), 0, n.square().reciprocal().mul(-1 / Math.PI ** 2)); return where(n.eq(0), 0.25, v); })();
    return (k) => {
      const rows: Tensor[] = [];
      const im = img.mul(1 + k * 0.1).reshape([1, 1, N, N]);
      for (let a = 0; a < A; a++) {
        const th = a * Math.PI / A, c = Math.cos(th), s = Math.sin(th);
        const grid = affineGrid(tensor([[[c, -s, 0], [s, c, 0]]]), [1, 1, N, N], { alignCorners: false });
        rows.push(gridSample(im, grid, { alignCorners: false }).sum([0, 1, 2]));
      }
      const sino = stack(rows, 0);
      const filt = conv1d(sino.unsqueeze(1), ram.reshape([1, 1, -1]), { padding: N }).squeeze(1);
      const xs = arange(N).float().sub((N - 1) / 2);
      let rec: Tensor = zeros([N, N]);
      for (let a = 0; a < A; a++) {
        const th = a * Math.PI / A;
        const t = xs.unsqueeze(0).mul(Math.cos(th)).add(xs.unsqueeze(1).mul(Math.sin(th))).add((N - 1) / 2).clamp(0, N - 1.001);
        const i = t.floor().long(), f = t.sub(t.floor());
        const row = filt.select(0, a);
        rec = rec.add(row.index([i]).mul(f.neg().add(1)).add(row.index([i.add(1)]).mul(f)));
      }
      return [rec.mul(Math.PI / A).sum().item(), rec.select(0, 20).toArray()];
    };
  },
  ista: () => {
    const A = U(60 * 200, 15).reshape([60, 200]).sub(0.5).div(4), x0 = where(U(200, 16).gt(0.9), U(200, 17), 0), y = A.matmul(x0);
    const L = 6;
    let x: Tensor = zeros([200]);
    const soft = (v: Tensor, l: number) => v.sign().mul(v.abs().sub(l).clamp({ min: 0 }));
    return () => {
      for (let i = 0; i < 10; i++) x = soft(x.sub(A.t().matmul(A.matmul(x).sub(y)).div(L)), 0.002 / L);
      return [A.matmul(x).sub(y).norm().item(), x.ne(0).sum().item()];
    };
  },
  fista: () => {
    const A = U(60 * 200, 15).reshape([60, 200]).sub(0.5).div(4), x0 = where(U(200, 16).gt(0.9), U(200, 17), 0), y = A.matmul(x0);
    const L = 6; let x: Tensor = zeros([200]), z: Tensor = x, t = 1;
    return () => {
      const g = A.t().matmul(A.matmul(z).sub(y));
      const v = z.sub(g.div(L));
      const xn = v.sign().mul(v.abs().sub(0.002 / L).relu());
      const tn = (1 + Math.sqrt(1 + 4 * t * t)) / 2;
      z = xn.add(xn.sub(x).mul((t - 1) / tn));
      x = xn; t = tn;
      return A.matmul(x).sub(y).norm().item();
    };
  },
  admm: () => {
    const A = U(60 * 100, 18).reshape([60, 100]).sub(0.5), b = U(60, 19);
    const rho = 1, lam = 0.1;
    const Ch = linalg.cholesky(A.t().matmul(A).add(eye(100).mul(rho))); const Atb = A.t().matmul(b);
    let z: Tensor = zeros([100]), w: Tensor = zeros([100]);
    return () => {
      const x = Atb.add(z.sub(w).mul(rho)).unsqueeze(1).choleskySolve(Ch).squeeze(1);
      const v = x.add(w);
      z = v.sub(v.clamp(-lam / rho, lam / rho));
      w = w.add(x).sub(z);
      return [x.sub(z).norm().item(), z.abs().sum().item()];
    };
  },
  omp: () => {
    const A = U(40 * 120, 20).reshape([40, 120]).sub(0.5); const Dn = A.div(A.norm(2, 0));
    return (k) => {
      const y = U(40, 21 + (k % 4));
      let r: Tensor = y; const S: number[] = []; let coef: Tensor = zeros([1]);
      for (let i = 0; i < 8; i++) {
        S.push(Dn.t().matmul(r).abs().argmax().item());
        const sub = Dn.indexSelect(1, tensor(S.map(BigInt)));
        coef = linalg.lstsq(sub, y.unsqueeze(1)).solution.squeeze(1);
        r = y.sub(sub.matmul(coef));
      }
      return [S, coef.toArray(), r.norm().item()];
    };
  },
  sinkhorn: () => {
    const X = U(100 * 2, 30).reshape([100, 2]), Y = U(80 * 2, 31).reshape([80, 2]);
    return (k) => {
      const C = X.unsqueeze(1).sub(Y.unsqueeze(0)).square().sum(2).mul(1 + k * 0.01);
      const eps = 0.05;
      let f: Tensor = zeros([100]), g: Tensor = zeros([80]);
      const la = -Math.log(100), lb = -Math.log(80);
      for (let i = 0; i < 30; i++) {
        f = g.unsqueeze(0).sub(C).div(eps).logsumexp(1).mul(-eps).add(eps * la);
        g = f.unsqueeze(1).sub(C).div(eps).logsumexp(0).mul(-eps).add(eps * lb);
      }
      const P = f.unsqueeze(1).add(g.unsqueeze(0)).sub(C).div(eps).exp();
      return [P.mul(C).sum().item(), P.sum(1).toArray()];
    };
  },
  als: () => {
    const R = U(80 * 60, 32).reshape([80, 60]), M = U(80 * 60, 33).reshape([80, 60]).gt(0.5).float();
    let Uf: Tensor = U(80 * 5, 34).reshape([80, 5]), V: Tensor = U(60 * 5, 35).reshape([60, 5]);
    return () => {
      const solve = (F: Tensor, R: Tensor, M: Tensor) => {
        const G = einsum("uv,vi,vj->uij", M, F, F).add(eye(5).mul(0.1));
        const r = M.mul(R).matmul(F).unsqueeze(2);
        return linalg.solve(G, r).squeeze(2);
      };
      Uf = solve(V, R, M); V = solve(Uf, R.t(), M.t());
      return R.sub(Uf.matmul(V.t())).mul(M).square().sum().div(M.sum()).sqrt().item();
    };
  },
};
