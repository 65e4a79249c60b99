import { type AnyTensor, type Tensor, arange, autograd, bmm, cat, crossEntropy, einsum, embedding, eye, full, func, kron, linalg, logsumexp, maximum, minimum, mseLoss, noGrad, ones, outer, pad, scaledDotProductAttention, stack, tensor, where, zeros, zerosLike, klDiv, logSigmoid, binaryCrossEntropyWithLogits, smoothL1Loss, cdist, oneHot, conv2d, roll } from "fuseau";
import { Adam, AdamW, SGD } from "fuseau/optim";
import { Embedding, GELU, GRUCell, LayerNorm, Linear, Module, MultiheadAttention, ReLU, Sequential, Tanh, parameter, utils, ModuleList } from "fuseau/nn";
import { U, u, type Progs } from "./h.ts";

const ints = (n: number, seed: number, hi: number) => U(n, seed).mul(hi).floor().clamp(0, hi - 1).long();
const seeded = <M extends Module>(m: M, seed: number): M => {
  noGrad(() => { let s = seed; for (const p of m.parameters()) p.copy_(U(p.numel(), s++).sub(0.5).mul(0.4).reshape(p.shape)); });
  return m;
};

class Block extends Module {
  n1: LayerNorm; n2: LayerNorm; qkv: Linear; proj: Linear; f1: Linear; f2: Linear;
  constructor(public d: number, public h: number) {
    super();
    this.n1 = new LayerNorm(d); this.n2 = new LayerNorm(d); this.qkv = new Linear(d, 3 * d); this.proj = new Linear(d, d); this.f1 = new Linear(d, 2 * d); this.f2 = new Linear(2 * d, d);
  }
  forward(x: Tensor): Tensor {
    const [B, T] = x.shape as [number, number];
    const [q, k, v] = this.qkv.forward(this.n1.forward(x)).reshape([B, T, 3, this.h, this.d / this.h]).permute([2, 0, 3, 1, 4]).unbind(0) as [Tensor, Tensor, Tensor];
    const a = q.matmul(k.transpose(-1, -2)).div(Math.sqrt(this.d / this.h)).softmax(-1).matmul(v).transpose(1, 2).reshape([B, T, this.d]);
    x = x.add(this.proj.forward(a));
    return x.add(this.f2.forward(this.f1.forward(this.n2.forward(x)).gelu()));
  }
}
class ViT extends Module {
  patch = new Linear(16, 24); cls = parameter(zeros([1, 1, 24])); pos = parameter(zeros([1, 17, 24])); blocks = [new Block(24, 3), new Block(24, 3)]; head = new Linear(24, 4);
  forward(img: Tensor) {
    const B = img.shape[0]!;
    const p = img.unfold(1, 4, 4).unfold(2, 4, 4).reshape([B, 16, 16]);
    let x: Tensor = cat([this.cls.expand([B, 1, 24]), this.patch.forward(p)], 1).add(this.pos);
    for (const b of this.blocks) x = b.forward(x);
    return this.head.forward(x.select(1, 0));
  }
}
class Round extends autograd.Function {
  static forward(_c: autograd.FunctionContext, x: AnyTensor): AnyTensor { return x.round(); }
  static backward(_c: autograd.FunctionContext, g: AnyTensor): AnyTensor { return g; }
}
const fq = (x: AnyTensor, bits = 4) => {
  const s = x.detach().abs().amax().div(2 ** (bits - 1) - 1).clamp({ min: 1e-8 });
  return (Round.apply(x.div(s)) as AnyTensor).mul(s);
};
const xy = (n: number, d: number, seed: number) => { const x = U(n * d, seed).reshape([n, d]).sub(0.5); return { x, y: x.square().sum(1, { keepdim: true }), c: x.select(1, 0).gt(0).long() }; };

