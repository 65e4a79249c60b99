/**
 * Loops of the host over small tensors, written as in programs.py: they read elements to decide, write cell by cell, choose places anew and
 * keep lists. Each gives a number that PyTorch's twin gives too.
 */
import {
  type AnyTensor,
  arange,
  autograd,
  cat,
  conv2d,
  float,
  full,
  layerNorm,
  linspace,
  maximum,
  maxPool2d,
  minimum,
  noGrad,
  ones,
  rand,
  randint,
  searchsorted,
  stack,
  type Tensor,
  tensor,
  where,
  zeros,
} from "fuseau";
import { GRU, GRUCell, Linear, LSTMCell, Sequential, Tanh, utils } from "fuseau/nn";
import { Adam, SGD } from "fuseau/optim";

/** Numbers in [0, 1) that Python computes too. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function uniform(seed: number, shape: readonly number[]): AnyTensor {
  const next = numbers(seed);
  const count = shape.reduce((product, size) => product * size, 1);
  return tensor(Float32Array.from({ length: count }, next))
    .sub(0.5)
    .reshape(shape);
}

function filled(module: { parameters(): Iterable<AnyTensor> }, seed: number): void {
  let k = 0;
  noGrad(() => {
    for (const parameter of module.parameters()) parameter.copy_(uniform(seed + k++, parameter.shape));
  });
}

/** Edit distance of two words, cell by cell. */
function edit(): number {
  const n = 60;
  const [one, other] = [numbers(1), numbers(2)].map((next) =>
    Array.from({ length: n }, () => Math.floor(4 * next())),
  ) as [number[], number[]];
  const table = zeros([n + 1, n + 1]);
  table.select(0, 0).copy_(arange(n + 1));
  table.select(1, 0).copy_(arange(n + 1));
  for (let i = 1; i <= n; i++)
    for (let j = 1; j <= n; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      const gap = minimum(table.index([i - 1, j]), table.index([i, j - 1])).add(1);
      table.index([i, j]).copy_(minimum(gap, table.index([i - 1, j - 1]).add(cost)));
    }
  return table.index([n, n]).item() as number;
}

/** Dynamic time warping of 100 pairs of series at once. */
function warping(): number {
  const [batch, n] = [100, 40];
  const x = uniform(3, [batch, n]).cumsum(1);
  const y = uniform(4, [batch, n]).cumsum(1);
  const cost = x.unsqueeze(2).sub(y.unsqueeze(1)).abs();
  const table = full([batch, n + 1, n + 1], Number.POSITIVE_INFINITY);
  table.index([":", 0, 0]).fill_(0);
  for (let i = 1; i <= n; i++)
    for (let j = 1; j <= n; j++) {
      const beside = minimum(table.index([":", i - 1, j]), table.index([":", i, j - 1]));
      const best = minimum(beside, table.index([":", i - 1, j - 1]));
      table.index([":", i, j]).copy_(cost.index([":", i - 1, j - 1]).add(best));
    }
  return table.index([":", n, n]).mean().item() as number;
}

/** Heat in a plate whose borders take what lies beside them. */
function heat(): number {
  const n = 256;
  const u = uniform(5, [n, n]);
  for (let step = 0; step < 300; step++) {
    const inner = u.slice([1, -1], [1, -1]);
    const around = u
      .slice([0, -2], [1, -1])
      .add(u.slice([2, null], [1, -1]))
      .add(u.slice([1, -1], [0, -2]))
      .add(u.slice([1, -1], [2, null]));
    u.slice([1, -1], [1, -1]).copy_(inner.mul(0.2).add(around.mul(0.2)));
    u.select(0, 0).copy_(u.select(0, 1));
    u.select(0, -1).copy_(u.select(0, -2));
    u.select(1, 0).copy_(u.select(1, 1));
    u.select(1, -1).copy_(u.select(1, -2));
    if (step % 50 === 49 && u.isnan().any().item()) break;
  }
  return u.abs().sum().item() as number;
}

/** Gaussian elimination with pivots, row by row in place. */
function elimination(): number {
  const n = 60;
  const a = uniform(6, [n, n + 1]);
  for (let k = 0; k < n; k++) {
    const pivot = k + (a.slice([k, null]).select(1, k).abs().argmax().item() as number);
    if (pivot !== k) {
      const row = a.select(0, k).clone();
      a.select(0, k).copy_(a.select(0, pivot));
      a.select(0, pivot).copy_(row);
    }
    a.select(0, k).div_(a.index([k, k]).clone());
    for (let i = 0; i < n; i++) if (i !== k) a.select(0, i).sub_(a.select(0, k).mul(a.index([i, k])));
  }
  return a.select(1, n).abs().sum().item() as number;
}

