import { arange, conv1d, full, linspace, maxPool1d, pad, stack } from "fuseau";
import { floats, positive, program } from "./program.ts";

const signal = { x: floats(300_000) };
const channels = { x: floats(64, 8_000) };

export const signals = [
  program(
    "differences of neighbours",
    signal,
    "x.diff()",
    ({ x }) => x.diff(),
    ({ x }) => x.narrow(0, 1, 299_999).sub(x.narrow(0, 0, 299_999)),
  ),
  program(
    "a filter of 15 taps",
    { ...signal, taps: floats(15) },
    "F.conv1d(x.reshape(1, 1, -1), taps.reshape(1, 1, -1)).flatten()",
    ({ x, taps }) => conv1d(x.reshape([1, 1, 300_000]), taps.reshape([1, 1, 15])).flatten(),
    ({ x, taps }) => x.unfold(0, 15, 1).mul(taps).sum(1),
  ),
  program(
    "running sums of channels",
    channels,
    "x.cumsum(1)",
    ({ x }) => x.cumsum(1),
    ({ x }) => x.t().cumsum(0).t(),
  ),
  program(
    "channels without their means, windowed",
    { ...channels, w: positive(8_000) },
    "(x - x.mean(1, keepdim=True)) * w",
    ({ x, w }) => x.sub(x.mean(1, { keepdim: true })).mul(w),
    ({ x, w }) => x.mul(w).sub(x.mean(1, { keepdim: true }).mul(w)),
  ),
  program(
    "a rolling maximum, summed",
    channels,
    "x.unfold(1, 60, 1).amax(2).sum(1)",
    ({ x }) => x.unfold(1, 60, 1).amax(2).sum(1),
    ({ x }) => maxPool1d(x, 60, { stride: 1 }).sum(1),
  ),
  program(
    "power in frames",
    signal,
    "x.unfold(0, 400, 160).square().mean(1)",
    ({ x }) => x.unfold(0, 400, 160).square().mean(1),
    ({ x }) => x.square().unfold(0, 400, 160).sum(1).div(400),
  ),
  program(
    "decibels of frames",
    signal,
    "10 * torch.log10(x.reshape(-1, 300).square().mean(1) + 1e-6)",
    ({ x }) => x.reshape([-1, 300]).square().mean(1).add(1e-6).log10().mul(10),
    ({ x }) =>
      x
        .square()
        .reshape([-1, 300])
        .mean(1)
        .add(1e-6)
        .log()
        .mul(10 / Math.LN10),
  ),
  program(
    "spectrum by a matrix of cosines",
    { x: floats(500, 256) },
    "x @ torch.cos(math.pi / 256 * (torch.arange(256.) + 0.5).unsqueeze(1) * torch.arange(256.))",
    ({ x }) =>
      x.matmul(
        arange(256)
          .float()
          .add(0.5)
          .mul(Math.PI / 256)
          .unsqueeze(1)
          .mul(arange(256).float())
          .cos(),
      ),
    ({ x }) =>
      arange(256)
        .float()
        .unsqueeze(1)
        .mul(arange(256).float().add(0.5))
        .mul(Math.PI / 256)
        .cos()
        .matmul(x.t())
        .t(),
  ),
  program(
    "a tone mixed in",
    signal,
    "0.8 * x + 0.2 * torch.sin(torch.arange(300000.) * 0.05)",
    ({ x }) => x.mul(0.8).add(arange(300_000).float().mul(0.05).sin().mul(0.2)),
    ({ x }) => x.lerp(arange(300_000).float().mul(0.05).sin(), 0.2),
  ),
  program(
    "every fourth sample, smoothed",
    signal,
    "F.avg_pool1d(x.reshape(1, 1, -1), 4).flatten()",
    ({ x }) => x.reshape([-1, 4]).mean(1),
    ({ x }) => {
      const at = (k: number) => x.slice([k, null, 4]);
      return at(0).add(at(1)).add(at(2)).add(at(3)).div(4);
    },
  ),
  program(
    "crossings of zero in rows",
    channels,
    "((x[:, 1:] >= 0) != (x[:, :-1] >= 0)).sum(1)",
    ({ x }) =>
      x
        .narrow(1, 1, 7_999)
        .ge(0)
        .ne(x.narrow(1, 0, 7_999).ge(0))
        .sum(1),
    ({ x }) => x.ge(0).float().diff(1, 1).abs().sum(1).to("int64"),
  ),
  program(
    "an envelope by running maxima",
    channels,
    "F.max_pool1d(x.abs(), 64, 64)",
    ({ x }) => x.abs().reshape([64, 125, 64]).amax(2),
    ({ x }) => x.abs().unfold(1, 64, 64).amax(2),
  ),
  program(
    "mirrored at both ends, averaged",
    channels,
    "F.pad(x.unsqueeze(0), (2, 2), mode='reflect').squeeze(0).unfold(1, 5, 1).mean(2)",
    ({ x }) => pad(x.unsqueeze(0), [2, 2], { mode: "reflect" }).squeeze(0).unfold(1, 5, 1).mean(2),
    ({ x }) => {
      const wide = pad(x.unsqueeze(0), [2, 2], { mode: "reflect" }).squeeze(0);
      const at = (k: number) => wide.narrow(1, k, 8_000);
      return at(0).add(at(1)).add(at(2)).add(at(3)).add(at(4)).mul(0.2);
    },
  ),
  program(
    "a band of phases wrapped",
    signal,
    "torch.remainder(x * 20 + math.pi, 2 * math.pi) - math.pi",
    ({ x }) =>
      x
        .mul(20)
        .add(Math.PI)
        .remainder(2 * Math.PI)
        .sub(Math.PI),
    ({ x }) => {
      const turns = x
        .mul(20)
        .add(Math.PI)
        .div(2 * Math.PI);
      return turns
        .sub(turns.floor())
        .mul(2 * Math.PI)
        .sub(Math.PI);
    },
  ),
  program(
    "resampled by lines",
    signal,
    "F.interpolate(x.reshape(1, 1, -1), 100000, mode='linear').flatten()",
    ({ x }) => {
      const place = arange(100_000).float().add(0.5).mul(3).sub(0.5);
      const low = place.floor();
      const index = low.to("int64");
      return x.take(index).lerp(x.take(index.add(1)), place.sub(low));
    },
    ({ x }) => x.slice([1, null, 3]),
  ),
  program(
    "a parabola through the middle of three",
    signal,
    "0.5 * (x[:-2] - x[2:]) / ((x[:-2] - 2 * x[1:-1] + x[2:]).abs() + 1)",
    ({ x }) => {
      const [a, b, c] = [0, 1, 2].map((k) => x.narrow(0, k, 299_998)) as [typeof x, typeof x, typeof x];
      return a
        .sub(c)
        .mul(0.5)
        .div(a.sub(b.mul(2)).add(c).abs().add(1));
    },
    ({ x }) => {
      const slope = x.diff();
      const [left, right] = [slope.narrow(0, 0, 299_998), slope.narrow(0, 1, 299_998)];
      return left.add(right).mul(-0.5).div(right.sub(left).abs().add(1));
    },
  ),
  program(
    "two channels, middle and side",
    { x: floats(2, 200_000) },
    "torch.stack([(x[0] + x[1]) / 2, (x[0] - x[1]) / 2])",
    ({ x }) => stack([x.select(0, 0).add(x.select(0, 1)).div(2), x.select(0, 0).sub(x.select(0, 1)).div(2)]),
    ({ x }) =>
      full([2, 2], 0.5)
        .sub(linspace(0, 1, 2).outer(linspace(0, 1, 2)))
        .matmul(x),
  ),
];
