/**
 * Training steps by Adam on batches of 64 digits. A perceptron 784-128-10, with derivatives and with formulas written by hand, and a
 * convolutional network of 8 and 16 filters of 5×5, with derivatives. PyTorch has both.
 */
import {
  type AnyTensor,
  arange,
  compute,
  crossEntropy,
  Generator,
  randint,
  randn,
  type Tensor,
  zeros,
} from "fuseau";
import { Conv2d, Flatten, Linear, MaxPool2d, type Module, ReLU, Sequential, Unflatten } from "fuseau/nn";
import { Adam } from "fuseau/optim";
import type { TorchTraining } from "../peers/torch/torch.ts";

const BATCH = 64;
const BATCHES = 10;

/** Trains on a batch; gives the loss. */
export type Step = (batch: number) => number;

type Float = Tensor<number[], "float32">;

const images: Float = randn([BATCH * BATCHES, 784], { generator: new Generator(1) }).compute();
const digits = randint(10, [BATCH * BATCHES], { generator: new Generator(2) }).compute();
const at = (batch: number): [number, number] => {
  const begin = (batch % BATCHES) * BATCH;
  return [begin, begin + BATCH];
};

type Network = Module & { forward(x: Tensor<[number, 784]>): AnyTensor };

const perceptron = () => {
  const generator = new Generator(3);
  return new Sequential(new Linear(784, 128, { generator }), new ReLU(), new Linear(128, 10, { generator }));
};

const convolutional = () => {
  const generator = new Generator(4);
  return new Sequential(
    new Unflatten(1, [1, 28, 28]),
    new Conv2d(1, 8, 5, { generator }),
    new ReLU(),
    new MaxPool2d(2),
    new Conv2d(8, 16, 5, { generator }),
    new ReLU(),
    new MaxPool2d(2),
    new Flatten(),
    new Linear(256, 10, { generator }),
  );
};

/** As a user writes it. */
function withDerivatives(model: Network): Step {
  const optimizer = new Adam(model.parameters());
  return (batch) => {
    optimizer.zeroGrad();
    const loss = crossEntropy(
      model.forward(images.slice(at(batch)) as Tensor<[number, 784]>),
      digits.slice(at(batch)),
    );
    loss.backward();
    optimizer.step();
    return Number(loss.item());
  };
}

const inTorch = (model: Network, network: string): TorchTraining => {
  const given = (x: AnyTensor) => ({ dtype: x.dtype, shape: x.shape, elements: x.toTypedArray() });
  return {
    network,
    parameters: model.parameters().map((parameter) => given(parameter.detach())),
    images: given(images),
    labels: given(digits),
    batch: BATCH,
  };
};

export interface Training {
  readonly derivatives: () => Step;
  readonly byHand?: () => Step;
  readonly torch: () => TorchTraining;
}

export const trainings: Readonly<Record<"perceptron" | "convolutional", Training>> = {
  perceptron: {
    derivatives: () => withDerivatives(perceptron()),
    byHand,
    torch: () => inTorch(perceptron(), "nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))"),
  },
  convolutional: {
    derivatives: () => withDerivatives(convolutional()),
    torch: () =>
      inTorch(
        convolutional(),
        "nn.Sequential(nn.Unflatten(1, (1, 28, 28)), nn.Conv2d(1, 8, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(256, 10))",
      ),
  },
};

/** Gradients by hand, and every tensor on the way let go of: all writes are in place. */
function byHand(): Step {
  const weights = perceptron()
    .parameters()
    .map((item): Float => item.detach().clone().to("float32").compute());
  const averages = weights.map(({ shape }): Float => zeros([...shape]).compute());
  const squares = weights.map(({ shape }): Float => zeros([...shape]).compute());
  const classes = arange(10).compute();
  let step = 0;
  return (batch) => {
    const made: AnyTensor[] = [];
    const own = <T extends AnyTensor>(x: T): Float => {
      made.push(x);
      return x as AnyTensor as Float;
    };
    const [w1, b1, w2, b2] = weights as [Float, Float, Float, Float];
    const x = own(images.slice(at(batch)));
    const isDigit = own(classes.eq(own(own(digits.slice(at(batch))).unsqueeze(1)) as AnyTensor));
    const hot = own(isDigit.float());
    const hidden = own(own(own(x.matmul(own(w1.t()))).add(b1)).relu());
    const scores = own(own(hidden.matmul(own(w2.t()))).add(b2));
    const shifted = own(scores.sub(own(scores.amax(1, { keepdim: true }))));
    const powers = own(shifted.exp());
    const sums = own(powers.sum(1, { keepdim: true }));
    const losses = own(own(own(sums.log()).sub(shifted)).mul(hot));
    const loss = own(losses.sum()).div(BATCH);
    const ofScores = own(own(own(powers.div(sums)).sub(hot)).div(BATCH));
    const ofHidden = own(own(ofScores.matmul(w2)).mul(own(own(hidden.gt(0)).float())));
    const gradients = [
      own(own(ofHidden.t()).matmul(x)),
      own(ofHidden.sum(0)),
      own(own(ofScores.t()).matmul(hidden)),
      own(ofScores.sum(0)),
    ];
    step++;
    const [first, second] = [1 - 0.9 ** step, (1 - 0.999 ** step) ** 0.5];
    weights.forEach((weight, k) => {
      const [m, v, gradient] = [averages[k]!, squares[k]!, gradients[k]!];
      m.lerp_(gradient, 1 - 0.9);
      v.mul_(0.999).addcmul_(gradient, gradient, { value: 1 - 0.999 });
      weight.addcdiv_(m, own(own(own(v.sqrt()).div(second)).add(1e-8)), { value: -(1e-3 / first) });
    });
    for (const tensor of made) tensor.dispose();
    compute(...weights, ...averages, ...squares, loss);
    const number = Number(loss.item());
    loss.dispose();
    return number;
  };
}