/** Episodes of several lengths with actions that the host draws. */
function episodes(): number {
  const policy = new Sequential(new Linear(4, 16), new Tanh(), new Linear(16, 3));
  filled(policy, 10);
  const optimizer = new Adam(policy.parameters(), { lr: 0.01 });
  const draw = numbers(11);
  let total = 0;
  for (let episode = 0; episode < 30; episode++) {
    let state = uniform(20 + episode, [1, 4]);
    const chosen: AnyTensor[] = [];
    for (let step = 0; step < 10 + (episode % 5); step++) {
      const logits = (policy.forward(state as Tensor<[1, 4], "float32">) as AnyTensor).logSoftmax(1);
      const below = logits.detach().exp().cumsum(1).lt(draw()).sum().item() as number;
      const action = Math.min(2, below);
      chosen.push(logits.select(1, action).squeeze());
      total += action;
      state = state.mul(0.9).add(0.1 * action);
    }
    const loss = stack(chosen).mul(arange(chosen.length).neg().exp()).sum().neg();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
  }
  return total;
}

/** A policy that learns from a buffer of what it has seen, written row by row. */
function replay(): number {
  const network = new Sequential(new Linear(4, 32), new Tanh(), new Linear(32, 2));
  filled(network, 30);
  const optimizer = new Adam(network.parameters(), { lr: 0.001 });
  const [before, after, rewards] = [zeros([500, 4]), zeros([500, 4]), zeros([500])];
  const draw = numbers(31);
  let state = uniform(32, [4]);
  let sum = 0;
  for (let step = 0; step < 200; step++) {
    const values = noGrad(
      () => network.forward(state.unsqueeze(0) as Tensor<[1, 4], "float32">) as AnyTensor,
    );
    const action = draw() < 0.3 ? Math.floor(2 * draw()) : (values.argmax(1).item() as number);
    const next = state
      .roll(1, 0)
      .mul(0.95)
      .add(0.1 * action - 0.05);
    const at = step % 500;
    before.select(0, at).copy_(state as Tensor<[4], "float32">);
    after.select(0, at).copy_(next as Tensor<[4], "float32">);
    rewards.select(0, at).copy_(next.select(0, 0));
    state = next;
    if (step < 32) continue;
    const rows = tensor(
      Array.from({ length: 32 }, () => Math.floor(draw() * step)),
      { dtype: "int64" },
    );
    const target = noGrad(() => {
      const best = (network.forward(after.indexSelect(0, rows) as never) as AnyTensor).amax(1);
      return rewards.indexSelect(0, rows).add(best.mul(0.9));
    });
    const found = (network.forward(before.indexSelect(0, rows) as never) as AnyTensor).amax(1);
    const loss = found.sub(target).square().mean();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    sum += loss.item() as number;
  }
  return sum;
}

/** A filter whose states are kept and read at the end. */
function filter(): number {
  const step = tensor([
    [1, 0.1],
    [0, 1],
  ]);
  const seen = uniform(40, [1_000, 1]);
  const [noise, exact] = [
    tensor([
      [0.001, 0],
      [0, 0.001],
    ]),
    tensor([
      [1, 0],
      [0, 1],
    ]),
  ];
  const observe = tensor([[1, 0]]);
  let [x, p]: [AnyTensor, AnyTensor] = [zeros([2]), exact];
  const states: AnyTensor[] = [];
  for (let k = 0; k < 1_000; k++) {
    x = step.mv(x as Tensor<[2], "float32">);
    p = step.matmul(p).matmul(step.t()).add(noise);
    const s = observe.matmul(p).matmul(observe.t()).add(0.1);
    const gain = p.matmul(observe.t()).div(s);
    x = x.add(gain.matmul(seen.select(0, k).sub(observe.matmul(x))));
    p = exact.sub(gain.matmul(observe)).matmul(p);
    states.push(x);
  }
  return stack(states).square().sum().item() as number;
}

/** A list that grows by one in each round, and is read in each. */
function history(): number {
  const seen: AnyTensor[] = [];
  let x = uniform(50, [8]);
  let last = 0;
  for (let round = 0; round < 300; round++) {
    x = x.mul(0.5).add(x.roll(1, 0).cos().mul(0.4));
    seen.push(x);
    last = stack(seen).mean().item() as number;
  }
  return last;
}

/** Tokens of a small model without a cache, chosen among the best by the host. */
function tokens(): number {
  const [words, width, most] = [32, 32, 16];
  const embedding = uniform(60, [words, width]);
  const [q, k, v, up, down] = [61, 62, 63, 64, 65].map((seed) => uniform(seed, [width, width])) as [
    AnyTensor,
    AnyTensor,
    AnyTensor,
    AnyTensor,
    AnyTensor,
  ];
  const draw = numbers(66);
  let ids: AnyTensor = zeros([1], { dtype: "int64" });
  for (let token = 0; token < 60; token++) {
    const x = embedding.index([ids.slice([-most, null])]);
    const scores = x.matmul(q).matmul(x.matmul(k).t()).div(Math.sqrt(width)).softmax(-1);
    const y = x.add(scores.matmul(x.matmul(v)));
    const z = y.add(y.matmul(up).tanh().matmul(down));
    const { values, indices } = z.select(0, -1).matmul(embedding.t()).topk(4);
    const below = values.softmax(0).cumsum(0).lt(draw()).sum().item() as number;
    const place = Math.min(3, below);
    ids = cat([ids, indices.slice([place, place + 1])]);
  }
  return (ids.mul(arange(61)).sum() as AnyTensor).item() as number;
}

