/** A chain of 100,000 recorded ops. */
import { fromTypedArray, type Tensor } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import { kernelsRun } from "../measure/runtime.ts";
import { send } from "./send.ts";

export interface LongChain {
  readonly ops: number;
  /** Milliseconds. */
  readonly record: number;
  readonly compute: number;
  readonly computeAgain: number;
  readonly kernels: number;
  /** Of any kernel. */
  readonly mostOps: number;
}

const OPS = 100_000;
const SIZE = 16;

type Row = Tensor<[16], "float32">;

const x: Row = fromTypedArray(randomFloats(SIZE, 1, 0.5), { shape: [SIZE] });
const y: Row = fromTypedArray(randomFloats(SIZE, 2, 0.5), { shape: [SIZE] });

function record(): Row {
  let z = x;
  for (let k = 0; k < OPS; k += 2) z = z.mul(y).add(x);
  return z;
}

const start = performance.now();
const chain = record();
const recorded = performance.now();
const kernels = kernelsRun(() => void chain.compute());
const computed = performance.now();
const again = record();
const recordedAgain = performance.now();
again.compute();
const computedAgain = performance.now();
const mostOps = Math.max(
  ...record()
    .explain()
    .kernels.map(({ ops }) => ops.length),
);

const result: LongChain = {
  ops: OPS,
  record: recorded - start,
  compute: computed - recorded,
  computeAgain: computedAgain - recordedAgain,
  kernels,
  mostOps,
};
send(result);
