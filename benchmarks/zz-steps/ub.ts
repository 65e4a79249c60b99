import { type Tensor, arange, argsort, bucketize, cat, cdist, cummax, cumsum, einsum, eye, full, linalg, linspace, logsumexp, maximum, meshgrid, minimum, nonzero, ones, outer, repeatInterleave, roll, searchsorted, sort, stack, tensor, topk, triu, unique, where, zeros, tidy, diff } from "fuseau";
import { U, u, type Progs } from "./h.ts";

const ints = (n: number, seed: number, hi: number) => U(n, seed).mul(hi).floor().clamp(0, hi - 1).long();
export const progs: Progs = {
  pagerank: () => {
    const N = 500, E = 4000; const src = ints(E, 1, N), dst = ints(E, 2, N);
    const deg = src.bincount({ minlength: N }).float().clamp({ min: 1 });
    let r: Tensor = full([N], 1 / N);
    return () => {
      const c = r.div(deg).index([src]);
      const n = zeros([N]).scatterAdd(0, dst, c).mul(0.85).add(0.15 / N);
      const d = n.sub(r).abs().sum().item();
      r = n;
      return d;
    };
  },
  floyd: () => {
    const N = 40;
    return (k) => {
      let D: Tensor = where(U(N * N, 3).reshape([N, N]).gt(0.9), U(N * N, 4 + (k % 3)).reshape([N, N]), Infinity);
      D.fillDiagonal_(0);
      for (let v = 0; v < N; v++) D = D.minimum(D.slice(":", [v, v + 1]).add(D.slice([v, v + 1])));
      return D.nanToNum({ posinf: 99 }).sum(1).toArray();
    };
  },
  bellman: () => {
    const N = 200, E = 1000; const s = ints(E, 5, N), t = ints(E, 6, N), w = U(E, 7);
    return (k) => {
      let d: Tensor = full([N], Infinity); d.index([0]); d.select(0, k % N).fill_(0);
      for (let it = 0; it < 50; it++) {
        const nd = d.scatterReduce(0, t, d.index([s]).add(w), "amin");
        const done = nd.equal(d);
        d = nd;
        if (done) break;
      }
      return d.nanToNum({ posinf: 9 }).toArray();
    };
  },
  csr: () => {
    const N = 300, E = 3000; const row = sort(ints(E, 8, N)).values, col = ints(E, 9, N), v = U(E, 10);
    let x: Tensor = U(N, 11);
    return () => {
      const y = zeros([N]).indexAdd(0, row, v.mul(x.index([col])));
      x = y.div(y.norm());
      return x.toArray();
    };
  },
  // state vector simulator, real/imag pairs
  quantum: () => {
    const n = 10, N = 1 << n;
    return (k) => {
      let re: Tensor = zeros([N]), im: Tensor = zeros([N]); re.select(0, 0).fill_(1);
      const gate = (q: number, [a, b, c, d]: [number, number][]) => {
        const sh: [number, number, number] = [1 << q, 2, 1 << (n - q - 1)];
        const R = re.reshape(sh), I = im.reshape(sh);
        const r0 = R.select(1, 0), r1 = R.select(1, 1), i0 = I.select(1, 0), i1 = I.select(1, 1);
        const lin = (p: [number, number], q: [number, number]) => [
          r0.mul(p[0]).sub(i0.mul(p[1])).add(r1.mul(q[0]).sub(i1.mul(q[1]))),
          r0.mul(p[1]).add(i0.mul(p[0])).add(r1.mul(q[1]).add(i1.mul(q[0]))),
        ] as const;
        const [A, Ai] = lin(a!, b!), [B, Bi] = lin(c!, d!);
        re = stack([A, B], 1).reshape([N]); im = stack([Ai, Bi], 1).reshape([N]);
      };
      const cz = (p: number, q: number) => {
        const i = arange(N);
        const s = i.bitwiseRightShift(n - 1 - p).bitwiseAnd(i.bitwiseRightShift(n - 1 - q)).bitwiseAnd(1).mul(-2).add(1);
        re = re.mul(s); im = im.mul(s);
      };
      for (let l = 0; l < 3; l++) {
        for (let q = 0; q < n; q++) { const th = 0.3 * (q + 1) + 0.1 * l + 0.01 * k, c = Math.cos(th), s = Math.sin(th); gate(q, [[c, 0], [0, -s], [0, -s], [c, 0]]); }
        for (let q = 0; q + 1 < n; q++) cz(q, q + 1);
      }
      const p = re.square().add(im.square());
      return [p.sum().item(), p.slice([0, 32]).toArray()];
    };
  },
  nbody: () => {
    const N = 128; let x: Tensor = U(N * 3, 12).reshape([N, 3]), v: Tensor = zeros([N, 3]); const m = U(N, 13).add(0.1);
    const acc = (x: Tensor) => {
      const d = x.unsqueeze(0).sub(x.unsqueeze(1));
      const r2 = d.square().sum(2).add(0.01);
      return d.mul(m.reshape([1, N, 1])).mul(r2.pow(-1.5).unsqueeze(2)).sum(1);
    };
    let a = acc(x);
    return () => {
      v = v.add(a.mul(0.0005)); x = x.add(v.mul(0.001)); a = acc(x); v = v.add(a.mul(0.0005));
      return v.square().sum(1).mul(m).sum().mul(0.5).item();
    };
  },
  // LJ with cell list: sort by cells, pad table
  mdcells: () => {
    const N = 256, G = 5, L = 5; let x: Tensor = U(N * 2, 14).reshape([N, 2]).mul(L), v: Tensor = U(N * 2, 15).reshape([N, 2]).sub(0.5);
    return () => {
      const c = x.floor().long().clamp(0, G - 1);
      const cell = c.select(1, 0).mul(G).add(c.select(1, 1));
      const order = cell.argsort(0, { stable: true });
      const sc = cell.index([order]);
      const count = cell.bincount({ minlength: G * G });
      const start = count.cumsum(0).sub(count);
      const rank = arange(N).sub(start.index([sc]));
      const cap = count.max().item();
      const table = full([G * G, cap], -1);
      table.indexPut_([sc, rank], order);
      let F: Tensor = zeros([N, 2]);
      for (let dx = -1; dx <= 1; dx++)
        for (let dy = -1; dy <= 1; dy++) {
          const nb = c.select(1, 0).add(dx).remainder(G).mul(G).add(c.select(1, 1).add(dy).remainder(G));
          const j = table.index([nb]); // N x cap
          const ok = j.ge(0).logicalAnd(j.ne(arange(N).unsqueeze(1)));
          let d = x.unsqueeze(1).sub(x.index([j.clamp({ min: 0 })]));
          d = d.sub(d.div(L).round().mul(L));
          const r2 = d.square().sum(2).clamp({ min: 0.05 });
          const s6 = r2.div(0.04).pow(-3);
          const f = where(ok.logicalAnd(r2.lt(1)), s6.mul(s6.mul(2).sub(1)).mul(24).div(r2).clamp(-100, 100), 0);
          F = F.add(d.mul(f.unsqueeze(2)).sum(1));
        }
      v = v.add(F.mul(0.001)); x = x.add(v.mul(0.001)).remainder(L);
      return [cap, v.square().sum().item()];
    };
  },
  cmaes: () => {
    const n = 8, lam = 16, mu = 8; const w0 = arange(1, mu + 1).float().log().neg().add(Math.log(mu + 0.5)); const w = w0.div(w0.sum());
    let mean: Tensor = ones([n]).mul(2), C: Tensor = eye(n), sigma = 0.5, ps: Tensor = zeros([n]), pc: Tensor = zeros([n]);
    const mueff = 1 / w.square().sum().item();
    return (k) => {
      const { eigenvalues: ev, eigenvectors: B } = linalg.eigh(C);
      const Dg = ev.clamp({ min: 1e-12 }).sqrt();
      const z = U(lam * n, 100 + k).add(U(lam * n, 300 + k)).add(U(lam * n, 600 + k)).sub(1.5).mul(2).reshape([lam, n]);
      const y = z.mul(Dg).matmul(B.t());
      const x = mean.add(y.mul(sigma));
      const f = x.square().mul(arange(1, n + 1)).sum(1);
      const idx = f.argsort().slice([0, mu]);
      const yw = y.index([idx]).mul(w.unsqueeze(1)).sum(0);
      mean = mean.add(yw.mul(sigma));
      const cs = 0.3, cc = 0.3;
      const inv = B.matmul(B.div(Dg).t());
      ps = ps.mul(1 - cs).add(inv.matmul(yw).mul(Math.sqrt(cs * (2 - cs) * mueff)));
      pc = pc.mul(1 - cc).add(yw.mul(Math.sqrt(cc * (2 - cc) * mueff)));
      const ys = y.index([idx]);
      C = C.mul(0.8).add(outer(pc, pc).mul(0.05)).add(einsum("k,ki,kj->ij", w, ys, ys).mul(0.15));
      C = C.add(C.t()).div(2);
      sigma *= Math.exp((cs / 2) * (ps.norm().item() / Math.sqrt(n) - 1));
      return [f.min().item(), sigma];
    };
  },
  pso: () => {
    const P = 64, n = 10; let x: Tensor = U(P * n, 20).reshape([P, n]).mul(4).sub(2), v: Tensor = zeros([P, n]);
    const f = (x: Tensor) => x.square().sub(x.mul(2 * Math.PI).cos().mul(10)).add(10).sum(1);
    let pb: Tensor = x, pf = f(x), gb: Tensor = x.select(0, pf.argmin().item());
    return (k) => {
      const r1 = U(P * n, 1000 + 2 * k).reshape([P, n]), r2 = U(P * n, 1001 + 2 * k).reshape([P, n]);
      v = v.mul(0.7).add(r1.mul(1.4).mul(pb.sub(x))).add(r2.mul(1.4).mul(gb.sub(x)));
      x = x.add(v);
      const fx = f(x); const better = fx.lt(pf);
      pb = where(better.unsqueeze(1), x, pb); pf = where(better, fx, pf);
      gb = pb.select(0, pf.argmin().item());
      return pf.min().item();
    };
  },
  diffevo: () => {
    const P = 48, n = 6; let x: Tensor = U(P * n, 22).reshape([P, n]).mul(4).sub(2);
    const f = (x: Tensor) => x.slice(":", [1, null]).sub(x.slice(":", [0, -1]).square()).square().mul(100).add(x.slice(":", [0, -1]).sub(1).square()).sum(1);
    let fx: Tensor = f(x);
    return (k) => {
      const [a, b, c] = [0, 1, 2].map((s) => U(P, 3000 + 4 * k + s).argsort()) as [Tensor<[number], "int64">, Tensor<[number], "int64">, Tensor<[number], "int64">];
      const mut = x.index([a]).add(x.index([b]).sub(x.index([c])).mul(0.7));
      const cross = U(P * n, 3003 + 4 * k).reshape([P, n]).lt(0.9);
      const trial = where(cross, mut, x);
      const ft = f(trial);
      const win = ft.lt(fx);
      x = where(win.unsqueeze(1), trial, x); fx = where(win, ft, fx);
      return k % 10 === 9 || k < 3 ? [fx.min().item(), fx.sum().item()] : null;
    };
  },
  anneal: () => {
    const B = 32, n = 12; const D = cdist(U(n * 2, 24).reshape([n, 2]), U(n * 2, 24).reshape([n, 2]));
    let perm: Tensor<number[], "int64"> = arange(n).repeat([B, 1]);
    const len = (p: Tensor<number[], "int64">) => D.index([p, p.roll(-1, 1)]).sum(1);
    let cost: Tensor = len(perm), T = 1;
    return (k) => {
      const r = U(B * 2, 5000 + k).mul(n).floor().clamp(0, n - 1).long().reshape([B, 2]);
      const i = r.slice(":", [0, 1]), j = r.slice(":", [1, 2]);
      const vi = perm.gather(1, i), vj = perm.gather(1, j);
      const cand = perm.scatter(1, i, vj).scatter(1, j, vi);
      const c2 = len(cand);
      const acc = U(B, 7000 + k).lt(cost.sub(c2).div(T).exp());
      perm = where(acc.unsqueeze(1), cand, perm); cost = where(acc, c2, cost); T *= 0.999;
      return k < 20 ? cost.toArray() : k % 25 === 0 ? cost.min().item() : null;
    };
  },
  bandit: () => {
    const R = 200, A = 10; const mu = U(R * A, 26).reshape([R, A]); let n: Tensor = ones([R, A]), s: Tensor = mu.clone(), reg: Tensor = zeros([R]);
    return (k) => {
      const ucb = s.div(n).add(n.reciprocal().mul(2 * Math.log(k + 2)).sqrt());
      const a = ucb.argmax(1, { keepdim: true });
      const rew = mu.gather(1, a).gt(U(R, 9000 + k).unsqueeze(1)).float();
      n = n.scatterAdd(1, a, ones([R, 1])); s = s.scatterAdd(1, a, rew);
      reg = reg.add(mu.amax(1)).sub(mu.gather(1, a).squeeze(1));
      return k < 20 || k % 50 === 0 ? reg.mean().item() : null;
    };
  },
  ldpc: () => {
    const V = 96, Ck = 48, dc = 6; const E = Ck * dc; const vs = U(E, 28).argsort().remainder(V); // edge -> var
    return (k) => {
      const llr = U(V, 30 + k).sub(0.35).mul(6);
      let c2v: Tensor = zeros([Ck, dc]);
      for (let it = 0; it < 10; it++) {
        const tot = llr.indexAdd(0, vs, c2v.reshape([-1]));
        const v2c = tot.index([vs]).reshape([Ck, dc]).sub(c2v);
        const sg = v2c.sign(), ab = v2c.abs();
        const { values: two, indices: ix } = topk(ab, 2, 1, { largest: false });
        const isMin = arange(dc).unsqueeze(0).eq(ix.slice(":", [0, 1]));
        const mag = where(isMin, two.slice(":", [1, 2]), two.slice(":", [0, 1]));
        c2v = sg.prod(1, { keepdim: true }).mul(sg).mul(mag).mul(0.8);
      }
      const hard = llr.indexAdd(0, vs, c2v.reshape([-1])).lt(0);
      const syn = hard.index([vs]).reshape([Ck, dc]).long().sum(1).remainder(2);
      return [syn.sum().item(), hard.long().toArray()];
    };
  },
  xorshift: () => {
    let s: Tensor = arange(1, 1001).mul(2654435761).bitwiseAnd(0xffffffff);
    const M = 0xffffffff;
    return () => {
      for (let i = 0; i < 5; i++) {
        s = s.bitwiseXor(s.bitwiseLeftShift(13)).bitwiseAnd(M);
        s = s.bitwiseXor(s.bitwiseRightShift(17));
        s = s.bitwiseXor(s.bitwiseLeftShift(5)).bitwiseAnd(M);
      }
      return s.slice([0, 50]).toArray();
    };
  },
  xorshift32: () => {
    let s: Tensor = arange(1, 1001, 1, { dtype: "int32" }).mul(7919);
    return () => {
      for (let i = 0; i < 5; i++) {
        s = s.bitwiseXor(s.bitwiseLeftShift(13));
        s = s.bitwiseXor(s.bitwiseRightShift(17).bitwiseAnd(0x7fff));
        s = s.bitwiseXor(s.bitwiseLeftShift(5));
      }
      return s.slice([0, 50]).toArray();
    };
  },
  crc: () => {
    let table: Tensor = arange(256);
    for (let b = 0; b < 8; b++) table = where(table.bitwiseAnd(1).ne(0), table.bitwiseRightShift(1).bitwiseXor(0xedb88320), table.bitwiseRightShift(1));
    const msg = ints(64 * 32, 40, 256).reshape([64, 32]);
    return (k) => {
      let c: Tensor<number[], "int64"> = full([64], 0xffffffff);
      const m = msg.add(k).remainder(256);
      for (let i = 0; i < 32; i++) c = (table as Tensor<[256], "int64">).index([c.bitwiseXor(m.select(1, i)).bitwiseAnd(255)]).bitwiseXor(c.bitwiseRightShift(8));
      return c.bitwiseXor(0xffffffff).toArray();
    };
  },
  sha: () => {
    const B = 256; const M = 0xffffffff;
    const rotr = (x: Tensor, n: number) => x.bitwiseRightShift(n).bitwiseOr(x.bitwiseLeftShift(32 - n)).bitwiseAnd(M);
    const K = u(64, 41).map((v) => Math.floor(v * 4294967296));
    const msg = ints(B * 16, 42, 4294967296).reshape([B, 16]).bitwiseAnd(M);
    return (k) => {
      const w: Tensor[] = msg.add(k).bitwiseAnd(M).unbind(1);
      for (let t = 16; t < 64; t++) {
        const s0 = rotr(w[t - 15]!, 7).bitwiseXor(rotr(w[t - 15]!, 18)).bitwiseXor(w[t - 15]!.bitwiseRightShift(3));
        const s1 = rotr(w[t - 2]!, 17).bitwiseXor(rotr(w[t - 2]!, 19)).bitwiseXor(w[t - 2]!.bitwiseRightShift(10));
        w.push(w[t - 16]!.add(s0).add(w[t - 7]!).add(s1).bitwiseAnd(M));
      }
      let [a, b, c, d, e, f, g, h] = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => full([B], 0x6a09e667 + i * 1000)) as Tensor[] as [Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor];
      for (let t = 0; t < 64; t++) {
        const S1 = rotr(e, 6).bitwiseXor(rotr(e, 11)).bitwiseXor(rotr(e, 25));
        const ch = e.bitwiseAnd(f).bitwiseXor(e.bitwiseNot().bitwiseAnd(g));
        const t1 = h.add(S1).add(ch).add(K[t]!).add(w[t]!);
        const S0 = rotr(a, 2).bitwiseXor(rotr(a, 13)).bitwiseXor(rotr(a, 22));
        const mj = a.bitwiseAnd(b).bitwiseXor(a.bitwiseAnd(c)).bitwiseXor(b.bitwiseAnd(c));
        const t2 = S0.add(mj);
        h = g; g = f; f = e; e = d.add(t1).bitwiseAnd(M); d = c; c = b; b = a; a = t1.add(t2).bitwiseAnd(M);
      }
      return stack([a, b, c, d, e, f, g, h], 1).slice([0, 4]).toArray();
    };
  },
  groupby: () => {
    const N = 20000; const key = ints(N, 43, 50), val = U(N, 44);
    return (k) => {
      const v = val.add(k * 0.01);
      const { values: keys, inverse, counts } = unique(key, { returnInverse: true, returnCounts: true });
      const G = keys.shape[0]!;
      const sum = zeros([G]).indexAdd(0, inverse, v);
      const mean = sum.div(counts!);
      const mx = full([G], -Infinity).scatterReduce(0, inverse, v, "amax");
      const sd = zeros([G]).indexAdd(0, inverse, v.sub(mean.index([inverse])).square()).div(counts!.sub(1)).sqrt();
      return [keys.toArray(), sum.toArray(), mean.toArray(), mx.toArray(), sd.toArray()];
    };
  },
  join: () => {
    const A = ints(800, 45, 100), B = ints(300, 46, 100), av = U(800, 47), bv = U(300, 48);
    return (k) => {
      const bk = B.add(k % 5);
      const { values: sb, indices: ob } = sort(bk, 0, { stable: true });
      const lo = searchsorted(sb, A), hi = searchsorted(sb, A, { right: true });
      const cnt = hi.sub(lo);
      const ai = repeatInterleave(arange(800), cnt);
      const first = repeatInterleave(lo.sub(cnt.cumsum(0).sub(cnt)), cnt);
      const bi = ob.index([arange(ai.shape[0]!).add(first)]);
      return [ai.shape[0], av.index([ai]).mul(bv.index([bi])).sum().item()];
    };
  },
  window: () => {
    const N = 5000; const g = sort(ints(N, 49, 40)).values, v = U(N, 50);
    return (k) => {
      const x = v.mul(1 + 0.01 * k);
      const isNew = cat([ones([1]).bool(), g.slice([1, null]).ne(g.slice([null, -1]))]);
      const pos = arange(N);
      const start = cummax(where(isNew, pos, 0), 0).values;
      const rowNum = pos.sub(start).add(1);
      const cs = x.cumsum(0);
      const running = cs.sub(where(start.gt(0), cs.index([start.sub(1).clamp({ min: 0 })]), 0));
      const lag = where(isNew, NaN, roll(x, 1));
      const rank = argsort(g.mul(10).add(x));
      return [rowNum.slice([0, 200]).toArray(), running.slice([0, 200]).toArray(), lag.nansum().item(), rank.slice([0, 20]).toArray()];
    };
  },
  backtest: () => {
    const T = 500, A = 8; const ret = U(T * A, 51).reshape([T, A]).sub(0.495).mul(0.04);
    return (k) => {
      const px = ret.add(1).cumprod(0).mul(100);
      const fast = px.unfold(0, 10, 1).mean(-1), slow = px.unfold(0, 50 + (k % 4), 1).mean(-1);
      const n = slow.shape[0]!;
      const sig = fast.slice([-n, null]).gt(slow).float();
      const pnl = sig.slice([0, -1]).mul(ret.slice([-(n - 1), null])).mean(1);
      const eq = pnl.add(1).cumprod(0);
      const dd = eq.div(cummax(eq, 0).values).sub(1).min();
      return [eq.select(0, -1).item(), dd.item(), pnl.mean().div(pnl.std()).mul(Math.sqrt(252)).item()];
    };
  },
  // Nelson-Siegel fit by Newton with autograd-free Jacobian; bootstrap of discount factors
  curve: () => {
    const mat = tensor([0.5, 1, 2, 3, 5, 7, 10, 20, 30]);
    return (k) => {
      const y = tensor([1, 1.2, 1.5, 1.7, 2.1, 2.3, 2.5, 2.8, 2.9]).add(0.01 * k);
      let best = Infinity, bp: number[] = [];
      for (const lam of [0.3, 0.6, 1, 2]) {
        const x = mat.mul(lam), s = x.neg().exp().neg().add(1).div(x);
        const A = stack([ones([9]), s, s.sub(x.neg().exp())], 1);
        const beta = linalg.lstsq(A, y.unsqueeze(1)).solution;
        const e = A.matmul(beta).squeeze(1).sub(y).square().sum().item();
        if (e < best) { best = e; bp = beta.squeeze(1).toArray() as number[]; }
      }
      const df: Tensor[] = [];
      const par = linspace(0.01, 0.03, 20).add(k * 1e-4);
      let annuity: Tensor = tensor(0);
      for (let i = 0; i < 20; i++) { const c = par.select(0, i); const d = c.mul(annuity).neg().add(1).div(c.add(1)); df.push(d); annuity = annuity.add(d); }
      return [best, bp, stack(df).toArray()];
    };
  },
  idw: () => {
    const P = U(200, 52).reshape([100, 2]), z = U(100, 53);
    return (k) => {
      const g = linspace(0, 1, 50 + (k % 3)); const [gy, gx] = meshgrid([g, g], { indexing: "ij" });
      const q = stack([gx!, gy!], -1).reshape([-1, 2]);
      const d = cdist(q, P);
      const w = d.add(1e-6).pow(-2);
      const out = w.matmul(z).div(w.sum(1));
      return [out.mean().item(), out.slice([0, 40]).toArray()];
    };
  },
  hillshade: () => {
    const H = U(128 * 128, 54).reshape([128, 128]).mul(10);
    return (k) => {
      const p = H.add(0.1 * k).reshape([1, 1, 128, 128]);
      const z = (dy: number, dx: number) => p.select(0, 0).select(0, 0).slice([1 + dy, 127 + dy], [1 + dx, 127 + dx]);
      const dzx = z(-1, 1).add(z(0, 1).mul(2)).add(z(1, 1)).sub(z(-1, -1)).sub(z(0, -1).mul(2)).sub(z(1, -1)).div(80);
      const dzy = z(1, -1).add(z(1, 0).mul(2)).add(z(1, 1)).sub(z(-1, -1)).sub(z(-1, 0).mul(2)).sub(z(-1, 1)).div(80);
      const slope = dzx.hypot(dzy).atan(), asp = dzy.atan2(dzx.neg());
      const az = (315 * Math.PI) / 180, al = (45 * Math.PI) / 180;
      const sh = slope.cos().mul(Math.sin(al)).add(slope.sin().mul(Math.cos(al)).mul(asp.neg().add(az).cos())).clamp({ min: 0 }).mul(255);
      return [sh.mean().item(), sh.select(0, 50).toArray()];
    };
  },
  viewshed: () => {
    const N = 96; const H = U(N * N, 55).reshape([N, N]).mul(3);
    return (k) => {
      const oy = 40 + (k % 5), ox = 48; const eye = H.select(0, oy).select(0, ox).add(2);
      const th = linspace(0, 2 * Math.PI, 180), r = arange(1, 60).float();
      const y = th.sin().unsqueeze(1).mul(r).add(oy).round().long(), x = th.cos().unsqueeze(1).mul(r).add(ox).round().long();
      const ok = y.ge(0).logicalAnd(y.lt(N)).logicalAnd(x.ge(0)).logicalAnd(x.lt(N));
      const yc = y.clamp(0, N - 1), xc = x.clamp(0, N - 1);
      const ang = H.index([yc, xc]).sub(eye).div(r);
      const m = cummax(ang, 1).values;
      const vis = ang.ge(m).logicalAnd(ok);
      const seen = zeros([N, N]); seen.indexPut_([yc, xc], vis.float(), { accumulate: true });
      return [seen.gt(0).sum().item(), vis.sum(0).toArray()];
    };
  },
};
void [bucketize, cumsum, logsumexp, maximum, minimum, nonzero, triu, tidy, diff];