/** Messages along the edges of graphs, each of which has its own number of nodes and of edges. */
function messages(): number {
  const [features, inner, outer] = [uniform(70, [80, 16]), uniform(71, [16, 16]), uniform(72, [16, 16])];
  const draw = numbers(73);
  const below = (most: number): number => Math.floor(most * draw());
  let total = 0;
  for (let graph = 0; graph < 150; graph++) {
    const [nodes, edges] = [30 + below(50), 60 + below(200)];
    const ends = (): AnyTensor =>
      tensor(
        Array.from({ length: edges }, () => below(nodes)),
        { dtype: "int64" },
      );
    const [from, to] = [ends(), ends()];
    const x = features.slice([0, nodes]);
    const sent = x.matmul(inner).relu().indexSelect(0, from);
    const got = zeros([nodes, 16]).indexAdd(0, to, sent);
    total += got.matmul(outer).add(x).tanh().square().mean().item() as number;
  }
  return total;
}

/** Boxes that overlap a better one are left out, until none is left. */
function suppression(): number {
  const draw = numbers(74);
  let total = 0;
  for (let picture = 0; picture < 20; picture++) {
    const count = 30 + Math.floor(60 * draw());
    const start = uniform(80 + picture, [count, 2]).mul(100);
    const end = start.add(
      uniform(120 + picture, [count, 2])
        .add(0.6)
        .mul(30),
    );
    const score = uniform(160 + picture, [count]);
    let left: AnyTensor = score.argsort(0, { descending: true });
    const area = end.sub(start).prod(1);
    while (left.numel() > 1) {
      const best = left.select(0, 0).item() as number;
      total += best;
      left = left.slice([1, null]);
      const [low, high] = [start.index([left]), end.index([left])];
      const met = minimum(high, end.select(0, best))
        .sub(maximum(low, start.select(0, best)))
        .clamp(0, null)
        .prod(1);
      const union = area.index([left]).add(area.select(0, best)).sub(met);
      left = left.index([met.div(union).le(0.2)]);
    }
  }
  return total;
}

/** Batches of eight sequences of any lengths, padded. */
function batches(): number {
  const draw = numbers(200);
  const words = uniform(201, [40, 4]).sub(0.5).compute();
  let total = 0;
  for (let batch = 0; batch < 300; batch++) {
    const all = Array.from({ length: 8 }, () => words.slice([0, 1 + Math.floor(32 * draw())]).clone());
    total += utils.padSequence(all, { batchFirst: true }).exp().sum(1).square().mean().item() as number;
  }
  return total;
}

/** A layer of attention for requests of any number and length. */
function requests(): number {
  const draw = numbers(210);
  const [table, inner] = [uniform(211, [50, 16]).sub(0.5), uniform(212, [16, 16]).sub(0.5)];
  let total = 0;
  for (let request = 0; request < 400; request++) {
    const [count, length] = [2 + Math.floor(7 * draw()), 2 + Math.floor(29 * draw())];
    const ids = arange(count * length)
      .mul(7)
      .remainder(50)
      .reshape([count, length]);
    const x = table.index([ids]).matmul(inner);
    total += x.matmul(x.mT).softmax(-1).matmul(x).tanh().square().mean().item() as number;
  }
  return total;
}

/** Sums of the first elements of a list, up to any place. */
function prefixes(): number {
  const draw = numbers(220);
  const list = uniform(221, [400]).sub(0.5).compute();
  let total = 0;
  for (let round = 0; round < 400; round++) {
    const end = 2 + Math.floor(398 * draw());
    total += list.slice([0, end]).cumsum(0).abs().amax(0).item() as number;
  }
  return total;
}

/** Batches of images that are cropped, turned and blanked at random. */
function crops(): number {
  const draw = numbers(230);
  const below = (count: number): number => Math.floor(count * draw());
  const images = uniform(231, [64, 3, 40, 40]).compute();
  let total = 0;
  for (let batch = 0; batch < 200; batch++) {
    const all = Array.from({ length: 16 }, () => {
      const [which, top, left, turned] = [below(64), below(9), below(9), below(2)];
      const crop = images.index([which, ":", [top, top + 32], [left, left + 32]]);
      const own = (turned === 1 ? crop.flip(2) : crop).sub(0.1).div(0.5).clone();
      const [row, column] = [below(25), below(25)];
      own.index([":", [row, row + 8], [column, column + 8]]).zero_();
      return own;
    });
    total += stack(all).square().mean().item() as number;
  }
  return total;
}

