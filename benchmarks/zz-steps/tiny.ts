import * as f from "fuseau";
import * as nn from "fuseau/nn"; import * as optim from "fuseau/optim";
const A: any = f, N: any = nn, O: any = optim;
const P: Record<string, () => any> = {
  five: () => A.rand([1000, 1000]).mul(2).add(1).sin().sub(3).div(4).sum().item(),
  fives: () => A.rand([100, 100]).mul(2).add(1).sin().sub(3).div(4).toArray(),
  softmax: () => A.rand([100, 100]).softmax(1).toArray(),
  thirty: () => { let x = A.rand([1000]); for (let i = 0; i < 10; i++) x = x.sin().mul(1.1).add(x); return x.toArray(); },
  matmul: () => A.rand([64, 64]).matmul(A.rand([64, 64])).relu().sum().item(),
  stats: () => { const x = A.rand([1000, 3]); return [x.mean(0).toArray(), x.std(0).toArray(), x.sub(x.mean(0)).div(x.std(0)).t().matmul(x).toArray()]; },
  conv: () => A.rand([1, 3, 32, 32]).sub(.5).unsqueeze(0).squeeze(0).mul(1) && A.conv2d(A.rand([1, 3, 32, 32]), A.rand([8, 3, 3, 3])).relu().mean([2, 3]).toArray(),
  sixty: () => { let x = A.rand([50, 50]); for (let i = 0; i < 15; i++) { x = x.sub(x.mean(0)).mul(1.1).tanh().matmul(x); x = x.div(x.abs().amax()); } return x.toArray(); },
  mlp: () => { const m = new N.Sequential(new N.Linear(20, 30), new N.ReLU(), new N.Linear(30, 3)); const o = new O.Adam([...m.parameters()]); const x = A.rand([16, 20]), y = A.randint(0, 3, [16]); const l = A.crossEntropy(m.forward(x), y); l.backward(); o.step(); return l.item(); },
};
const s = performance.now(); P[process.argv[2]!]!(); console.log((performance.now() - s).toFixed(1));
