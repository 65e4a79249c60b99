/** Gradients of layers, as training has them. The other order asks `backward` for them, of a loss that is said another way. */
import {
  type AnyTensor,
  adaptiveAvgPool2d,
  autograd,
  batchNorm,
  cat,
  conv2d,
  convTranspose2d,
  ctcLoss,
  full,
  groupNorm,
  maxPool2d,
  type Tensor,
} from "fuseau";
import { floats, integers, positive, program } from "./program.ts";

type Floats = Tensor<number[], "float32">;
type Images = Tensor<[number, number, number, number], "float32">;
const images = (x: AnyTensor): Images => x as unknown as Images;
const halved = { stride: 2, padding: 1 } as const;

const inOne = (gradients: readonly (AnyTensor | null)[]): AnyTensor =>
  cat(gradients.map((each) => (each as Floats).flatten()) as Floats[]);

/** The gradients of the mean of squares of what `make` gives, one behind the other. */
function gradients(leaves: readonly AnyTensor[], make: (...leaves: Images[]) => AnyTensor): AnyTensor {
  const own = leaves.map((each) => images((each as Floats).detach().requiresGrad_()));
  const loss = (make(...own) as Floats).square().mean();
  return inOne(autograd.grad([loss], own));
}

function backward(leaves: readonly AnyTensor[], make: (...leaves: Images[]) => AnyTensor): AnyTensor {
  const own = leaves.map((each) => images((each as Floats).detach().requiresGrad_()));
  const made = make(...own) as Floats;
  made.mul(made).sum().div(made.numel()).backward();
  return inOne(own.map(({ grad }) => grad));
}

/** The same in PyTorch, where programs run without gradients: `made` is an expression over the leaves. */
const inTorch = (leaves: string, made: string): string => {
  const loss = `(lambda ${leaves}: ${made})(*own).square().mean()`;
  const gradient = `(lambda own: torch.cat([each.flatten() for each in torch.autograd.grad(${loss}, own)]))`;
  const own = "[each.detach().requires_grad_() for each in given]";
  return `torch.inference_mode(False)(lambda *given: ${gradient}(${own}))(${leaves})`;
};

const autoencoder =
  (x: AnyTensor) =>
  (a: Images, b: Images, c: Images, d: Images): AnyTensor => {
    const code = conv2d(conv2d(images(x), a, halved).relu(), b, halved).relu();
    const image = convTranspose2d(convTranspose2d(code, c, halved).relu(), d, halved) as Floats;
    return image.sigmoid().sub(x as Floats);
  };

const pooledNorm =
  (x: AnyTensor) =>
  (a: Images, weight: AnyTensor, bias: AnyTensor): AnyTensor => {
    const own = { weight: weight as Tensor<[number], "float32">, bias: bias as Tensor<[number], "float32"> };
    const norm = batchNorm(conv2d(images(x), a, { padding: 1 }), null, null, { ...own, training: true });
    return maxPool2d(images(norm.relu()), 2);
  };

const excited =
  (x: AnyTensor) =>
  (a: Images, b: Images): AnyTensor => {
    const squeezed = conv2d(adaptiveAvgPool2d(images(x), 1), a).relu();
    return (x as Floats).mul(conv2d(squeezed, b).sigmoid() as Floats);
  };

const spelled =
  (labels: AnyTensor) =>
  (x: Images): AnyTensor =>
    ctcLoss((x as Floats).logSoftmax(2), (labels as Floats).add(1), full([8], 60), full([8], 10), {
      reduction: "none",
    });

export const derivatives = [
  program(
    "an autoencoder in steps of two",
    {
      ...{ x: floats(16, 3, 32, 32), a: floats(16, 3, 3, 3), b: floats(32, 16, 3, 3) },
      ...{ c: floats(32, 16, 4, 4), d: floats(16, 3, 4, 4) },
    },
    inTorch(
      "a, b, c, d",
      "F.conv_transpose2d(F.conv_transpose2d(F.conv2d(F.conv2d(x, a, stride=2, padding=1).relu(), b, stride=2, padding=1).relu(), c, stride=2, padding=1).relu(), d, stride=2, padding=1).sigmoid() - x",
    ),
    ({ x, a, b, c, d }) => gradients([a, b, c, d], autoencoder(x)),
    ({ x, a, b, c, d }) => backward([a, b, c, d], autoencoder(x)),
  ),
  program(
    "depthwise and pointwise filters",
    { x: floats(8, 32, 28, 28), a: floats(32, 1, 3, 3), b: floats(64, 32, 1, 1) },
    inTorch("a, b", "F.conv2d(F.conv2d(x, a, padding=1, groups=32).relu(), b)"),
    ({ x, a, b }) =>
      gradients([a, b], (own, next) =>
        conv2d(conv2d(images(x), own, { padding: 1, groups: 32 }).relu(), next),
      ),
    ({ x, a, b }) =>
      backward([a, b], (own, next) =>
        conv2d(conv2d(images(x), own, { padding: 1, groups: 32 }).clampMin(0) as Images, next),
      ),
  ),
  program(
    "a convolution and a group norm",
    { x: floats(8, 32, 28, 28), a: floats(32, 32, 3, 3), weight: positive(32), bias: floats(32) },
    inTorch("a", "F.group_norm(F.conv2d(x, a, padding=1), 8, weight, bias).relu()"),
    ({ x, a, weight, bias }) =>
      gradients([a], (own) =>
        groupNorm(conv2d(images(x), own, { padding: 1 }), 8, { weight, bias } as never).relu(),
      ),
    ({ x, a, weight, bias }) =>
      backward([a], (own) =>
        groupNorm(conv2d(images(x), own, { padding: 1 }), 8, { weight, bias } as never).clampMin(0),
      ),
  ),
  program(
    "a filter, a norm and a pool of small images",
    { x: floats(16, 32, 8, 8), a: floats(64, 32, 3, 3), weight: positive(64), bias: floats(64) },
    inTorch(
      "a, weight, bias",
      "F.max_pool2d(F.batch_norm(F.conv2d(x, a, padding=1), None, None, weight, bias, True).relu(), 2)",
    ),
    ({ x, a, weight, bias }) => gradients([a, weight, bias], pooledNorm(x)),
    ({ x, a, weight, bias }) => backward([a, weight, bias], pooledNorm(x)),
  ),
  program(
    "channels that are squeezed and excited",
    { x: floats(8, 32, 16, 16), a: floats(8, 32, 1, 1), b: floats(32, 8, 1, 1) },
    inTorch("a, b", "x * F.conv2d(F.conv2d(F.adaptive_avg_pool2d(x, 1), a).relu(), b).sigmoid()"),
    ({ x, a, b }) => gradients([a, b], excited(x)),
    ({ x, a, b }) => backward([a, b], excited(x)),
  ),
  program(
    "labels along a sequence",
    { x: floats(60, 8, 20), labels: integers(19, 8, 10) },
    inTorch(
      "x",
      "F.ctc_loss(x.log_softmax(2), labels.clone() + 1, torch.full((8,), 60), torch.full((8,), 10), reduction='none')",
    ),
    ({ x, labels }) => gradients([x], spelled(labels)),
    ({ x, labels }) => backward([x], spelled(labels)),
  ),
];