/** Distances of words, with the labels of each step compared with a number. */
function labels(): number {
  const draw = numbers(240);
  const words = uniform(241, [64, 40]).mul(4).floor().compute();
  let total = 0;
  for (let round = 0; round < 300; round++) {
    let left = zeros([64]) as AnyTensor;
    for (let step = 0; step < 10; step++)
      left = left
        .add(
          words
            .select(1, step)
            .ne(Math.floor(4 * draw()))
            .float(),
        )
        .mul(draw() < 0.5 ? 0.75 : 0.5);
    total += left.sum().item() as number;
  }
  return total;
}

/** Attention of one word at a time, over keys and values that are written a row each time. */
function decoding(): number {
  const [query, key, value] = [250, 251, 252].map((seed) =>
    uniform(seed, [256, 256]).sub(0.5).mul(0.1).compute(),
  ) as [AnyTensor, AnyTensor, AnyTensor];
  let total = 0;
  for (let sequence = 0; sequence < 4; sequence++) {
    const [keys, values] = [zeros([1024, 256]), zeros([1024, 256])];
    let h = uniform(253 + sequence, [256]).sub(0.5);
    for (let k = 0; k < 200; k++) {
      keys.select(0, k).copy_(key.matmul(h) as Tensor<[256]>);
      values.select(0, k).copy_(value.matmul(h) as Tensor<[256]>);
      const scores = keys
        .narrow(0, 0, k + 1)
        .matmul(query.matmul(h))
        .softmax(0);
      h = scores
        .matmul(values.narrow(0, 0, k + 1))
        .add(h)
        .tanh();
      total += h.sum().item() as number;
    }
  }
  return total;
}

/** Ten turns of a circuit of ten bits, of whose result the sum is read, and then a part. */
function circuit(): number {
  const bits = 10;
  const size = 2 ** bits;
  let total = 0;
  for (let round = 0; round < 10; round++) {
    let [re, im]: [AnyTensor, AnyTensor] = [full([size], 1 / 32), zeros([size])];
    for (let layer = 0; layer < 3; layer++)
      for (let bit = 0; bit < bits; bit++) {
        const angle = 0.3 * (bit + 1) + 0.1 * layer + 0.01 * round;
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        const pairs = [1 << bit, 2, 1 << (bits - bit - 1)];
        const [r, i] = [re.reshape(pairs), im.reshape(pairs)] as [AnyTensor, AnyTensor];
        const [r0, r1, i0, i1] = [r.select(1, 0), r.select(1, 1), i.select(1, 0), i.select(1, 1)];
        re = stack([r0.mul(c).add(i1.mul(s)), r1.mul(c).add(i0.mul(s))], 1).reshape([size]);
        im = stack([i0.mul(c).sub(r1.mul(s)), i1.mul(c).sub(r0.mul(s))], 1).reshape([size]);
      }
    const chances = re.square().add(im.square());
    total += chances.sum().item() as number;
    total += chances.narrow(0, 0, 32).max().item() as number;
  }
  return total;
}

/** Points within a ring, drawn in lots until there are a hundred. */
function rejection(): number {
  const source = numbers(260);
  let total = 0;
  for (let round = 0; round < 200; round++) {
    let found: AnyTensor = zeros([0, 2]);
    while (found.shape[0]! < 100) {
      const lot = tensor(Float32Array.from({ length: 80 }, source))
        .reshape([40, 2])
        .mul(2)
        .sub(1);
      const distance = lot.square().sum(1);
      found = cat([found, lot.index([distance.lt(1).logicalAnd(distance.gt(0.2))])]);
    }
    total += found.narrow(0, 0, 100).mean(0).abs().sum().item() as number;
  }
  return total;
}

/** Holt and Winters' smoothing of 64 series with seasons of 12, all rounds in one recording. */
function seasons(): number {
  const [rounds, season] = [120, 12];
  const y = uniform(280, [64, rounds]).add(1).compute();
  let total = 0;
  for (let pass = 0; pass < 40; pass++) {
    const alpha = 0.1 + 0.01 * pass;
    let level: AnyTensor = y.slice(":", [0, season]).mean(1);
    let trend: AnyTensor = y
      .slice(":", [season, 2 * season])
      .mean(1)
      .sub(level)
      .div(season);
    const each: AnyTensor[] = Array.from({ length: season }, (_, k) => y.select(1, k).sub(level));
    let errors: AnyTensor = zeros([64]);
    for (let k = season; k < rounds; k++) {
      const [seen, before] = [y.select(1, k), each[k % season]!];
      errors = errors.add(seen.sub(level.add(trend).add(before)).square());
      const next = seen
        .sub(before)
        .mul(alpha)
        .add(level.add(trend).mul(1 - alpha));
      trend = next.sub(level).mul(0.05).add(trend.mul(0.95));
      each[k % season] = seen.sub(next).mul(0.2).add(before.mul(0.8));
      level = next;
    }
    total += errors.mean().item() as number;
    total += level.sum().item() as number;
  }
  return total;
}

