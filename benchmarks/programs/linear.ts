import { einsum, eye, linalg, stack, tensordot } from "fuseau";
import { doubles, floats, program } from "./program.ts";

const square = { a: floats(200, 200), b: floats(200, 200) };
const vectors = { a: floats(50_000, 3), b: floats(50_000, 3) };

export const linear = [
  program(
    "a product of matrices",
    square,
    "a @ b",
    ({ a, b }) => a.matmul(b),
    ({ a, b }) => b.t().matmul(a.t()).t(),
  ),
  program(
    "a product, a sum and a factor",
    { ...square, c: floats(200, 200) },
    "0.5 * (a @ b) + 2 * c",
    ({ a, b, c }) => a.matmul(b).mul(0.5).add(c.mul(2)),
    ({ a, b, c }) => c.addmm(a, b, { beta: 2, alpha: 0.5 }),
  ),
  program(
    "three matrices",
    { a: floats(300, 20), b: floats(20, 300), c: floats(300, 20) },
    "a @ (b @ c)",
    ({ a, b, c }) => a.matmul(b.matmul(c)),
    ({ a, b, c }) => linalg.multiDot([a, b, c]),
  ),
  program(
    "many small products",
    { a: floats(2_000, 8, 8), b: floats(2_000, 8, 8) },
    "torch.bmm(a, b)",
    ({ a, b }) => a.matmul(b),
    ({ a, b }) => einsum("nij,njk->nik", a, b),
  ),
  program(
    "a matrix times a vector",
    { a: floats(1_000, 1_000), v: floats(1_000) },
    "a @ v",
    ({ a, v }) => a.matmul(v),
    ({ a, v }) => a.mul(v).sum(1),
  ),
  program(
    "a vector times a matrix",
    { a: floats(1_000, 1_000), v: floats(1_000) },
    "v @ a",
    ({ a, v }) => v.matmul(a),
    ({ a, v }) => a.mul(v.unsqueeze(1)).sum(0),
  ),
  program(
    "dot products of rows",
    { a: floats(5_000, 64), b: floats(5_000, 64) },
    "(a * b).sum(1)",
    ({ a, b }) => a.mul(b).sum(1),
    ({ a, b }) => einsum("ij,ij->i", a, b),
  ),
  program(
    "cross products",
    vectors,
    "torch.cross(a, b, 1)",
    ({ a, b }) => a.cross(b, 1),
    ({ a, b }) => {
      const [x, y, z] = [0, 1, 2].map((k) => a.select(1, k)) as [typeof a, typeof a, typeof a];
      const [u, v, w] = [0, 1, 2].map((k) => b.select(1, k)) as [typeof a, typeof a, typeof a];
      return stack([y.mul(w).sub(z.mul(v)), z.mul(u).sub(x.mul(w)), x.mul(v).sub(y.mul(u))], 1);
    },
  ),
  program(
    "rows of length 1",
    { a: floats(5_000, 100) },
    "F.normalize(a)",
    ({ a }) => a.div(a.norm(2, 1, { keepdim: true })),
    ({ a }) => a.mul(a.square().sum(1, { keepdim: true }).rsqrt()),
  ),
  program(
    "cosines of all pairs",
    { a: floats(400, 64), b: floats(400, 64) },
    "F.normalize(a) @ F.normalize(b).t()",
    ({ a, b }) => a.div(a.norm(2, 1, { keepdim: true })).matmul(b.div(b.norm(2, 1, { keepdim: true })).t()),
    ({ a, b }) =>
      a
        .matmul(b.t())
        .div(a.norm(2, 1, { keepdim: true }))
        .div(b.norm(2, 1)),
  ),
  program(
    "squared distances of all pairs",
    { a: floats(400, 16), b: floats(400, 16) },
    "(a.unsqueeze(1) - b).square().sum(2)",
    ({ a, b }) => a.unsqueeze(1).sub(b).square().sum(2),
    ({ a, b }) => a.square().sum(1, { keepdim: true }).add(b.square().sum(1)).sub(a.matmul(b.t()).mul(2)),
  ),
  program(
    "quadratic forms",
    { x: floats(2_000, 50), a: floats(50, 50) },
    "((x @ a) * x).sum(1)",
    ({ x, a }) => x.matmul(a).mul(x).sum(1),
    ({ x, a }) => einsum("ni,ij,nj->n", x, a, x),
  ),
  program(
    "a product of float64",
    { a: doubles(150, 150), b: doubles(150, 150) },
    "a @ b.t()",
    ({ a, b }) => a.matmul(b.t()),
    ({ a, b }) => einsum("ik,jk->ij", a, b),
  ),
  program(
    "an outer product, added",
    { a: floats(800, 600), u: floats(800), v: floats(600) },
    "a + torch.outer(u, v)",
    ({ a, u, v }) => a.add(u.outer(v)),
    ({ a, u, v }) => a.add(u.unsqueeze(1).mul(v)),
  ),
  program(
    "ten steps of a power iteration",
    { a: floats(200, 200), v: floats(200) },
    "functools.reduce(lambda x, _: (a @ x) / (a @ x).norm(), range(10), v).abs().sum()",
    ({ a, v }) => {
      let x = v;
      for (let k = 0; k < 10; k++) {
        const y = a.matmul(x);
        x = y.div(y.norm());
      }
      return x.abs().sum();
    },
    ({ a, v }) => {
      let x = v;
      for (let k = 0; k < 10; k++) x = a.mul(x).sum(1);
      return x.div(x.norm()).abs().sum();
    },
  ),
  program(
    "five steps of Newton's inverse",
    { a: floats(100, 100) },
    "functools.reduce(lambda x, _: x @ (2 * torch.eye(100) - (torch.eye(100) + 0.001 * a) @ x), range(5), torch.eye(100))",
    ({ a }) => {
      const m = a.mul(0.001).add(eye(100));
      let x = eye(100).add(m.mul(0));
      for (let k = 0; k < 5; k++) x = x.matmul(eye(100).mul(2).sub(m.matmul(x)));
      return x;
    },
    ({ a }) => {
      const m = a.mul(0.001).add(eye(100));
      let x = eye(100).add(m.mul(0));
      for (let k = 0; k < 5; k++) x = x.mul(2).sub(x.matmul(m).matmul(x));
      return x;
    },
  ),
  program(
    "a contraction over two axes",
    { a: floats(60, 20, 20), b: floats(20, 20, 50) },
    "torch.tensordot(a, b, 2)",
    ({ a, b }) => tensordot(a, b, 2),
    ({ a, b }) => a.reshape([60, 400]).matmul(b.reshape([400, 50])),
  ),
];
