import {
  avgPool2d,
  cat,
  conv2d,
  interpolate,
  layerNorm,
  maxPool2d,
  pixelShuffle,
  stack,
  tensor,
  unfold,
  where,
} from "fuseau";
import { bytes, floats, positive, program } from "./program.ts";

const photo = { photo: bytes(540, 960, 3) };
const grey = { x: positive(720, 1280) };
const planes = { x: positive(1, 3, 540, 960) };

export const images = [
  program(
    "photo to normalised planes",
    { ...photo, mean: floats(3), std: positive(3) },
    "photo.float().div(255).sub(mean).div(std).permute(2, 0, 1).contiguous()",
    ({ photo, mean, std }) => photo.float().div(255).sub(mean).div(std).permute([2, 0, 1]).contiguous(),
    ({ photo, mean, std }) =>
      photo
        .permute([2, 0, 1])
        .float()
        .div(255)
        .sub(mean.reshape([3, 1, 1]))
        .div(std.reshape([3, 1, 1])),
  ),
  program(
    "grey of a photo",
    { ...photo, weights: positive(3) },
    "photo.float().mul(weights).sum(2)",
    ({ photo, weights }) => photo.float().mul(weights).sum(2),
    ({ photo, weights }) =>
      photo
        .select(2, 0)
        .mul(weights.select(0, 0))
        .add(photo.select(2, 1).mul(weights.select(0, 1)))
        .add(photo.select(2, 2).mul(weights.select(0, 2))),
  ),
  program(
    "brightness and contrast",
    grey,
    "x.sub(0.5).mul(1.2).add(0.6).clamp(0, 1)",
    ({ x }) => x.sub(0.5).mul(1.2).add(0.6).clamp(0, 1),
    ({ x }) => x.mul(1.2).clamp(0, 1),
  ),
  program(
    "gamma, back to bytes",
    grey,
    "x.pow(1 / 2.2).mul(255).add(0.5).floor().clamp(0, 255).to(torch.uint8).sum(1)",
    ({ x }) =>
      x
        .pow(1 / 2.2)
        .mul(255)
        .add(0.5)
        .floor()
        .clamp(0, 255)
        .to("uint8")
        .sum(1),
    ({ x }) => x.log().div(2.2).exp().mul(255).clamp(0, 255).add(0.5).floor().to("uint8").sum(1),
  ),
  program(
    "edges by Sobel",
    grey,
    "torch.hypot(x[:-2, 2:] + 2 * x[1:-1, 2:] + x[2:, 2:] - x[:-2, :-2] - 2 * x[1:-1, :-2] - x[2:, :-2], x[2:, :-2] + 2 * x[2:, 1:-1] + x[2:, 2:] - x[:-2, :-2] - 2 * x[:-2, 1:-1] - x[:-2, 2:])",
    ({ x }) => {
      const at = (i: number, j: number) => x.narrow(0, i, 718).narrow(1, j, 1278);
      const across = at(0, 2)
        .add(at(1, 2).mul(2))
        .add(at(2, 2))
        .sub(at(0, 0))
        .sub(at(1, 0).mul(2))
        .sub(at(2, 0));
      const down = at(2, 0)
        .add(at(2, 1).mul(2))
        .add(at(2, 2))
        .sub(at(0, 0))
        .sub(at(0, 1).mul(2))
        .sub(at(0, 2));
      return across.hypot(down);
    },
    ({ x }) => {
      const across = x.narrow(1, 2, 1278).sub(x.narrow(1, 0, 1278));
      const down = x.narrow(0, 2, 718).sub(x.narrow(0, 0, 718));
      const smooth = across
        .narrow(0, 0, 718)
        .add(across.narrow(0, 1, 718).mul(2))
        .add(across.narrow(0, 2, 718));
      const other = down
        .narrow(1, 0, 1278)
        .add(down.narrow(1, 1, 1278).mul(2))
        .add(down.narrow(1, 2, 1278));
      return smooth.square().add(other.square()).sqrt();
    },
  ),
  program(
    "blur of 3×3",
    planes,
    "F.avg_pool2d(x, 3, stride=1)",
    ({ x }) => avgPool2d(x.reshape([1, 3, 540, 960]), 3, { stride: 1 }),
    ({ x }) => {
      const rows = x
        .narrow(3, 0, 958)
        .add(x.narrow(3, 1, 958))
        .add(x.narrow(3, 2, 958));
      return rows
        .narrow(2, 0, 538)
        .add(rows.narrow(2, 1, 538))
        .add(rows.narrow(2, 2, 538))
        .div(9);
    },
  ),
  program(
    "sharpened within its border",
    { x: positive(1, 1, 720, 1280) },
    "F.conv2d(x, torch.tensor([[[[0., -1, 0], [-1, 5, -1], [0, -1, 0]]]]))",
    ({ x }) =>
      conv2d(x.reshape([1, 1, 720, 1280]), tensor([0, -1, 0, -1, 5, -1, 0, -1, 0]).reshape([1, 1, 3, 3])),
    ({ x }) => {
      const at = (i: number, j: number) => x.narrow(2, i, 718).narrow(3, j, 1278);
      return at(1, 1).mul(5).sub(at(0, 1)).sub(at(1, 0)).sub(at(1, 2)).sub(at(2, 1));
    },
  ),
  program(
    "one picture over another",
    { front: positive(540, 960, 3), back: positive(540, 960, 3), alpha: positive(540, 960, 1) },
    "front * alpha + back * (1 - alpha)",
    ({ front, back, alpha }) => front.mul(alpha).add(back.mul(alpha.rsub(1))),
    ({ front, back, alpha }) => back.lerp(front, alpha),
  ),
  program(
    "a picture turned",
    grey,
    "x.flip([1]).t().contiguous()",
    ({ x }) => x.flip([1]).t().contiguous(),
    ({ x }) => x.t().flip([0]).contiguous(),
  ),
  program(
    "counts of 256 tones",
    { photo: bytes(720, 1280) },
    "torch.bincount(photo.flatten(), minlength=256)",
    ({ photo }) => photo.flatten().bincount(null, 256),
    ({ photo }) => photo.float().histc({ bins: 256, min: 0, max: 256 }).to("int64"),
  ),
  program(
    "half the size, by means",
    planes,
    "F.avg_pool2d(x, 2)",
    ({ x }) => avgPool2d(x.reshape([1, 3, 540, 960]), 2),
    ({ x }) => x.reshape([1, 3, 270, 2, 480, 2]).mean([3, 5]),
  ),
  program(
    "half the size, bilinear, normalised",
    planes,
    "F.interpolate(x, scale_factor=0.5, mode='bilinear').sub(0.45).div(0.22)",
    ({ x }) =>
      interpolate(x.reshape([1, 3, 540, 960]), { scaleFactor: 0.5, mode: "bilinear" })
        .sub(0.45)
        .div(0.22),
    ({ x }) =>
      interpolate(x.sub(0.45).div(0.22).reshape([1, 3, 540, 960]), { size: [270, 480], mode: "bilinear" }),
  ),
  program(
    "twice the size, nearest",
    { x: positive(1, 3, 270, 480) },
    "F.interpolate(x, scale_factor=2)",
    ({ x }) => interpolate(x.reshape([1, 3, 270, 480]), { scaleFactor: 2 }),
    ({ x }) => x.repeatInterleave(2, 2).repeatInterleave(2, 3),
  ),
  program(
    "colours turned by a matrix",
    { photo: positive(540, 960, 3), m: floats(3, 3) },
    "photo.reshape(-1, 3).matmul(m).reshape(540, 960, 3)",
    ({ photo, m }) => photo.reshape([-1, 3]).matmul(m).reshape([540, 960, 3]),
    ({ photo, m }) => photo.unsqueeze(-1).mul(m).sum(2),
  ),
  program(
    "maxima of 2×2",
    { x: floats(8, 16, 128, 128) },
    "F.max_pool2d(x, 2)",
    ({ x }) => maxPool2d(x.reshape([8, 16, 128, 128]), 2),
    ({ x }) => x.reshape([8, 16, 64, 2, 64, 2]).amax([3, 5]),
  ),
  program(
    "dark corners, by a column and a row",
    { x: positive(720, 1280), column: positive(720, 1), row: positive(1, 1280) },
    "torch.where(column * row > 0.2, x * column * row, x * 0.2)",
    ({ x, column, row }) => where(column.mul(row).gt(0.2), x.mul(column).mul(row), x.mul(0.2)),
    ({ x, column, row }) => x.mul(column.mul(row).clampMin(0.2)),
  ),
  program(
    "maxima of maxima",
    { x: floats(8, 8, 128, 128) },
    "F.max_pool2d(F.max_pool2d(x, 2), 2)",
    ({ x }) => maxPool2d(maxPool2d(x, 2), 2),
    ({ x }) => maxPool2d(x, 4),
  ),
  program(
    "a blur along rows, then columns",
    { x: positive(3, 1, 240, 320), row: positive(1, 1, 1, 5), column: positive(1, 1, 5, 1) },
    "F.conv2d(F.conv2d(x, row, padding=(0, 2)), column, padding=(2, 0))",
    ({ x, row, column }) =>
      conv2d(
        conv2d(x.reshape([3, 1, 240, 320]), row.reshape([1, 1, 1, 5]), { padding: [0, 2] }),
        column.reshape([1, 1, 5, 1]),
        {
          padding: [2, 0],
        },
      ),
    ({ x, row, column }) =>
      conv2d(x.reshape([3, 1, 240, 320]), column.mul(row).reshape([1, 1, 5, 5]), { padding: 2 }),
  ),
  program(
    "the strength of two filters",
    { x: positive(3, 1, 240, 320), across: floats(1, 1, 3, 3), down: floats(1, 1, 3, 3) },
    "torch.hypot(F.conv2d(x, across), F.conv2d(x, down))",
    ({ x, across, down }) =>
      conv2d(x.reshape([3, 1, 240, 320]), across.reshape([1, 1, 3, 3])).hypot(
        conv2d(x.reshape([3, 1, 240, 320]), down.reshape([1, 1, 3, 3])),
      ),
    ({ x, across, down }) =>
      conv2d(x.reshape([3, 1, 240, 320]), cat([across, down]).reshape([2, 1, 3, 3])).norm(2, [1], {
        keepdim: true,
      }),
  ),
  program(
    "similarity of two images",
    { x: positive(3, 240, 320), y: positive(3, 240, 320) },
    "(lambda m, n, p, q, r: ((2 * m * n + .01) * (2 * (r - m * n) + .03) / ((m * m + n * n + .01) * (p - m * m + q - n * n + .03))).mean())(*(F.avg_pool2d(v, 7, 1) for v in (x, y, x * x, y * y, x * y)))",
    ({ x, y }) => {
      const mean = (v: typeof x) => avgPool2d(v.reshape([3, 240, 320]), 7, { stride: 1 });
      const [m, n] = [mean(x), mean(y)];
      const [p, q, r] = [
        mean(x.mul(x)).sub(m.mul(m)),
        mean(y.mul(y)).sub(n.mul(n)),
        mean(x.mul(y)).sub(m.mul(n)),
      ];
      const alike = m.mul(n).mul(2).add(0.01).mul(r.mul(2).add(0.03));
      return alike.div(m.mul(m).add(n.mul(n)).add(0.01).mul(p.add(q).add(0.03))).mean();
    },
    ({ x, y }) => {
      const of = stack([x, y, x.mul(x), y.mul(y), x.mul(y)]).reshape([15, 240, 320]);
      const [m, n, xx, yy, xy] = avgPool2d(of, 7, { stride: 1 }).split(3) as [
        typeof x,
        typeof x,
        typeof x,
        typeof x,
        typeof x,
      ];
      const [p, q, r] = [xx.sub(m.square()), yy.sub(n.square()), xy.sub(m.mul(n))];
      const alike = m.mul(n).mul(2).add(0.01).mul(r.mul(2).add(0.03));
      return alike.div(m.square().add(n.square()).add(0.01).mul(p.add(q).add(0.03))).mean();
    },
  ),
  program(
    "pixels shuffled, and a picture added",
    { x: floats(4, 64, 32, 32), y: floats(4, 16, 64, 64) },
    "F.pixel_shuffle(x, 2) + y",
    ({ x, y }) => pixelShuffle(x.reshape([4, 64, 32, 32]), 2).add(y),
    ({ x, y }) =>
      x.reshape([4, 16, 2, 2, 32, 32]).permute([0, 1, 4, 2, 5, 3]).reshape([4, 16, 64, 64]).add(y),
  ),
  program(
    "a norm of patches",
    { x: floats(4, 16, 128, 128) },
    "F.layer_norm(x.reshape(4, 16, 16, 8, 16, 8).permute(0, 2, 4, 1, 3, 5).reshape(4, 256, 1024), (1024,))",
    ({ x }) =>
      x.reshape([4, 16, 16, 8, 16, 8]).permute([0, 2, 4, 1, 3, 5]).reshape([4, 256, 1024]).layerNorm([1024]),
    ({ x }) => {
      const patches = unfold(x.reshape([4, 16, 128, 128]), 8, { stride: 8 }).transpose(1, 2);
      return layerNorm(patches, [1024]);
    },
  ),
];
