import {
  batchNorm,
  binaryCrossEntropyWithLogits,
  cat,
  conv2d,
  crossEntropy,
  embedding,
  groupNorm,
  layerNorm,
  linear,
  maxPool2d,
  mseLoss,
  scaledDotProductAttention,
  where,
} from "fuseau";
import { floats, integers, positive, program } from "./program.ts";

const dense = { x: floats(256, 256), w: floats(128, 256), b: floats(128) };
const heads = { q: floats(4, 128, 32), k: floats(4, 128, 32), v: floats(4, 128, 32) };
const features = { x: floats(16, 32, 28, 28), weight: positive(32), bias: floats(32) };

export const networks = [
  program(
    "a layer with relu",
    dense,
    "F.relu(F.linear(x, w, b))",
    ({ x, w, b }) => linear(x, w, b).relu(),
    ({ x, w, b }) => w.matmul(x.t()).t().add(b).clampMin(0),
  ),
  program(
    "a layer with gelu",
    dense,
    "F.gelu(F.linear(x, w, b))",
    ({ x, w, b }) => linear(x, w, b).gelu(),
    ({ x, w, b }) => {
      const y = linear(x, w, b);
      return y.mul(y.div(Math.SQRT2).erf().add(1)).div(2);
    },
  ),
  program(
    "softmax of rows",
    { x: floats(500, 1_000) },
    "x.softmax(1)",
    ({ x }) => x.softmax(1),
    ({ x }) => {
      const powers = x.sub(x.amax(1, { keepdim: true })).exp();
      return powers.div(powers.sum(1, { keepdim: true }));
    },
  ),
  program(
    "layer norm of rows",
    { x: floats(1_000, 256), weight: positive(256), bias: floats(256) },
    "F.layer_norm(x, [256], weight, bias)",
    ({ x, weight, bias }) => layerNorm(x, [256], { weight, bias }),
    ({ x, weight, bias }) => {
      const centred = x.sub(x.mean(1, { keepdim: true }));
      return centred
        .mul(centred.square().mean(1, { keepdim: true }).add(1e-5).rsqrt())
        .mul(weight)
        .add(bias);
    },
  ),
  program(
    "batch norm in training",
    features,
    "F.batch_norm(x, None, None, weight, bias, True)",
    ({ x, weight, bias }) => batchNorm(x, null, null, { training: true, weight, bias }),
    ({ x, weight, bias }) => {
      const centred = x.sub(x.mean([0, 2, 3], { keepdim: true }));
      const scale = centred.square().mean([0, 2, 3], { keepdim: true }).add(1e-5).rsqrt();
      return centred.mul(scale.mul(weight.reshape([32, 1, 1]))).add(bias.reshape([32, 1, 1]));
    },
  ),
  program(
    "group norm",
    features,
    "F.group_norm(x, 8, weight, bias)",
    ({ x, weight, bias }) => groupNorm(x, 8, { weight, bias }),
    ({ x, weight, bias }) => {
      const groups = x.reshape([16, 8, 4 * 28 * 28]);
      const centred = groups.sub(groups.mean(2, { keepdim: true }));
      const normed = centred.mul(centred.square().mean(2, { keepdim: true }).add(1e-5).rsqrt());
      return normed
        .reshape([16, 32, 28, 28])
        .mul(weight.reshape([32, 1, 1]))
        .add(bias.reshape([32, 1, 1]));
    },
  ),
  program(
    "convolution, relu, pool",
    { x: floats(8, 3, 32, 32), w: floats(16, 3, 3, 3), b: floats(16) },
    "F.max_pool2d(F.relu(F.conv2d(x, w, b)), 2)",
    ({ x, w, b }) =>
      maxPool2d(
        conv2d(x.reshape([8, 3, 32, 32]), w.reshape([16, 3, 3, 3]), { bias: b.reshape([16]) }).relu(),
        2,
      ),
    ({ x, w, b }) =>
      maxPool2d(conv2d(x.reshape([8, 3, 32, 32]), w.reshape([16, 3, 3, 3])), 2)
        .add(b.reshape([16, 1, 1]))
        .relu(),
  ),
  program(
    "attention",
    heads,
    "F.scaled_dot_product_attention(q, k, v) if hasattr(F, 'scaled_dot_product_attention') else (q @ k.transpose(1, 2) / 32 ** 0.5).softmax(-1) @ v",
    ({ q, k, v }) => scaledDotProductAttention(q, k, v),
    ({ q, k, v }) =>
      q
        .matmul(k.transpose(1, 2))
        .mul(32 ** -0.5)
        .softmax(-1)
        .matmul(v),
  ),
  program(
    "attention that looks back only",
    heads,
    "(q @ k.transpose(1, 2) / 32 ** 0.5).masked_fill(torch.ones(128, 128, dtype=torch.bool).triu(1), float('-inf')).softmax(-1) @ v",
    ({ q, k, v }) => scaledDotProductAttention(q, k, v, { isCausal: true }),
    ({ q, k, v }) => {
      const scores = q.matmul(k.transpose(1, 2)).div(32 ** 0.5);
      const powers = scores
        .sub(scores.amax(-1, { keepdim: true }))
        .exp()
        .tril();
      return powers.matmul(v).div(powers.sum(-1, { keepdim: true }));
    },
  ),
  program(
    "cross entropy of logits",
    { x: floats(2_000, 100), labels: integers(100, 2_000) },
    "F.cross_entropy(x, labels)",
    ({ x, labels }) => crossEntropy(x.reshape([2_000, 100]), labels.reshape([2_000])),
    ({ x, labels }) => x.logSoftmax(1).gather(1, labels.unsqueeze(1)).mean().neg(),
  ),
  program(
    "binary cross entropy",
    { x: floats(300_000), y: positive(300_000) },
    "F.binary_cross_entropy_with_logits(x, y)",
    ({ x, y }) => binaryCrossEntropyWithLogits(x, y),
    ({ x, y }) => x.exp().log1p().sub(x.mul(y)).mean(),
  ),
  program(
    "mean squared error of a layer",
    { ...dense, y: floats(256, 128) },
    "F.mse_loss(F.linear(x, w, b), y)",
    ({ x, w, b, y }) => mseLoss(linear(x, w, b), y),
    ({ x, w, b, y }) => x.matmul(w.t()).add(b).sub(y).square().mean(),
  ),
  program(
    "words looked up and averaged",
    { words: integers(5_000, 200, 30), rows: floats(5_000, 64) },
    "F.embedding(words, rows).mean(1)",
    ({ words, rows }) => embedding(words, rows.reshape([5_000, 64])).mean(1),
    ({ words, rows }) => rows.indexSelect(0, words.flatten()).reshape([200, 30, 64]).sum(1).div(30),
  ),
  program(
    "a gated unit",
    { x: floats(500, 1_024) },
    "x[:, :512] * torch.sigmoid(x[:, 512:])",
    ({ x }) => x.narrow(1, 0, 512).mul(x.narrow(1, 512, 512).sigmoid()),
    ({ x }) => x.narrow(1, 0, 512).div(x.narrow(1, 512, 512).neg().exp().add(1)),
  ),
  program(
    "rotary positions",
    { x: floats(8, 128, 64), c: floats(128, 32), s: floats(128, 32) },
    "torch.cat([x[..., :32] * c - x[..., 32:] * s, x[..., :32] * s + x[..., 32:] * c], -1)",
    ({ x, c, s }) => {
      const [a, b] = [x.narrow(2, 0, 32), x.narrow(2, 32, 32)];
      return cat([a.mul(c).sub(b.mul(s)), a.mul(s).add(b.mul(c))], -1);
    },
    ({ x, c, s }) => {
      const turned = cat([x.narrow(2, 32, 32).neg(), x.narrow(2, 0, 32)], -1);
      return x.mul(cat([c, c], -1)).add(turned.mul(cat([s, s], -1)));
    },
  ),
  program(
    "root mean squares of rows",
    { x: floats(500, 500), g: floats(500) },
    "x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * g",
    ({ x, g }) => x.mul(x.pow(2).mean(-1, { keepdim: true }).add(1e-6).rsqrt()).mul(g),
    ({ x, g }) => x.mul(g).div(x.square().sum(-1, { keepdim: true }).div(500).add(1e-6).pow(0.5)),
  ),
  program(
    "a step of Adam",
    { w: floats(200_000), g: floats(200_000), m: floats(200_000), v: positive(200_000) },
    "w - 1e-3 * (0.9 * m + 0.1 * g) / ((0.999 * v + 0.001 * g * g).sqrt() + 1e-8)",
    ({ w, g, m, v }) => {
      const first = m.mul(0.9).add(g.mul(0.1));
      const second = v.mul(0.999).add(g.mul(0.001).mul(g));
      return w.sub(first.mul(1e-3).div(second.sqrt().add(1e-8)));
    },
    ({ w, g, m, v }) =>
      w.addcdiv(m.lerp(g, 0.1), v.mul(0.999).addcmul(g, g, { value: 0.001 }).sqrt(), { value: -1e-3 }),
  ),
  program(
    "a huber loss by rows",
    { x: floats(1_000, 300), y: floats(1_000, 300) },
    "torch.where((x - y).abs() < 0.5, 0.5 * (x - y) ** 2, 0.5 * ((x - y).abs() - 0.25)).mean(1)",
    ({ x, y }) => {
      const off = x.sub(y);
      return where(off.abs().lt(0.5), off.square().mul(0.5), off.abs().sub(0.25).mul(0.5)).mean(1);
    },
    ({ x, y }) => {
      const far = x.sub(y).abs();
      const near = far.clampMax(0.5);
      return near.square().mul(0.5).add(far.sub(near).mul(0.5)).mean(1);
    },
  ),
  program(
    "thirteen units, their biases and scales",
    { x: floats(20_000, 13), b: floats(13), s: positive(13) },
    "torch.tanh((x + b) * s)",
    ({ x, b, s }) => x.add(b).mul(s).tanh(),
    ({ x, b, s }) => x.mul(s).add(b.mul(s)).tanh(),
  ),
  program(
    "four activations of four layers",
    { a: floats(200_000), b: floats(200_000), c: floats(200_000), d: floats(200_000) },
    "torch.exp(a) + torch.sin(b) + torch.tanh(c) + torch.sigmoid(d)",
    ({ a, b, c, d }) => a.exp().add(b.sin()).add(c.tanh()).add(d.sigmoid()),
    ({ a, b, c, d }) =>
      a
        .exp()
        .add(b.sin())
        .add(c.tanh().add(d.neg().exp().add(1).reciprocal())),
  ),
  program(
    "heads side by side again, added and normalised",
    { heads: floats(8, 8, 256, 32), x: floats(8, 256, 256) },
    "F.layer_norm(heads.transpose(1, 2).reshape(8, 256, 256) + x, (256,))",
    ({ heads, x }) => layerNorm(heads.transpose(1, 2).reshape([8, 256, 256]).add(x), [256]),
    ({ heads, x }) => {
      const y = heads.permute([0, 2, 1, 3]).flatten(2).add(x);
      const centred = y.sub(y.mean(2, { keepdim: true }));
      return centred.div(centred.square().mean(2, { keepdim: true }).add(1e-5).sqrt());
    },
  ),
  program(
    "cross entropy of ten classes",
    { logits: floats(5_000, 10), digits: integers(10, 5_000) },
    "F.cross_entropy(logits, digits)",
    ({ logits, digits }) => crossEntropy(logits, digits),
    ({ logits, digits }) => logits.logSoftmax(1).gather(1, digits.unsqueeze(1)).mean().neg(),
  ),
];
