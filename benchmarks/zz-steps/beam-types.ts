import { arange, cat, noGrad, tensor, topk, zeros, type Tensor } from "fuseau";
import { Embedding, GRUCell, Linear } from "fuseau/nn";
const V = 20, H = 16, B = 4;
const emb = new Embedding(V, H), cell = new GRUCell(H, H), out = new Linear(H, V);
noGrad(() => {
  let h = zeros([B, H]);
  let score = zeros([B]);
  let tok = zeros([B], { dtype: "int64" });
  let seqs: Tensor<[number, number], "int64"> = tok.unsqueeze(1);
  for (let t = 0; t < 10; t++) {
    h = cell.forward(emb.forward(tok), h);
    const lp = out.forward(h).logSoftmax(-1);
    const r = topk(score.unsqueeze(1).add(lp).flatten(), B);
    const from = r.indices.floorDivide(V);
    tok = r.indices.remainder(V);
    score = r.values;
    h = h.index([from]);
    seqs = cat([seqs.index([from]), tok.unsqueeze(1)], 1);
  }
  console.log(seqs.shape);
});
void [arange, tensor];
