import * as f from "fuseau";
import * as nn from "fuseau/nn";
import * as optim from "fuseau/optim";
const A: any = f, N: any = nn, O: any = optim;
const progs: Record<string, () => () => void> = {
  transformer: () => {
    A.manualSeed(0);
    const D = 64, H = 4, T = 32, B = 8;
    const emb = new N.Embedding(100, D), ln1 = new N.LayerNorm([D]), ln2 = new N.LayerNorm([D]);
    const att = new N.MultiheadAttention(D, H, { batchFirst: true });
    const l1 = new N.Linear(D, 256), l2 = new N.Linear(256, D), head = new N.Linear(D, 100);
    const ps = [emb, ln1, ln2, att, l1, l2, head].flatMap((m: any) => [...m.parameters()]);
    const opt = new O.Adam(ps, { lr: 1e-3 });
    const x = A.randint(0, 100, [B, T]), y = A.randint(0, 100, [B, T]);
    return () => {
      opt.zeroGrad();
      let h = emb.forward(x); const a = ln1.forward(h);
      h = h.add(att.forward(a, a, a)[0]);
      h = h.add(l2.forward(l1.forward(ln2.forward(h)).gelu()));
      const loss = A.crossEntropy(head.forward(h).reshape([B * T, 100]), y.reshape([B * T]));
      loss.backward(); opt.step(); loss.item();
    };
  },
  resnet: () => {
    A.manualSeed(0);
    const block = (i: number, o: number, s: number) => {
      const c1 = new N.Conv2d(i, o, 3, { padding: 1, stride: s }), b1 = new N.BatchNorm2d(o), c2 = new N.Conv2d(o, o, 3, { padding: 1 }), b2 = new N.BatchNorm2d(o);
      const sc = i !== o || s !== 1 ? new N.Conv2d(i, o, 1, { stride: s }) : null;
      return { ms: [c1, b1, c2, b2, ...(sc ? [sc] : [])], call: (x: any) => { const h = b2.forward(c2.forward(b1.forward(c1.forward(x)).relu())); return h.add(sc ? sc.forward(x) : x).relu(); } };
    };
    const stem = new N.Conv2d(3, 16, 3, { padding: 1 });
    const bs = [block(16, 16, 1), block(16, 32, 2), block(32, 64, 2)];
    const fc = new N.Linear(64, 10);
    const ps = [stem, ...bs.flatMap((b) => b.ms), fc].flatMap((m: any) => [...m.parameters()]);
    const opt = new O.SGD(ps, { lr: 0.1, momentum: 0.9 });
    const x = A.randn([8, 3, 16, 16]), y = A.randint(0, 10, [8]);
    return () => { opt.zeroGrad(); let h = stem.forward(x).relu(); for (const b of bs) h = b.call(h); const loss = A.crossEntropy(fc.forward(h.mean([2, 3])), y); loss.backward(); opt.step(); loss.item(); };
  },
  holt: () => {
    const y = A.rand([48]).add(1), a = A.tensor(0.3), b = A.tensor(0.1), g = A.tensor(0.2);
    const ps = [a, b, g].map((p) => p.requiresGrad_());
    return () => {
      for (const p of ps) p.grad = null;
      let level = y.narrow(0, 0, 12).mean(), trend = y.narrow(0, 12, 12).mean().sub(level).div(12);
      const s: any[] = []; for (let i = 0; i < 12; i++) s.push(y.select(0, i).sub(level));
      let loss = A.tensor(0);
      for (let t = 0; t < 48; t++) {
        const yt = y.select(0, t), st = s[t % 12], pred = level.add(trend).add(st);
        loss = loss.add(yt.sub(pred).square());
        const nl = ps[0].mul(yt.sub(st)).add(ps[0].neg().add(1).mul(level.add(trend)));
        trend = ps[1].mul(nl.sub(level)).add(ps[1].neg().add(1).mul(trend));
        s[t % 12] = ps[2].mul(yt.sub(nl)).add(ps[2].neg().add(1).mul(st));
        level = nl;
      }
      loss.backward(); A.noGrad(() => { for (const p of ps) p.sub_(p.grad.mul(1e-4)); }); loss.item();
    };
  },
  wavenet: () => {
    A.manualSeed(0);
    const C = 16; const ls: any[] = [];
    for (let i = 0; i < 8; i++) ls.push({ f: new N.Conv1d(C, C, 2, { dilation: 2 ** (i % 4) }), g: new N.Conv1d(C, C, 2, { dilation: 2 ** (i % 4) }), r: new N.Conv1d(C, C, 1), s: new N.Conv1d(C, C, 1), d: 2 ** (i % 4) });
    const inp = new N.Conv1d(1, C, 1), out = new N.Conv1d(C, 1, 1);
    const ps = [inp, out, ...ls.flatMap((l) => [l.f, l.g, l.r, l.s])].flatMap((m: any) => [...m.parameters()]);
    const opt = new O.Adam(ps, { lr: 1e-3 });
    const x = A.randn([2, 1, 128]);
    return () => {
      opt.zeroGrad(); let h = inp.forward(x), skip: any = null;
      for (const l of ls) { const p = A.pad(h, [l.d, 0]); const z = l.f.forward(p).tanh().mul(l.g.forward(p).sigmoid()); const s = l.s.forward(z); skip = skip ? skip.add(s) : s; h = h.add(l.r.forward(z)); }
      const loss = out.forward(skip.relu()).sub(x).square().mean(); loss.backward(); opt.step(); loss.item();
    };
  },
  snn: () => {
    A.manualSeed(0);
    const w1 = A.randn([64, 32]).mul(.2).requiresGrad_(), w2 = A.randn([32, 10]).mul(.2).requiresGrad_();
    const x = A.rand([25, 16, 64]).gt(.7).float(), y = A.randint(0, 10, [16]);
    return () => {
      w1.grad = null; w2.grad = null;
      let v1 = A.zeros([16, 32]), v2 = A.zeros([16, 10]), out = A.zeros([16, 10]);
      for (let t = 0; t < 25; t++) {
        v1 = v1.mul(.9).add(x.select(0, t).matmul(w1)); const s1 = v1.sub(1).mul(5).sigmoid(); v1 = v1.mul(s1.neg().add(1));
        v2 = v2.mul(.9).add(s1.matmul(w2)); const s2 = v2.sub(1).mul(5).sigmoid(); v2 = v2.mul(s2.neg().add(1)); out = out.add(s2);
      }
      const loss = A.crossEntropy(out, y); loss.backward(); A.noGrad(() => { w1.sub_(w1.grad.mul(.01)); w2.sub_(w2.grad.mul(.01)); }); loss.item();
    };
  },
  fft: () => {
    const x = A.randn([64]);
    const fft = (re: any, im: any): any => {
      const n = re.shape[0]; if (n === 1) return [re, im];
      const [er, ei] = fft(re.slice([0, n, 2]), im.slice([0, n, 2])), [or, oi] = fft(re.slice([1, n, 2]), im.slice([1, n, 2]));
      const a = A.arange(n / 2).mul(-2 * Math.PI / n), c = a.cos(), s = a.sin();
      const tr = or.mul(c).sub(oi.mul(s)), ti = or.mul(s).add(oi.mul(c));
      return [A.cat([er.add(tr), er.sub(tr)]), A.cat([ei.add(ti), ei.sub(ti)])];
    };
    return () => { const [r, i] = fft(x, A.zeros([64])); r.square().add(i.square()).toArray(); };
  },
  mcts: () => {
    const B = 32, Nn = 64;
    return () => {
      let visits = A.zeros([B, Nn]), value = A.zeros([B, Nn]), prior = A.rand([B, Nn]);
      for (let k = 0; k < 16; k++) {
        const q = value.div(visits.add(1)), u = prior.mul(visits.sum(1, { keepdim: true }).sqrt()).div(visits.add(1));
        const best = q.add(u).argmax(1); const one = A.oneHot(best, Nn).float();
        visits = visits.add(one); value = value.add(one.mul(prior.sum(1, { keepdim: true }).sin()));
      }
      visits.argmax(1).toArray();
    };
  },
  maml: () => {
    A.manualSeed(0);
    const ws = [A.randn([1, 20]), A.zeros([20]), A.randn([20, 1]), A.zeros([1])].map((w: any) => w.requiresGrad_());
    const opt = new O.Adam(ws, { lr: 1e-3 });
    const net = (x: any, w: any[]) => x.matmul(w[0]).add(w[1]).tanh().matmul(w[2]).add(w[3]);
    const xs = A.rand([4, 10, 1]), ys = xs.sin();
    return () => {
      opt.zeroGrad(); let total: any = A.tensor(0);
      for (let t = 0; t < 4; t++) {
        let w: any[] = ws; const x = xs.select(0, t), y = ys.select(0, t);
        for (let k = 0; k < 2; k++) { const l = net(x, w).sub(y).square().mean(); const g = A.autograd.grad([l], w, { createGraph: true }); w = w.map((p, i) => p.sub(g[i].mul(.01))); }
        total = total.add(net(x, w).sub(y).square().mean());
      }
      total.backward(); opt.step(); total.item();
    };
  },
  gru: () => {
    A.manualSeed(0);
    const g = new N.GRU(16, 32, { batchFirst: true }), l = new N.Linear(32, 4);
    const ps = [...g.parameters(), ...l.parameters()]; const opt = new O.Adam(ps, { lr: 1e-3 });
    const x = A.randn([8, 20, 16]), y = A.randint(0, 4, [8]);
    return () => { opt.zeroGrad(); const [o] = g.forward(x); const loss = A.crossEntropy(l.forward(o.select(1, 19)), y); loss.backward(); opt.step(); loss.item(); };
  },
};
const name = process.argv[2]!;
for (const other of Object.keys(progs)) if (other !== name) { const step = progs[other]!(); for (let i = 0; i < 6; i++) step(); }
{ const step = progs[name]!(); const times = [];
for (let i = 0; i < 6; i++) { const s = performance.now(); if (i === +process.argv[3]!) await prof(step); else step(); times.push((performance.now() - s).toFixed(0)); }
console.log(name.padEnd(12), "warm steps", times.join(" ")); }
import { Session } from "node:inspector/promises"; import { writeFileSync } from "node:fs";
async function prof(step: () => void) { const s = new Session(); s.connect(); await s.post("Profiler.enable"); await s.post("Profiler.setSamplingInterval", { interval: 200 }); await s.post("Profiler.start"); step(); const r: any = await s.post("Profiler.stop"); writeFileSync("/tmp/fc/p.cpuprofile", JSON.stringify(r.profile)); }
