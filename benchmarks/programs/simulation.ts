import { arange, cat, full, type Tensor, where, zeros, zerosLike } from "fuseau";
import { floats, positive, program } from "./program.ts";

type Floats = Tensor<number[], "float32">;

const field = { u: positive(500, 500) };
const bodies = { p: floats(300, 3), m: positive(300) };
const options = { s: positive(100_000), k: positive(100_000), t: positive(100_000) };

const inner = (u: Floats, i: number, j: number) => u.narrow(0, i, 498).narrow(1, j, 498);

export const simulation = [
  program(
    "a step of heat",
    field,
    "u[1:-1, 1:-1] + 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])",
    ({ u }) => {
      const around = inner(u, 0, 1)
        .add(inner(u, 2, 1))
        .add(inner(u, 1, 0))
        .add(inner(u, 1, 2));
      return inner(u, 1, 1).add(around.sub(inner(u, 1, 1).mul(4)).mul(0.1));
    },
    ({ u }) => {
      const [rows, columns] = [u.diff(2, 0).narrow(1, 1, 498), u.diff(2, 1).narrow(0, 1, 498)];
      return rows
        .add(columns)
        .mul(0.1)
        .add(inner(u, 1, 1));
    },
  ),
  program(
    "a step of waves on a ring",
    { u: floats(300_000), v: floats(300_000) },
    "2 * u - v + 0.2 * (u.roll(1) - 2 * u + u.roll(-1))",
    ({ u, v }) =>
      u
        .mul(2)
        .sub(v)
        .add(u.roll(1).sub(u.mul(2)).add(u.roll(-1)).mul(0.2)),
    ({ u, v }) => u.roll(1).add(u.roll(-1)).mul(0.2).add(u.mul(1.6)).sub(v),
  ),
  program(
    "a generation of Life",
    field,
    "(lambda a: (lambda n: ((n == 3) | ((n == 2) & (a == 1))).float())(sum(a.roll((i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))))((u > 0.6).float())",
    ({ u }) => {
      const alive = u.gt(0.6).float();
      const shifts = [-1, 0, 1]
        .flatMap((i) => [-1, 0, 1].map((j) => [i, j] as const))
        .filter(([i, j]) => i !== 0 || j !== 0);
      const near = shifts.map(([i, j]) => alive.roll([i, j], [0, 1])).reduce((sum, each) => sum.add(each));
      return near
        .eq(3)
        .logicalOr(near.eq(2).logicalAnd(alive.eq(1)))
        .float();
    },
    ({ u }) => {
      const alive = u.gt(0.6).float();
      const rows = alive.roll(1, 0).add(alive).add(alive.roll(-1, 0));
      const block = rows.roll(1, 1).add(rows).add(rows.roll(-1, 1));
      return where(block.eq(3), 1, where(block.eq(4), alive, zerosLike(alive)));
    },
  ),
  program(
    "accelerations of 300 bodies",
    bodies,
    "(lambda d: (d * (m / (d.square().sum(2) + 0.01) ** 1.5).unsqueeze(2)).sum(1))(p.unsqueeze(0) - p.unsqueeze(1))",
    ({ p, m }) => {
      const d = p.unsqueeze(0).sub(p.unsqueeze(1));
      return d.mul(m.div(d.square().sum(2).add(0.01).pow(1.5)).unsqueeze(2)).sum(1);
    },
    ({ p, m }) => {
      const d = p.unsqueeze(0).sub(p.unsqueeze(1));
      const pull = m.mul(d.square().sum(2).add(0.01).pow(-1.5));
      return pull.matmul(p).sub(p.mul(pull.sum(1, { keepdim: true })));
    },
  ),
  program(
    "energies of all pairs",
    bodies,
    "((p.unsqueeze(0) - p.unsqueeze(1)).square().sum(2) + 0.01).rsqrt().mul(m).sum(1).mul(m).sum()",
    ({ p, m }) =>
      p.unsqueeze(0).sub(p.unsqueeze(1)).square().sum(2).add(0.01).rsqrt().mul(m).sum(1).mul(m).sum(),
    ({ p, m }) => {
      const d = p.unsqueeze(0).sub(p.unsqueeze(1)).square().sum(2).add(0.01).sqrt();
      return m.outer(m).div(d).sum();
    },
  ),
  program(
    "prices of Black and Scholes",
    options,
    "(lambda d: s * torch.special.ndtr(d) - k * torch.exp(-0.05 * t) * torch.special.ndtr(d - 0.2 * t.sqrt()))((torch.log(s / k) + 0.07 * t) / (0.2 * t.sqrt()))",
    ({ s, k, t }) => {
      const d = s.div(k).log().add(t.mul(0.07)).div(t.sqrt().mul(0.2));
      return s.mul(d.ndtr()).sub(k.mul(t.mul(-0.05).exp()).mul(d.sub(t.sqrt().mul(0.2)).ndtr()));
    },
    ({ s, k, t }) => {
      const spread = t.sqrt().mul(0.2);
      const d = s.log().sub(k.log()).add(t.mul(0.07)).div(spread);
      const share = (x: Floats) => x.div(Math.SQRT2).erf().add(1).mul(0.5);
      return s.mul(share(d)).sub(k.mul(share(d.sub(spread))).div(t.mul(0.05).exp()));
    },
  ),
  program(
    "paths of a random walk, summed up",
    { z: floats(2_000, 100) },
    "(0.01 * z - 0.00005).cumsum(1).exp()[:, -1].mean()",
    ({ z }) => z.mul(0.01).sub(0.00005).cumsum(1).exp().select(1, 99).mean(),
    ({ z }) => z.sum(1).mul(0.01).sub(0.005).exp().mean(),
  ),
  program(
    "thirty steps of Mandelbrot",
    { x: floats(200, 200), y: floats(200, 200) },
    "functools.reduce(lambda s, _: (lambda a, b, n: (lambda m: (torch.where(m, a * a - b * b + x * 1.5 - 0.5, a), torch.where(m, 2 * a * b + y * 1.2, b), n + m))(a * a + b * b < 4))(*s), range(30), (torch.zeros(200, 200), torch.zeros(200, 200), torch.zeros(200, 200)))[2]",
    ({ x, y }) => {
      const [cx, cy] = [x.mul(1.5).sub(0.5), y.mul(1.2)];
      let [a, b, n] = [zerosLike(x), zerosLike(x), zerosLike(x)];
      for (let k = 0; k < 30; k++) {
        const inside: Tensor<number[], "bool"> = a.square().add(b.square()).lt(4);
        const next: Floats = a.square().sub(b.square()).add(cx);
        b = where(inside, a.mul(b).mul(2).add(cy), b);
        [a, n] = [where(inside, next, a), n.add(inside)];
      }
      return n;
    },
    ({ x, y }) => {
      const [cx, cy] = [x.mul(1.5).sub(0.5), y.mul(1.2)];
      let [a, b, n] = [zerosLike(x), zerosLike(x), zerosLike(x)] as [Floats, Floats, Floats];
      for (let k = 0; k < 30; k++) {
        const [aa, bb, ab] = [a.mul(a), b.mul(b), a.mul(b)];
        const inside = aa.add(bb).lt(4);
        a = where(inside, aa.sub(bb).add(cx), a);
        b = where(inside, ab.add(ab).add(cy), b);
        n = where(inside, n.add(1), n);
      }
      return n;
    },
  ),
  program(
    "rays and a sphere",
    { d: floats(100_000, 3), c: positive(3) },
    "(lambda b, q: torch.where(b * b > q, b - (b * b - q).clamp(min=0).sqrt(), torch.tensor(-1.)))((F.normalize(d) * c).sum(1), c.square().sum() - 0.25)",
    ({ d, c }) => {
      const along = d
        .div(d.norm(2, 1, { keepdim: true }))
        .mul(c)
        .sum(1);
      const rest = along.square().sub(c.square().sum().sub(0.25));
      return where(rest.gt(0), along.sub(rest.clampMin(0).sqrt()), -1);
    },
    ({ d, c }) => {
      const along = d.mul(c).sum(1).mul(d.square().sum(1).rsqrt());
      const rest = along.mul(along).sub(c.square().sum()).add(0.25);
      return along.sub(rest.clampMin(0).sqrt()).maskedFill(rest.le(0), -1);
    },
  ),
  program(
    "points turned and moved",
    { p: floats(100_000, 3), r: floats(3, 3), t: floats(3) },
    "p @ r.t() + t",
    ({ p, r, t }) => p.matmul(r.t()).add(t),
    ({ p, r, t }) => p.unsqueeze(1).mul(r).sum(2).add(t),
  ),
  program(
    "great-circle distances to one place",
    { lat: floats(100_000), lon: floats(100_000) },
    "2 * torch.asin(torch.sqrt(torch.sin((lat - 0.8) / 2) ** 2 + torch.cos(lat) * math.cos(0.8) * torch.sin((lon - 0.2) / 2) ** 2))",
    ({ lat, lon }) => {
      const north = lat.sub(0.8).div(2).sin().square();
      const east = lat.cos().mul(Math.cos(0.8)).mul(lon.sub(0.2).div(2).sin().square());
      return north.add(east).sqrt().asin().mul(2);
    },
    ({ lat, lon }) => {
      const north = lat.sub(0.8).cos().rsub(1);
      const east = lat.cos().mul(Math.cos(0.8)).mul(lon.sub(0.2).cos().rsub(1));
      return north.add(east).div(2).sqrt().asin().mul(2);
    },
  ),
  program(
    "a logistic map, twenty times",
    { x: positive(100_000) },
    "functools.reduce(lambda u, _: 2.8 * u * (1 - u), range(20), x)",
    ({ x }) => {
      let u = x;
      for (let k = 0; k < 20; k++) u = u.mul(2.8).mul(u.rsub(1));
      return u;
    },
    ({ x }) => {
      let u = x;
      for (let k = 0; k < 20; k++) u = u.sub(u.square()).mul(2.8);
      return u;
    },
  ),
  program(
    "ten pointwise steps over a column and a row",
    { u: floats(700, 1), v: floats(1, 700) },
    "functools.reduce(lambda z, k: (z * u + v).clamp(-1, 1) if k % 2 else z - 0.5 * v, range(5), u * v)",
    ({ u, v }) => {
      let z = u.mul(v);
      for (let k = 0; k < 5; k++) z = k % 2 === 1 ? z.mul(u).add(v).clamp(-1, 1) : z.sub(v.mul(0.5));
      return z;
    },
    ({ u, v }) => {
      let z: Floats = u.expand([700, 700]).mul(v.expand([700, 700]));
      for (let k = 0; k < 5; k++)
        z = k % 2 === 1 ? v.add(u.mul(z)).clampMin(-1).clampMax(1) : z.sub(v.div(2));
      return z;
    },
  ),
  program(
    "springs in a row, five steps",
    { x: floats(100_000) },
    "functools.reduce(lambda u, _: u + 0.1 * F.pad(u[2:] - 2 * u[1:-1] + u[:-2], (1, 1)), range(5), x)",
    ({ x }) => {
      let u = x;
      for (let k = 0; k < 5; k++) {
        const bend = u
          .narrow(0, 2, 99_998)
          .sub(u.narrow(0, 1, 99_998).mul(2))
          .add(u.narrow(0, 0, 99_998));
        u = u.add(bend.mul(0.1).pad([1, 1]));
      }
      return u;
    },
    ({ x }) => {
      let u = x;
      for (let k = 0; k < 5; k++)
        u = cat([zeros([1]), u.diff(2), zeros([1])], 0)
          .mul(0.1)
          .add(u);
      return u;
    },
  ),
  program(
    "a potential of a charge on a grid",
    { q: positive(4) },
    "sum(q[k] / ((torch.arange(400.).unsqueeze(1) - 100 * k) ** 2 + (torch.arange(400.) - 90 * k) ** 2 + 1).sqrt() for k in range(4))",
    ({ q }) => {
      const axis = arange(400).float();
      let sum: Floats = full([400, 400], 0, { dtype: "float32" });
      for (let k = 0; k < 4; k++) {
        const far = axis
          .unsqueeze(1)
          .sub(100 * k)
          .square()
          .add(axis.sub(90 * k).square());
        sum = sum.add(q.select(0, k).div(far.add(1).sqrt()));
      }
      return sum;
    },
    ({ q }) => {
      const [k, axis] = [arange(4).float(), arange(400).float()];
      const [north, east] = [axis.unsqueeze(1).sub(k.mul(100)), axis.unsqueeze(1).sub(k.mul(90))];
      return north.square().unsqueeze(1).add(east.square()).add(1).rsqrt().mul(q).sum(2);
    },
  ),
];
