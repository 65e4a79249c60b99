import { zeros } from "fuseau";
import { GRUCell, LSTMCell, RNNCell } from "fuseau/nn";
const cell = new GRUCell(16, 16);
let h = zeros([4, 16]);
for (let t = 0; t < 3; t++) h = cell.forward(zeros([4, 16]), h); // TS2322: State$1<...> is not assignable
const r = new RNNCell(8, 16);
let g = zeros([4, 16]);
for (let t = 0; t < 3; t++) g = r.forward(zeros([4, 8]), g);
let [a, c] = [zeros([4, 16]), zeros([4, 16])];
const l = new LSTMCell(8, 16);
for (let t = 0; t < 3; t++) [a, c] = l.forward(zeros([4, 8]), [a, c]);
console.log(h.shape, g.shape, a.shape);