/** Depths of the leaves of random trees: each leaf adds to as many elements as it has. */
function leaves(): number {
  const next = numbers(290);
  const x = uniform(291, [256, 4]).compute();
  const depth = zeros([256]);
  const grow = (places: Tensor<[number], "int64">, level: number): void => {
    const count = places.shape[0];
    if (count === 0) return;
    if (count === 1 || level === 8) {
      depth.indexAdd_(0, places, zeros([count]).add(level));
      return;
    }
    const column = x.select(1, Math.floor(4 * next())).index([places]);
    const [least, most] = [column.min().item() as number, column.max().item() as number];
    const isLeft = column.lt(least + next() * (most - least));
    grow(places.maskedSelect(isLeft), level + 1);
    grow(places.maskedSelect(isLeft.logicalNot()), level + 1);
  };
  for (let tree = 0; tree < 60; tree++) grow(arange(256), 0);
  return depth.mean().item() as number;
}

/** Sequences of 5 to 11 steps, translated into 4 to 9: trained a pair at a time, each pair of lengths in its turn. */
function pairs(): number {
  const [encoder, decoder, head] = [new GRUCell(8, 16), new GRUCell(8, 16), new Linear(16, 8)];
  [encoder, decoder, head].forEach((module, k) => {
    filled(module, 300 + 10 * k);
  });
  const optimizer = new Adam(
    [encoder, decoder, head].flatMap((module) => [...module.parameters()]),
    { lr: 0.01 },
  );
  const next = numbers(340);
  let total = 0;
  for (let step = 0; step < 300; step++) {
    const [from, to] = [5 + Math.floor(7 * next()), 4 + Math.floor(6 * next())];
    const [source, target] = [uniform(350, [from, 4, 8]), uniform(351, [to, 4, 8])];
    optimizer.zeroGrad();
    let state: AnyTensor = zeros([4, 16]);
    for (let k = 0; k < from; k++) state = encoder.forward(source.select(0, k) as never, state as never);
    const losses: AnyTensor[] = [];
    let word: AnyTensor = zeros([4, 8]);
    for (let k = 0; k < to; k++) {
      state = decoder.forward(word as never, state as never);
      word = target.select(0, k);
      losses.push((head.forward(state as never) as AnyTensor).sub(word).square().mean());
    }
    const loss = stack(losses).mean();
    loss.backward();
    optimizer.step();
    total += loss.item() as number;
  }
  return total;
}

/** A tour of 90 places, improved by turning the part between two of them: three lengths that change independently, with one sum. */
function tour(): number {
  const places = uniform(360, [90, 2]);
  const distances = places.unsqueeze(1).sub(places.unsqueeze(0)).square().sum(2).sqrt().compute();
  const along = (order: AnyTensor): AnyTensor =>
    distances.index([order as never, order.roll(-1) as never]).sum();
  const next = numbers(361);
  let order = arange(90) as AnyTensor;
  let length = along(order).item() as number;
  for (let k = 0; k < 600; k++) {
    const first = 1 + Math.floor(80 * next());
    const end = first + 2 + Math.floor((88 - first) * next());
    const turned = cat([
      order.slice([0, first]),
      order.slice([first, end]).flip(0),
      order.slice([end, null]),
    ] as never) as AnyTensor;
    const now = along(turned).item() as number;
    if (now < length) [order, length] = [turned, now];
  }
  return length;
}

/** 64 states of 80 bits, each of which may turn one of its bits in each of 600 steps, at random; nothing is read until the end. */
function annealing(): number {
  const weights = uniform(370, [80, 80]);
  let bits = uniform(371, [64, 80]).gt(0).to("float32") as AnyTensor;
  for (let k = 0; k < 600; k++) {
    const at = randint(0, 80, [64, 1]);
    const own = bits.gather(1, at);
    const change = own.mul(-2).add(1);
    const cost = bits
      .matmul(weights as never)
      .gather(1, at)
      .mul(change);
    const isTaken = rand([64, 1]).lt(cost.neg().exp());
    bits = bits.scatter(1, at, where(isTaken, own.add(change), own) as never) as AnyTensor;
  }
  return bits.mul(bits.sub(1)).abs().max().item() as number;
}

/** Weights that a step writes over, and the largest slope of each step, which nobody reads until the end. */
function slopes(): number {
  const weights = uniform(380, [300, 300]).clone().compute();
  const largest: AnyTensor[] = [];
  for (let k = 0; k < 1_000; k++) {
    const slope = weights.mul(2).sub(weights.mean());
    weights.sub_(slope.mul(0.001)).compute();
    largest.push(slope.abs().max());
  }
  return stack(largest).mean().item() as number;
}

/** Weights that wander in place, their mean and their largest values so far, made anew in each step and read at the end. */
function averages(): number {
  const weights = uniform(390, [300, 300]).clone().compute();
  const step = uniform(391, [300, 300]).mul(0.01).compute();
  let mean = weights.clone() as AnyTensor;
  let most = weights.clone() as AnyTensor;
  for (let k = 0; k < 800; k++) {
    weights.mul_(0.999).add_(step.mul(Math.sin(k)) as never);
    mean = mean.mul(0.99).add(weights.mul(0.01));
    most = most.maximum(weights);
  }
  return mean.add(most).mean().item() as number;
}

