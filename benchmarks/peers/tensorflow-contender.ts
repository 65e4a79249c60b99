/** tfjs on its Wasm backend, in production mode. Ops run when they are called; in Node on one thread. */
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { letEscape } from "../measure/escape.ts";
import { type Contender, timeCalls } from "../wasm/contender.ts";
import type { Contest } from "../wasm/contest.ts";
import { concatenated, widened } from "../wasm/elements.ts";

export interface TfTensor {
  add(other: TfTensor | number): TfTensor;
  sub(other: TfTensor | number): TfTensor;
  mul(other: TfTensor | number): TfTensor;
  div(other: TfTensor | number): TfTensor;
  asin(): TfTensor;
  cos(): TfTensor;
  cumsum(axis: number): TfTensor;
  erf(): TfTensor;
  exp(): TfTensor;
  floor(): TfTensor;
  log(): TfTensor;
  logSumExp(axis: number): TfTensor;
  min(axis: number): TfTensor;
  minimum(other: TfTensor | number): TfTensor;
  reverse(): TfTensor;
  rsqrt(): TfTensor;
  sin(): TfTensor;
  slice(begin: readonly number[], size: readonly number[]): TfTensor;
  softmax(axis: number): TfTensor;
  sqrt(): TfTensor;
  square(): TfTensor;
  sum(axis?: number): TfTensor;
  tanh(): TfTensor;
  toFloat(): TfTensor;
  toInt(): TfTensor;
  transpose(order?: readonly number[]): TfTensor;
  data(): Promise<ArrayLike<number>>;
  dispose(): void;
}

export interface Tensorflow {
  enableProdMode(): void;
  setBackend(backend: "wasm"): Promise<boolean>;
  ready(): Promise<void>;
  tensor(elements: Float32Array | Int32Array, shape: readonly number[]): TfTensor;
  tidy<T>(work: () => T): T;
  bincount(x: TfTensor, weights: readonly number[], size: number): TfTensor;
  gather(x: TfTensor, places: TfTensor, axis: number): TfTensor;
  matMul(x: TfTensor, y: TfTensor): TfTensor;
  conv1d(x: TfTensor, filter: TfTensor, stride: number, pad: "same" | "valid"): TfTensor;
  conv2d(
    x: TfTensor,
    filter: TfTensor,
    strides: number,
    pad: "same" | "valid",
    order?: "NHWC",
    dilation?: number,
  ): TfTensor;
  conv2dTranspose(
    x: TfTensor,
    filter: TfTensor,
    shape: readonly number[],
    strides: number,
    pad: "same" | "valid",
  ): TfTensor;
  depthwiseConv2d(x: TfTensor, filter: TfTensor, strides: number, pad: "same" | "valid"): TfTensor;
  maxPool(x: TfTensor, size: number, strides: number, pad: "same" | "valid"): TfTensor;
  relu(x: TfTensor): TfTensor;
  moments(
    x: TfTensor,
    axis: number,
    keepdim?: boolean,
  ): { readonly mean: TfTensor; readonly variance: TfTensor };
  topk(x: TfTensor, k: number): { readonly values: TfTensor };
  readonly fused: {
    conv2d(operands: {
      readonly x: TfTensor;
      readonly filter: TfTensor;
      readonly strides: number;
      readonly pad: "same" | "valid";
      readonly bias: TfTensor;
      readonly activation: "relu";
    }): TfTensor;
    matMul(operands: {
      readonly a: TfTensor;
      readonly b: TfTensor;
      readonly bias: TfTensor;
      readonly activation: "relu";
    }): TfTensor;
  };
}

interface WasmBackend {
  setWasmPaths(folder: string): void;
}

export async function loadTensorflow(): Promise<Tensorflow> {
  // Names in variables: the packages are installed by the benchmarks, after the types were checked.
  const packageName: string = "@tensorflow/tfjs";
  const backendName: string = "@tensorflow/tfjs-backend-wasm";
  const here = createRequire(import.meta.url);
  const tf: Tensorflow = await import(packageName);
  const wasm: WasmBackend = await import(backendName);
  tf.enableProdMode();
  wasm.setWasmPaths(`${dirname(here.resolve(backendName))}/`);
  await tf.setBackend("wasm");
  await tf.ready();
  return tf;
}

/** Null where tfjs has no such computation. */
export function tensorflowContender(tf: Tensorflow, contest: Contest): Contender | null {
  const { tensorflow: expression, tensorflowOrder: order, inputs } = contest;
  if (expression === undefined) return null;
  const tensors = inputs().map(({ elements, shape }, k) => {
    const given = tf.tensor(widened(elements), shape);
    return order === undefined ? given : given.transpose(order.inputs[k]);
  });
  const compute = (): readonly TfTensor[] => {
    const result = tf.tidy(() => expression(tf, ...tensors));
    return Array.isArray(result) ? result : [result];
  };
  return {
    name: "tfjs",
    result: async () => {
      const results = compute().map((result) =>
        order === undefined ? result : result.transpose(order.result),
      );
      return concatenated(await Promise.all(results.map((result) => result.data())));
    },
    time: (milliseconds) =>
      timeCalls(() => {
        const results = compute();
        letEscape(results);
        for (const result of results) result.dispose();
      }, milliseconds),
    dispose() {
      for (const tensor of tensors) tensor.dispose();
    },
  };
}
