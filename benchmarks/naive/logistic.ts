import { type AnyTensor, fromTypedArray, zeros } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import type { NaiveProgram } from "./program.ts";

const [COUNT, SIZE, EPOCHS, SHOWN] = [20_000, 64, 300, 10];
const [RATE, TINY] = [0.5, 1e-7];

function data(): { readonly x: Float32Array; readonly y: Float32Array } {
  const x = randomFloats(COUNT * SIZE, 6, -1, 1);
  const weights = randomFloats(SIZE, 7, -1, 1);
  const noise = randomFloats(COUNT, 8, -1, 1);
  const y = noise.map((e, i) => {
    let sum = e;
    for (let j = 0; j < SIZE; j++) sum += x[i * SIZE + j]! * weights[j]!;
    return sum > 0 ? 1 : 0;
  });
  return { x, y };
}

/** Logistic regression by the gradient of all data, with the loss looked at now and then. */
export const logistic: NaiveProgram = {
  mostTime: 1,
  tolerance: 1e-3,
  fuseau: () => {
    const given = data();
    const x = fromTypedArray(given.x, { shape: [COUNT, SIZE] });
    const y = fromTypedArray(given.y);
    return () => {
      let weights: AnyTensor = zeros([SIZE]);
      let bias: AnyTensor = zeros([]);
      let loss = 0;
      for (let epoch = 0; epoch < EPOCHS; epoch++) {
        const p = x.matmul(weights).add(bias).sigmoid();
        const hit = y.mul(p.add(TINY).log());
        const miss = y
          .neg()
          .add(1)
          .mul(
            p
              .neg()
              .add(1 + TINY)
              .log(),
          );
        const error = p.sub(y);
        weights = weights.sub(x.t().matmul(error).div(COUNT).mul(RATE)).compute();
        bias = bias.sub(error.mean().mul(RATE)).compute();
        if (epoch % SHOWN === 0) loss = -Number(hit.add(miss).mean().item());
      }
      return loss;
    };
  },
  loop: () => {
    const { x, y } = data();
    return () => {
      const weights = new Float32Array(SIZE);
      let bias = 0;
      let loss = 0;
      for (let epoch = 0; epoch < EPOCHS; epoch++) {
        const gradient = new Float64Array(SIZE);
        let [total, errors] = [0, 0];
        for (let i = 0; i < COUNT; i++) {
          let sum = bias;
          for (let j = 0; j < SIZE; j++) sum += x[i * SIZE + j]! * weights[j]!;
          const p = 1 / (1 + Math.exp(-sum));
          if (epoch % SHOWN === 0) total += y[i] === 1 ? Math.log(p + TINY) : Math.log(1 - p + TINY);
          const error = p - y[i]!;
          errors += error;
          for (let j = 0; j < SIZE; j++) gradient[j]! += error * x[i * SIZE + j]!;
        }
        for (let j = 0; j < SIZE; j++) weights[j]! -= (RATE * gradient[j]!) / COUNT;
        bias -= (RATE * errors) / COUNT;
        if (epoch % SHOWN === 0) loss = -total / COUNT;
      }
      return loss;
    };
  },
};