/** Gradient descent by hand. The losses are logged, and read at the end. */
function losses(): number {
  const [x, y] = [uniform(400, [500, 200]), uniform(401, [500, 100])].map((one) => one.compute());
  const weights = uniform(402, [200, 100]).clone().requiresGrad_();
  const logged: AnyTensor[] = [];
  for (let k = 0; k < 800; k++) {
    const loss = (x!.matmul(weights as never) as AnyTensor).sub(y!).square().mean();
    loss.backward();
    noGrad(() => weights.sub_((weights.grad as AnyTensor).mul(0.5) as never));
    weights.grad = null;
    logged.push(loss);
  }
  return stack(logged.map((loss) => loss.detach()))
    .mean()
    .item() as number;
}

/** Rows of a table are drawn near to each other, and away from a third: which rows, each step chooses. */
function triplets(): number {
  const table = uniform(500, [50, 16]).clone().requiresGrad_();
  const next = numbers(501);
  let total = 0;
  for (let k = 0; k < 600; k++) {
    const row = (): AnyTensor => table.select(0, Math.floor(50 * next()));
    const [anchor, near, far] = [row(), row(), row()];
    const distance = (other: AnyTensor): AnyTensor => anchor.sub(other).square().sum();
    const loss = distance(near).sub(distance(far)).add(1).relu();
    loss.backward();
    noGrad(() => table.sub_((table.grad as AnyTensor).mul(0.01) as never));
    table.grad = null;
    total += loss.item() as number;
  }
  return total;
}

/** Sieves of Eratosthenes, each of a size of its own. */
function sieves(): number {
  let total = 0;
  for (let round = 0; round < 150; round++) {
    const size = 400 + 4 * round;
    const isPrime = ones([size], { dtype: "bool" });
    for (let step = 2; step * step < size; step++) isPrime.slice([step * step, null, step]).fill_(false);
    total += isPrime.sum().item() as number;
  }
  return total;
}

/** Every second and every third element of tensors of any length. */
function strides(): number {
  const whole = uniform(510, [2_000]).compute();
  const next = numbers(511);
  let total = 0;
  for (let k = 0; k < 600; k++) {
    const x = whole.slice([0, 20 + Math.floor(900 * next())]);
    const [second, third] = [x.slice([0, null, 2]), x.slice([0, null, 3])];
    total += second.mul(2).sum().add(third.square().sum()).item() as number;
  }
  return total;
}

/** A mean of the weights beside a training, which is read at the end alone. */
function trained(): number {
  const weights = uniform(520, [64, 64]).clone().requiresGrad_();
  const optimizer = new SGD([weights as never], { lr: 0.1 });
  let mean: AnyTensor = weights.detach().clone();
  for (let k = 0; k < 6_000; k++) {
    const loss = weights.tanh().sub(0.1).square().mean();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    mean = mean.mul(0.99).add(weights.detach().mul(0.01));
  }
  return mean.sum().item() as number;
}

/** A recurrent cell that is trained along sentences of 10 to 39 words. */
function sentences(): number {
  const [cell, head] = [new LSTMCell(16, 32), new Linear(32, 1)];
  filled(cell, 410);
  filled(head, 420);
  const optimizer = new Adam([...cell.parameters(), ...head.parameters()] as never, { lr: 1e-3 });
  const next = numbers(430);
  let total = 0;
  for (let k = 0; k < 300; k++) {
    const length = 10 + Math.floor(30 * next());
    const words = uniform(440 + k, [8, length, 16]);
    let state = [zeros([8, 32]), zeros([8, 32])] as unknown as [AnyTensor, AnyTensor];
    for (let t = 0; t < length; t++)
      state = cell.forward(words.select(1, t) as never, state as never) as unknown as typeof state;
    const loss = (head.forward(state[0] as never) as AnyTensor).sub(1).square().mean();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    total += loss.item() as number;
  }
  return total;
}

/** A recurrent network that is trained on batches of 1 to 8 sequences of 2 to 13 steps. */
function lengths(): number {
  const [net, head] = [new GRU(8, 16, { batchFirst: true }), new Linear(16, 4)];
  filled(net, 530);
  filled(head, 540);
  const optimizer = new Adam([...net.parameters(), ...head.parameters()], { lr: 1e-3 });
  const next = numbers(550);
  let total = 0;
  for (let k = 0; k < 240; k++) {
    const [batch, length] = [1 + Math.floor(8 * next()), 2 + Math.floor(12 * next())];
    const x = uniform(560 + k, [batch, length, 8]);
    const [states] = net.forward(x as never) as unknown as readonly [AnyTensor];
    const loss = (head.forward(states.select(1, -1) as never) as AnyTensor).sub(1).square().mean();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    total += loss.item() as number;
  }
  return total;
}

