import { roll, type Tensor, zeros } from "fuseau";
const s: Tensor<[4, 4], "int64"> = zeros([4, 4]).long();
const f = (a: Tensor) => {
  const list = [1, 2].map((d) => roll(s, d, 0).eq(a).float());
  const sum = list.reduce((p, c) => p.add(c));
  return sum.mul(2);
};
console.log(f(s).shape);
const t: Tensor<number[], "int64"> = s;
const g = (a: Tensor) => {
  const list = [1, 2].map((d) => roll(t, d, 0).eq(a).float());
  const sum = list.reduce((p, c) => p.add(c));
  return sum.mul(2);
};
console.log(g(s).shape);
const h = (a: Tensor) => {
  const list = [[1, 0], [2, 0]].map(([d, ax]) => roll(t, d!, ax!).eq(a).float());
  const sum = list.reduce((p, c) => p.add(c));
  return sum.mul(2);
};
console.log(h(s).shape);
const N = 4; void N;
const ints = (n: number) => zeros([n]).long();
const go = () => {
  let s: Tensor<number[], "int64"> = ints(16).reshape([4, 4]);
  return () => {
    const same = (a: Tensor) => [[1, 0], [-1, 0]].map(([d, ax]) => roll(s, d!, ax!).eq(a).float()).reduce((p, c) => p.add(c));
    return same(s).sub(same(s));
  };
};
go();
