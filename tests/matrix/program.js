import { fromTypedArray, getThreads, tensor, zeros } from "fuseau";
import { Linear } from "fuseau/nn";
import { SGD } from "fuseau/optim";
import { assertClose } from "fuseau/testing";

/**
 * A small real program: what every host of the matrix runs, from the packed packages.
 * Resolves to what ran; throws where a value is wrong.
 */
export async function check() {
  const chain = tensor([
    [1, -2, 3],
    [4, 5, -6],
  ])
    .mul(tensor([1, 2, 3]))
    .add(0.5)
    .relu();
  const small = emitterOf(chain);
  same("a chain with a broadcast row", chain.toArray(), [
    [1.5, 0, 9.5],
    [4.5, 10.5, 0],
  ]);
  const left = tensor([
    [1, 2],
    [3, 4],
    [5, 6],
  ]);
  same("a matrix product", left.matmul(left.t()).toArray(), [
    [5, 11, 17],
    [11, 25, 39],
    [17, 39, 61],
  ]);
  const written = zeros([2, 3]);
  written.t().slice([1, null]).add_(2);
  same("a write through a view", written.toArray(), [
    [0, 2, 2],
    [0, 2, 2],
  ]);
  const places = tensor([[2, 0]], { dtype: "int64" });
  same("gather", left.t().gather(1, places).toArray(), [[5, 1]]);
  same(
    "scatter",
    zeros([1, 3])
      .scatter(1, places, tensor([[7, 8]]))
      .toArray(),
    [[8, 0, 7]],
  );
  same("sort", tensor([3, 1, 2]).sort().values.toArray(), [1, 2, 3]);

  // Of the class there is one, whichever entry point it comes from.
  assertClose(tensor([0.1, 0.2]).sum(), 0.3);
  refused("assertClose", () => assertClose(tensor([1, 2]), [1, 3]), /^assertClose: .*not close/);
  refused("an error's words", () => zeros([2]).sum({ dim: 0 }), /^sum: .*\(dim is an argument/);

  const model = new Linear(2, 1, { bias: false });
  const optimizer = new SGD(model.parameters(), { lr: 0.5 });
  model.loadStateDict({ weight: tensor([[1, 2]]) });
  model
    .forward(tensor([[3, 4]]))
    .sum()
    .backward();
  optimizer.step();
  same("a training step", model.weight.toArray(), [[-0.5, 0]]);

  const many = fromTypedArray(Float32Array.from({ length: 1_000_000 }, (_, k) => k % 7));
  const sum = () => many.mul(2).add(1).relu().sum();
  const large = emitterOf(sum());
  // 142,857 runs of 1 + 3 + … + 13, and one more 1.
  same("a sum over a million", sum().item(), 142_857 * 49 + 1);
  return { small, large, threads: await threads(sum) };
}

/** What will run it. */
function emitterOf(expression) {
  const { emitter, emitterReason } = expression.explain().toJSON();
  return { emitter, reason: emitterReason };
}

/** How many threads there may be, when enough has been computed to have started them; the sum is still the same. */
async function threads(sum) {
  const expected = sum().item();
  for (let k = 0; k < 40; k++) {
    same("a sum on several threads", sum().item(), expected);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return getThreads();
}

function refused(what, run, words) {
  let message = "nothing";
  try {
    run();
  } catch (error) {
    message = error.message;
  }
  if (!words.test(message)) throw new Error(`${what}: threw ${message}`);
}

function same(what, given, expected) {
  const [a, b] = [JSON.stringify(given), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`);
}