/** A network whose second derivative is fitted, at another number of points in each step. */
function collocation(): number {
  const [first, second, last] = [new Linear(1, 16), new Linear(16, 16), new Linear(16, 1)];
  const layers = [first, second, last];
  for (const [k, layer] of layers.entries()) filled(layer, 800 + 10 * k);
  const optimizer = new Adam(
    layers.flatMap((layer) => [...layer.parameters()]),
    { lr: 1e-3 },
  );
  let total = 0;
  for (let k = 0; k < 120; k++) {
    const x = linspace(0, 1, 20 + ((7 * k) % 31))
      .unsqueeze(1)
      .requiresGrad_();
    const hidden = (
      second.forward((first.forward(x as never) as AnyTensor).tanh() as never) as AnyTensor
    ).tanh();
    const u = last.forward(hidden as never) as AnyTensor;
    const [slope] = autograd.grad(u.sum(), [x], { createGraph: true }) as unknown as [AnyTensor];
    const [bend] = autograd.grad(slope.sum(), [x], { createGraph: true }) as unknown as [AnyTensor];
    const loss = bend.add(x.sin()).square().mean();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    total += loss.item() as number;
  }
  return total;
}

/** Files of pictures of any height and width: opened and closed, smoothed, and their edges found. */
function pictures(): number {
  const next = numbers(900);
  const slope = tensor([
    [-1, 0, 1],
    [-2, 0, 2],
    [-1, 0, 1],
  ]).reshape([1, 1, 3, 3]);
  const widened = (x: AnyTensor): AnyTensor => maxPool2d(x as never, 3, { stride: 1, padding: 1 });
  const narrowed = (x: AnyTensor): AnyTensor => widened(x.neg()).neg();
  let total = 0;
  for (let k = 0; k < 80; k++) {
    const [height, width] = [60 + Math.floor(90 * next()), 50 + Math.floor(110 * next())];
    const picture = uniform(910 + k, [1, 1, height, width]);
    const mask = picture.gt(0.1).float();
    total += widened(narrowed(mask))
      .sub(narrowed(widened(mask)))
      .abs()
      .mean()
      .item() as number;
    const padded = picture.reshape([height, width]).pad([1, 1, 1, 1]);
    let [sum, weights]: AnyTensor[] = [zeros([height, width]), zeros([height, width])];
    for (let y = 0; y < 3; y++)
      for (let x = 0; x < 3; x++) {
        const beside = padded.slice([y, y + height], [x, x + width]);
        const weight = beside
          .sub(picture.reshape([height, width]))
          .square()
          .mul(-10)
          .exp();
        [sum, weights] = [(sum as AnyTensor).add(beside.mul(weight)), (weights as AnyTensor).add(weight)];
      }
    const smooth = (sum as AnyTensor).div(weights as AnyTensor).reshape([1, 1, height, width]);
    const [across, down] = [slope, slope.transpose(2, 3)].map((kernel) =>
      (conv2d(smooth as never, kernel as never, { padding: 1 }) as AnyTensor).square(),
    ) as [AnyTensor, AnyTensor];
    total += across.add(down).sqrt().amax().item() as number;
  }
  return total;
}

/** The distance of each pixel from the nearest one of a mask, in 20 rounds, in pictures of any height and width. */
function distances(): number {
  const next = numbers(1_100);
  let total = 0;
  for (let k = 0; k < 80; k++) {
    const [height, width] = [60 + Math.floor(90 * next()), 50 + Math.floor(110 * next())];
    let distance: AnyTensor = where(uniform(1_110 + k, [height, width]).gt(0.49), float(0), float(1e9));
    for (let round = 0; round < 20; round++) {
      const around = distance.pad([1, 1, 1, 1], { value: 1e9 });
      const beside = (y: number, x: number): AnyTensor =>
        around.slice([y, y + height], [x, x + width]).add(1);
      distance = minimum(
        distance,
        minimum(minimum(beside(0, 1), beside(2, 1)), minimum(beside(1, 0), beside(1, 2))),
      );
    }
    total += distance.clamp({ max: 20 }).mean().item() as number;
  }
  return total;
}

