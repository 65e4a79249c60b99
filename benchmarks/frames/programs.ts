/** What a page computes for each frame, written as one would: the function begins anew, and gives what computes the next frame. */
import { type AnyTensor, arange, cat, manualSeed, rand, randn, stack, tensor, zeros } from "fuseau";
import { Linear, Sequential, Tanh } from "fuseau/nn";
import { Adam } from "fuseau/optim";

export const programs: Readonly<Record<string, () => (frame: number) => unknown>> = {
  /** Reaction and diffusion (Gray and Scott): four steps on a grid, drawn as bytes. */
  grayScott() {
    let u: AnyTensor = rand([96, 96]);
    let v: AnyTensor = rand([96, 96]);
    const laplacian = (x: AnyTensor): AnyTensor =>
      x.roll(1, 0).add(x.roll(-1, 0)).add(x.roll(1, 1)).add(x.roll(-1, 1)).sub(x.mul(4));
    return () => {
      for (let k = 0; k < 4; k++) {
        const reaction = u.mul(v).mul(v);
        const next = u.add(laplacian(u).mul(0.16)).sub(reaction).add(u.neg().add(1).mul(0.035));
        v = v.add(laplacian(v).mul(0.08)).add(reaction).sub(v.mul(0.1));
        u = next;
      }
      return v.mul(255).clamp(0, 255).to("uint8").toTypedArray();
    };
  },

  /** 128 birds that see their neighbours. */
  boids() {
    let places: AnyTensor = rand([128, 2]).mul(100);
    let speeds: AnyTensor = randn([128, 2]);
    return () => {
      const away = places.unsqueeze(0).sub(places.unsqueeze(1));
      const distance = away.square().sum(-1);
      const near = distance.lt(100).to("float32");
      const count = near.sum(1, { keepdim: true });
      const together = near.matmul(places).div(count).sub(places).mul(0.01);
      const along = near.matmul(speeds).div(count).sub(speeds).mul(0.05);
      const apart = away.mul(distance.lt(9).to("float32").unsqueeze(-1)).sum(1).mul(-0.05);
      speeds = speeds.add(together).add(along).add(apart);
      const speed = speeds.square().sum(-1, { keepdim: true }).sqrt().clamp({ min: 1e-6 });
      speeds = speeds.mul(speed.clamp({ max: 2 }).div(speed));
      places = places.add(speeds).remainder(100);
      return places.toArray();
    };
  },

  /** A cloth of 32 × 32 points, whose edges are pulled to their length four times. */
  cloth() {
    const n = 32;
    const line = arange(n).div(n);
    const flat = [line.expand([n, n]), line.unsqueeze(1).expand([n, n]), zeros([n, n])];
    let [now, before]: [AnyTensor, AnyTensor] = [stack(flat, -1), stack(flat, -1)];
    const none = [zeros([1, n, 3]), zeros([n, 1, 3])] as const;
    return () => {
      let next: AnyTensor = now.add(now.sub(before).mul(0.99)).add(tensor([0, 0.0005, 0]));
      before = now;
      for (let round = 0; round < 4; round++)
        for (const axis of [0, 1] as const) {
          const edges = next.narrow(axis, 1, n - 1).sub(next.narrow(axis, 0, n - 1));
          const long = edges.square().sum(-1, { keepdim: true }).sqrt().clamp({ min: 1e-6 });
          const pull = edges.mul(long.sub(1 / n).div(long)).mul(0.25);
          next = next.add(cat([pull, none[axis]], axis)).sub(cat([none[axis], pull], axis));
        }
      now = next;
      return now.toArray();
    };
  },

  /** A step of training for each frame. */
  training() {
    manualSeed(0);
    const net = new Sequential(
      new Linear(2, 64),
      new Tanh(),
      new Linear(64, 64),
      new Tanh(),
      new Linear(64, 1),
    );
    const optimizer = new Adam(net.parameters(), { lr: 1e-3 });
    const x = rand([256, 2]);
    const y = x.sum(1, { keepdim: true }).sin();
    return () => {
      optimizer.zeroGrad();
      const loss = net.forward(x).sub(y).square().mean();
      loss.backward();
      optimizer.step();
      return loss.item();
    };
  },

  /** A picture whose gamma, saturation and blur are set by sliders. */
  sliders() {
    const picture = rand([3, 120, 160]);
    return (frame) => {
      const bright = picture.pow(0.5 + (frame % 50) / 50);
      const gray = bright.mean(0, { keepdim: true });
      const width = 3 + 2 * (frame % 5);
      const drawn = bright
        .sub(gray)
        .mul(1 + (frame % 7) / 10)
        .add(gray)
        .unfold(1, width, 1)
        .mean(-1)
        .unfold(2, width, 1)
        .mean(-1);
      return drawn.mul(255).to("uint8").permute([1, 2, 0]).toTypedArray();
    };
  },

  /** A fractal in a window that changes its size. */
  zoom: () => (frame) => {
    const [width, height] = [200 + ((frame * 3) % 90), 150 + ((frame * 2) % 70)];
    const x = arange(width).div(width).mul(3).sub(2).unsqueeze(0);
    const y = arange(height).div(height).mul(2).sub(1).unsqueeze(1);
    let re: AnyTensor = x.expand([height, width]);
    let im: AnyTensor = y.expand([height, width]);
    let inside: AnyTensor = zeros([height, width]);
    for (let round = 0; round < 12; round++) {
      const next = re.square().sub(im.square()).add(x);
      im = re.mul(im).mul(2).add(y);
      re = next;
      inside = inside.add(re.square().add(im.square()).lt(4));
    }
    return inside.to("uint8").toTypedArray();
  },
};