export const progs: Progs = {
  vit: () => {
    const m = seeded(new ViT(), 1); const opt = new AdamW(m.parameters(), { lr: 1e-3 });
    return (k) => {
      const img = U(8 * 256, 100 + (k % 10)).reshape([8, 16, 16]); const lab = ints(8, 200 + (k % 10), 4);
      opt.zeroGrad(); const loss = crossEntropy(m.forward(img), lab); loss.backward(); opt.step();
      return loss.item();
    };
  },
  perceiver: () => {
    class P extends Module { lat = parameter(U(8 * 16, 5).reshape([8, 16])); ca = new MultiheadAttention(16, 2, { kdim: 12, vdim: 12, batchFirst: true }); sa = new MultiheadAttention(16, 2, { batchFirst: true }); out = new Linear(16, 1);
      forward(x: Tensor<[number, number, 12], "float32">) { const l = this.lat.unsqueeze(0).expand([x.shape[0], 8, 16]); let [h] = this.ca.forward(l, x, x); for (let i = 0; i < 3; i++) { const [a] = this.sa.forward(h, h, h); h = h.add(a) as typeof h; } return this.out.forward(h.mean(1)); } }
    const m = seeded(new P(), 6); const opt = new Adam(m.parameters(), { lr: 1e-3 });
    return (k) => {
      const x = U(4 * 40 * 12, 300 + (k % 5)).reshape([4, 40, 12]); const y = x.mean([1, 2]).unsqueeze(1).mul(3);
      opt.zeroGrad(); const l = mseLoss(m.forward(x), y); l.backward(); utils.clipGradNorm_(m.parameters(), 1); opt.step(); return l.item();
    };
  },
  lora: () => {
    class L extends Module { base = new Linear(32, 32); A = parameter(U(4 * 32, 7).reshape([4, 32]).sub(0.5)); B = parameter(zeros([32, 4]));
      constructor() { super(); for (const p of this.base.parameters()) p.requiresGrad = false; }
      forward(x: Tensor) { return this.base.forward(x).add(x.matmul(this.A.t()).matmul(this.B.t()).mul(2)); } }
    const ls = [seeded(new L(), 8), seeded(new L(), 20)]; const ps = ls.flatMap((l) => l.parameters()).filter((p) => p.requiresGrad); const opt = new AdamW(ps, { lr: 1e-2 });
    return (k) => {
      const x = U(16 * 32, 400 + (k % 7)).reshape([16, 32]); opt.zeroGrad();
      let h: Tensor = x; for (const l of ls) h = l.forward(h).tanh();
      const loss = h.sub(x.flip(1)).square().mean(); loss.backward(); opt.step(); return [ps.length, loss.item()];
    };
  },
  qat: () => {
    const w1 = U(16 * 32, 9).reshape([16, 32]).sub(0.5).requiresGrad_(), w2 = U(32, 10).reshape([32, 1]).sub(0.5).requiresGrad_();
    const opt = new SGD([w1, w2], { lr: 0.05, momentum: 0.9 }); const { x, y } = xy(64, 16, 11);
    return () => { opt.zeroGrad(); const l = mseLoss(fq(fq(x.matmul(fq(w1))).relu()).matmul(fq(w2)), y); l.backward(); opt.step(); return l.item(); };
  },
  distill: () => {
    const mk = (h: number, s: number) => seeded(new Sequential(new Linear(16, h), new Tanh(), new Linear(h, 5)), s); const t = mk(64, 12), s = mk(8, 16); const opt = new Adam(s.parameters(), { lr: 1e-2 }); const { x } = xy(64, 16, 13); const lab = ints(64, 14, 5);
    return () => { const tl = noGrad(() => t.forward(x)); const sl = s.forward(x); const T = 3;
      const loss = klDiv(sl.div(T).logSoftmax(1), tl.div(T).softmax(1), { reduction: "batchmean" }).mul(T * T).mul(0.7).add(crossEntropy(sl, lab).mul(0.3)); opt.zeroGrad(); loss.backward(); opt.step(); return loss.item(); };
  },
  ema: () => {
    const m = seeded(new Sequential(new Linear(8, 16), new Tanh(), new Linear(16, 1)), 15); const ema = m.parameters().map((p) => p.detach().clone()); const opt = new SGD(m.parameters(), { lr: 0.1 }); const { x, y } = xy(32, 8, 16);
    return (k) => { opt.zeroGrad(); const l = mseLoss(m.forward(x), y); l.backward(); opt.step(); noGrad(() => ema.forEach((e, i) => e.mul_(0.99).add_(m.parameters()[i]!, { alpha: 0.01 }))); return k % 10 === 9 || k < 3 ? [l.item(), ema[0]!.sum().item()] : l.item(); };
  },
  half: () => {
    const w = U(16 * 16, 17).reshape([16, 16]).sub(0.5).requiresGrad_(), b = zeros([16]).requiresGrad_(); const { x } = xy(64, 16, 18); let scale = 1024; const opt = new SGD([w, b], { lr: 0.05 });
    return () => { opt.zeroGrad(); const h = x.half().matmul(w.half()).add(b.half()).tanh(); const l = h.float().sub(x).square().mean(); l.mul(scale).backward(); for (const p of [w, b]) p.grad = p.grad!.div(scale) as typeof p.grad;
      const bad = [w, b].some((p) => !p.grad!.isfinite().all().item()); if (bad) scale /= 2; else opt.step(); return l.item(); };
  },
  shampoo: () => {
    const W = U(12 * 20, 19).reshape([12, 20]).sub(0.5).requiresGrad_(); let L: Tensor = eye(12).mul(1e-3), R: Tensor = eye(20).mul(1e-3); const X = U(40 * 20, 20).reshape([40, 20]), Y = U(40 * 12, 21).reshape([40, 12]);
    const root = (M: Tensor) => { const { eigenvalues: e, eigenvectors: v } = linalg.eigh(M); return v.mul(e.clamp({ min: 1e-6 }).pow(-0.25)).matmul(v.t()); };
    return () => { W.grad = null; const l = X.matmul(W.t()).sub(Y).square().mean(); l.backward(); const G = W.grad!; L = L.add(G.matmul(G.t())); R = R.add(G.t().matmul(G)); noGrad(() => W.sub_(root(L).matmul(G).matmul(root(R)).mul(0.1))); return l.item(); };
  },
  kfac: () => {
    const W1 = U(10 * 6, 22).reshape([10, 6]).sub(0.5).requiresGrad_(), W2 = U(3 * 10, 23).reshape([3, 10]).sub(0.5).requiresGrad_(); const { x } = xy(50, 6, 24); const lab = ints(50, 25, 3);
    return () => { W1.grad = W2.grad = null; const a = x.matmul(W1.t()); a.retainGrad(); const h = a.tanh(); const o = h.matmul(W2.t()); o.retainGrad(); const l = crossEntropy(o, lab); l.backward(); const n = 50, lam = 0.1;
      const nat = (G: AnyTensor, inp: AnyTensor, g: AnyTensor) => { const A = inp.detach().t().matmul(inp.detach()).div(n), S = g.t().matmul(g).mul(n); return linalg.solve(S.add(eye(S.shape[0]!).mul(lam)), G).matmul(linalg.inv(A.add(eye(A.shape[0]!).mul(lam)))); };
      const d1 = nat(W1.grad!, x, a.grad!), d2 = nat(W2.grad!, h, o.grad!); noGrad(() => { W1.sub_(d1.mul(0.05)); W2.sub_(d2.mul(0.05)); }); return l.item(); };
  },
  maml: () => {
    const ps: Tensor<number[], "float32">[] = [U(1 * 20, 26).reshape([1, 20]).sub(0.5), zeros([20]), U(20, 27).reshape([20, 1]).sub(0.5), zeros([1])].map((p) => (p as Tensor<number[], "float32">).detach().requiresGrad_()); const opt = new Adam(ps, { lr: 1e-2 });
    const net = (p: AnyTensor[], x: AnyTensor) => x.matmul(p[0]!).add(p[1]!).tanh().matmul(p[2]!).add(p[3]!);
    return (k) => { opt.zeroGrad(); let meta: Tensor = tensor(0);
      for (let t = 0; t < 4; t++) { const amp = 1 + ((k + t) % 3), x = U(10, 500 + t).unsqueeze(1), y = x.mul(amp).sin(), xq = U(10, 600 + t).unsqueeze(1), yq = xq.mul(amp).sin(); let f: AnyTensor[] = ps;
        for (let s = 0; s < 2; s++) { const g = autograd.grad(mseLoss(net(f, x), y), f, { createGraph: true }); f = f.map((p, i) => p.sub(g[i]!.mul(0.1))); }
        meta = meta.add(mseLoss(net(f, xq), yq)); }
      meta.div(4).backward(); opt.step(); return meta.item(); };
  },
  sam: () => {
    const m = seeded(new Sequential(new Linear(8, 16), new Tanh(), new Linear(16, 1)), 28); const opt = new SGD(m.parameters(), { lr: 0.1 }); const { x, y } = xy(32, 8, 29);
    return () => { const ps = m.parameters(); const l = mseLoss(m.forward(x), y); l.backward(); const gn = stack(ps.map((p) => p.grad!.norm())).norm(); const es = ps.map((p) => p.grad!.mul(0.05).div(gn.add(1e-12))); noGrad(() => ps.forEach((p, i) => p.add_(es[i]!))); opt.zeroGrad(); mseLoss(m.forward(x), y).backward(); noGrad(() => ps.forEach((p, i) => p.sub_(es[i]!))); opt.step(); opt.zeroGrad(); return l.item(); };
  },
  ragged: () => {
    const m = seeded(new Sequential(new Linear(8, 16), new ReLU(), new Linear(16, 1)), 30); const opt = new Adam(m.parameters(), { lr: 1e-2 });
    return (k) => { opt.zeroGrad(); let tot = 0; for (let j = 0; j < 4; j++) { const n = 5 + ((k * 7 + j * 13) % 23); const { x, y } = xy(n, 8, 31 + j); const l = mseLoss(m.forward(x), y).div(4); l.backward(); tot += l.item(); } opt.step(); return tot; };
  },
  persample: () => {
    const W = U(8 * 3, 32).reshape([8, 3]).sub(0.5), b = zeros([3]); const { x } = xy(40, 8, 33); const y = ints(40, 34, 3); let w: AnyTensor = W;
    const loss = (w: AnyTensor, x: AnyTensor, y: AnyTensor) => crossEntropy(x.unsqueeze(0).matmul(w).add(b), y.unsqueeze(0));
    return () => { const g = func.vmap(func.grad(loss), [null, 0, 0])(w, x, y) as AnyTensor; const n = g.flatten(1).norm(2, 1); const c = n.reciprocal().mul(0.5).clamp({ max: 1 }); const G = einsum("n,nij->ij", c as never, g as never); w = w.sub(G.div(40).mul(0.5)); return [n.mean().item(), n.max().item()]; };
  },
  influence: () => {
    const { x, y } = xy(60, 6, 35); const w = linalg.lstsq(x, y).solution.squeeze(1).add(0.01);
    const f = (w: AnyTensor) => x.matmul(w).sub(y.squeeze(1)).square().mean().add(w.square().sum().mul(0.01));
    return (k) => { const v = func.grad((w: AnyTensor) => x.select(0, k % 60).dot(w as never).sub(y.select(0, k % 60).squeeze()).square())(w) as AnyTensor; let s: AnyTensor = zeros([6]), r: AnyTensor = v, p: AnyTensor = v, rs = r.square().sum().item() as number;
      for (let i = 0; i < 6 && rs > 1e-10; i++) { const [, [H]] = func.hvp(f, [w], [p] as never) as unknown as [unknown, [AnyTensor]]; const a = rs / (p.mul(H).sum().item() as number); s = s.add(p.mul(a)); r = r.sub((H as AnyTensor).mul(a)); const rn = r.square().sum().item() as number; p = r.add(p.mul(rn / rs)); rs = rn; }
      return s.toArray(); };
  },
  detect: () => {
    const anchors = stack([U(300, 36), U(300, 37), U(300, 38).mul(0.2).add(0.05), U(300, 39).mul(0.2).add(0.05)], 1); const feat = U(300 * 12, 40).reshape([300, 12]); const cls = seeded(new Linear(12, 1), 41), reg = seeded(new Linear(12, 4), 43); const opt = new SGD([...cls.parameters(), ...reg.parameters()], { lr: 0.1 });
    const box = (c: AnyTensor) => cat([c.slice(":", [0, 2]).sub(c.slice(":", [2, 4]).div(2)), c.slice(":", [0, 2]).add(c.slice(":", [2, 4]).div(2))], 1) as AnyTensor;
    const iou = (a: AnyTensor, b: AnyTensor) => { const lt = maximum(a.slice(":", [0, 2]).unsqueeze(1), b.slice(":", [0, 2]).unsqueeze(0)), rb = minimum(a.slice(":", [2, 4]).unsqueeze(1), b.slice(":", [2, 4]).unsqueeze(0)); const wh = rb.sub(lt).clamp({ min: 0 }); const inter = wh.select(2, 0).mul(wh.select(2, 1)); const ar = (c: AnyTensor) => c.select(1, 2).sub(c.select(1, 0)).mul(c.select(1, 3).sub(c.select(1, 1))); return inter.div(ar(a).unsqueeze(1).add(ar(b).unsqueeze(0)).sub(inter)); };
    return (k) => { const ng = 2 + (k % 4); const gt = stack([U(ng, 50 + k % 6), U(ng, 60), U(ng, 70).mul(0.2).add(0.05), U(ng, 80).mul(0.2).add(0.05)], 1);
      const { values: best, indices: gi } = iou(box(anchors), box(gt)).max(1); const pos = best.gt(0.3); const logits = cls.forward(feat).squeeze(1), d = reg.forward(feat);
      const focal = binaryCrossEntropyWithLogits(logits, pos.float(), { reduction: "none" }); const pt = focal.neg().exp(); const lc = focal.mul(pt.neg().add(1).square()).sum().div(pos.sum().clamp({ min: 1 }));
      const g = (gt as Tensor<[number, 4], "float32">).index([gi as Tensor<[number], "int64">]); const tgt = cat([g.slice(":", [0, 2]).sub(anchors.slice(":", [0, 2])).div(anchors.slice(":", [2, 4])), g.slice(":", [2, 4]).div(anchors.slice(":", [2, 4])).log()], 1);
      const lr = smoothL1Loss(d.index([pos as Tensor<[number], "bool">]), tgt.index([pos as Tensor<[number], "bool">]), { reduction: "sum" }).div(pos.sum().clamp({ min: 1 })); opt.zeroGrad(); const l = lc.add(lr); l.backward(); opt.step(); return [l.item(), pos.sum().item()]; };
  },
  nms: () => {
    const B = cat([U(200, 44).unsqueeze(1), U(200, 45).unsqueeze(1)], 1); const boxes = cat([B, B.add(U(400, 46).reshape([200, 2]).mul(0.3))], 1);
    return (k) => { const sc = U(200, 700 + (k % 5)); let idx: Tensor<[number], "int64"> = sc.argsort(0, { descending: true }); const keep: number[] = [];
      while (idx.shape[0] > 0) { const i = idx.select(0, 0).item(); keep.push(Number(i)); if (idx.shape[0] === 1) break; const rest = idx.slice([1, null]); const b = boxes.select(0, Number(i)), r = boxes.index([rest]); const wh = minimum(r.slice(":", [2, 4]), b.slice([2, 4])).sub(maximum(r.slice(":", [0, 2]), b.slice([0, 2]))).clamp({ min: 0 }); const inter = wh.prod(1); const ar = (x: Tensor) => x.slice("...", [2, 4]).sub(x.slice("...", [0, 2])).prod(-1); const iou = inter.div(ar(r).add(ar(b)).sub(inter)); idx = rest.index([iou.le(0.3)]) as Tensor<[number], "int64">; }
      return [keep.length, keep]; };
  },
  auction: () => {
    const n = 20; return (k) => { const C = U(n * n, 800 + k % 4).reshape([n, n]); const price = zeros([n]); const owner = full([n], -1), assign = full([n], -1); const eps = 0.02; let it = 0;
      while (it < 400) { const un = assign.eq(-1).nonzero().flatten(); if (un.shape[0] === 0) break; const i = Number(un.select(0, 0).item()); const v = C.select(0, i).sub(price); const { values, indices } = v.topk(2); const j = Number(indices.select(0, 0).item()); price.select(0, j).add_(values.select(0, 0).sub(values.select(0, 1)).add(eps)); const o = Number(owner.select(0, j).item()); if (o >= 0) assign.select(0, o).fill_(-1); owner.select(0, j).fill_(i); assign.select(0, i).fill_(j); it++; }
      return [it, C.gather(1, assign.unsqueeze(1)).sum().item(), assign.toArray()]; };
  },
  ba: () => {
    const Cn = 4, P = 20; const pts = U(P * 3, 47).reshape([P, 3]).add(tensor([0, 0, 3])), cams = U(Cn * 6, 48).reshape([Cn, 6]).sub(0.5).mul(0.2);
    const rot = (r: AnyTensor) => { const th = r.square().sum(-1, { keepdim: true }).add(1e-12).sqrt(); return { th, k: r.div(th) }; };
    const proj = (c: AnyTensor, p: AnyTensor) => { const { th, k } = rot(c.slice(":", [0, 3])); const kk = k.unsqueeze(1).expand([Cn, P, 3]), X = p.unsqueeze(0).expand([Cn, P, 3]); const t = th.unsqueeze(1); const cr = (kk as Tensor).cross(X as Tensor, -1); const Y = X.mul(t.cos()).add(cr.mul(t.sin())).add(kk.mul(kk.mul(X).sum(-1, { keepdim: true })).mul(t.cos().neg().add(1))).add(c.slice(":", [3, 6]).unsqueeze(1)); return Y.slice("...", [0, 2]).div(Y.slice("...", [2, 3])); };
    const obs = proj(cams, pts).compute(); let th: AnyTensor = cat([cams.add(0.02).flatten(), pts.add(U(P * 3, 49).sub(0.5).mul(0.1).reshape([P, 3])).flatten()]);
    const th0 = th; const res = (t: AnyTensor) => proj(t.slice([0, Cn * 6]).reshape([Cn, 6]), t.slice([Cn * 6, null]).reshape([P, 3])).sub(obs).flatten();
    return (k) => { if (k % 8 === 0) th = th0; const J = func.jacfwd(res)(th) as AnyTensor, r = res(th); const H = J.t().matmul(J).add(eye(Cn * 6 + P * 3).mul(1e-3)); const d = linalg.solve(H as never, J.t().matmul(r) as never) as AnyTensor; th = th.sub(d); return [r.square().sum().item()]; };
  },
};
void [bmm, embedding, kron, logsumexp, outer, pad, scaledDotProductAttention, where, zerosLike, logSigmoid, cdist, oneHot, conv2d, roll, Embedding, GELU, GRUCell, ModuleList, u];