/** Boxes, the best first: those that overlap it are left out, until none is left. 90 sets of any number, of 20 in turn. */
function boxes(): number {
  const next = numbers(1_200);
  const sets = Array.from({ length: 20 }, (_, k) => {
    const count = 100 + Math.floor(150 * next());
    const corners = uniform(1_210 + k, [count, 2]).mul(40);
    const sides = uniform(1_240 + k, [count, 2])
      .add(1)
      .mul(10);
    return { corners: cat([corners, corners.add(sides)] as never, 1), scores: uniform(1_270 + k, [count]) };
  });
  let total = 0;
  for (let k = 0; k < 90; k++) {
    const { corners, scores } = sets[k % sets.length] as (typeof sets)[number];
    let order = scores.argsort(0, { descending: true }) as AnyTensor;
    while ((order.shape[0] as number) > 1) {
      const best = corners.index([order.select(0, 0) as never]) as AnyTensor;
      const others = order.slice([1, null]);
      const their = corners.index([others as never]) as AnyTensor;
      const upper = maximum(best.slice([0, 2]), their.slice(":", [0, 2]));
      const lower = minimum(best.slice([2, 4]), their.slice(":", [2, 4]));
      const shared = lower.sub(upper).clamp({ min: 0 }).prod(1);
      const own = best
        .slice([2, 4])
        .sub(best.slice([0, 2]))
        .prod();
      const areas = their
        .slice(":", [2, 4])
        .sub(their.slice(":", [0, 2]))
        .prod(1);
      order = others.maskedSelect(shared.div(own.add(areas).sub(shared)).le(0.5)) as AnyTensor;
      total++;
    }
  }
  return total;
}

/** Sorted tables of any length, read between their places at any number of places: 1,200 tables, of 300 lengths in turn. */
function interpolated(): number {
  let total = 0;
  for (let k = 0; k < 1_200; k++) {
    const [count, wanted] = [50 + (((k % 300) * 37) % 400), 200 + (((k % 300) * 11) % 300)];
    const places = uniform(1_300 + (k % 300), [count]).sort().values as AnyTensor;
    const heights = uniform(1_700 + (k % 300), [count]);
    const at = uniform(2_100 + (k % 300), [wanted]);
    const above = searchsorted(places, at).clamp(1, count - 1) as AnyTensor;
    const below = above.sub(1);
    const read = (from: AnyTensor, where: AnyTensor): AnyTensor => from.index([where as never]) as AnyTensor;
    const share = at.sub(read(places, below)).div(read(places, above).sub(read(places, below)));
    const rise = read(heights, above).sub(read(heights, below));
    total += read(heights, below).add(share.clamp(0, 1).mul(rise)).mean().item() as number;
  }
  return total;
}

/** Words of a small transformer, each from those before it: its keys and values are joined to lists that grow. */
function generation(): number {
  const [layers, width, heads, words] = [4, 128, 4, 256];
  const parameter = (seed: number, ...shape: [number, number]): AnyTensor =>
    uniform(seed, shape).sub(0.5).mul(0.25).compute();
  const [table, places] = [parameter(2_500, words, width), parameter(2_501, words, width)];
  const blocks = Array.from({ length: layers }, (_, k) => ({
    inner: parameter(2_510 + k, width, 3 * width),
    outer: parameter(2_520 + k, width, width),
    up: parameter(2_530 + k, width, 4 * width),
    down: parameter(2_540 + k, 4 * width, width),
  }));
  const times = (a: AnyTensor, b: AnyTensor): AnyTensor => a.matmul(b as never) as AnyTensor;
  let total = 0;
  for (let text = 0; text < 2; text++) {
    const kept: { keys: AnyTensor | null; values: AnyTensor | null }[] = blocks.map(() => ({
      keys: null,
      values: null,
    }));
    let word = text;
    for (let k = 0; k < 150; k++) {
      let x = table.narrow(0, word, 1).add(places.narrow(0, k, 1) as never) as AnyTensor;
      for (const [layer, { inner, outer, up, down }] of blocks.entries()) {
        const [query, key, value] = times(layerNorm(x, [width]) as AnyTensor, inner)
          .view([1, 3, heads, width / heads])
          .unbind(1)
          .map((each) => (each as AnyTensor).transpose(0, 1)) as [AnyTensor, AnyTensor, AnyTensor];
        const list = kept[layer] as (typeof kept)[number];
        list.keys = list.keys === null ? key : (cat([list.keys, key] as never, 1) as AnyTensor);
        list.values = list.values === null ? value : (cat([list.values, value] as never, 1) as AnyTensor);
        const shares = times(query, list.keys.transpose(1, 2))
          .div(Math.sqrt(width / heads))
          .softmax(-1);
        const read = times(shares, list.values).transpose(0, 1).reshape([1, width]);
        x = x.add(times(read, outer) as never) as AnyTensor;
        x = x.add(times(times(layerNorm(x, [width]) as AnyTensor, up).relu(), down) as never) as AnyTensor;
      }
      word = times(x, table.t()).argmax().item() as number;
      total += word;
    }
  }
  return total;
}

export const programs: Readonly<Record<string, () => number>> = {
  edit,
  warping,
  heat,
  elimination,
  episodes,
  replay,
  filter,
  history,
  tokens,
  messages,
  suppression,
  batches,
  requests,
  prefixes,
  crops,
  labels,
  decoding,
  circuit,
  rejection,
  seasons,
  leaves,
  pairs,
  tour,
  annealing,
  slopes,
  averages,
  losses,
  triplets,
  sieves,
  strides,
  trained,
  sentences,
  lengths,
  collocation,
  pictures,
  distances,
  boxes,
  interpolated,
  generation,
};
