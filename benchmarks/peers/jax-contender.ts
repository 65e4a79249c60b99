/**
 * jax-js, jitted, on its Wasm device. Ops consume their arrays unless `.ref` is taken. Work is queued until it is waited
 * for, so each call waits with `blockUntilReady()`.
 */
import { letEscape } from "../measure/escape.ts";
import { type Contender, timeCalls } from "../wasm/contender.ts";
import type { Contest } from "../wasm/contest.ts";
import { concatenated, widened } from "../wasm/elements.ts";

type Axis = number | null;

export interface JaxArray {
  readonly ref: JaxArray;
  add(other: JaxArray | number): JaxArray;
  sub(other: JaxArray | number): JaxArray;
  mul(other: JaxArray | number): JaxArray;
  div(other: JaxArray | number): JaxArray;
  sum(axis?: Axis): JaxArray;
  min(axis: Axis): JaxArray;
  mean(axis: Axis): JaxArray;
  transpose(order?: readonly number[]): JaxArray;
  slice(...ranges: readonly (readonly [number, number])[]): JaxArray;
  reshape(shape: readonly number[]): JaxArray;
  astype(dtype: "float32"): JaxArray;
  sort(): JaxArray;
  blockUntilReady(): Promise<JaxArray>;
  data(): Promise<ArrayLike<number>>;
  dispose(): void;
}

type Unary = (x: JaxArray) => JaxArray;

export interface Jax {
  init(device: "wasm"): Promise<unknown>;
  defaultDevice(device: "wasm"): void;
  jit<Result extends JaxArray | JaxArray[]>(
    work: (...arrays: JaxArray[]) => Result,
  ): (...arrays: JaxArray[]) => Result;
  readonly numpy: {
    array(elements: Float32Array | Int32Array): JaxArray;
    readonly asin: Unary;
    readonly cos: Unary;
    readonly exp: Unary;
    readonly log: Unary;
    readonly sin: Unary;
    readonly sqrt: Unary;
    readonly square: Unary;
    readonly tanh: Unary;
    cumsum(x: JaxArray, axis: number): JaxArray;
    matmul(x: JaxArray, y: JaxArray): JaxArray;
    minimum(x: JaxArray, y: JaxArray | number): JaxArray;
    take(x: JaxArray, places: JaxArray, axis: number): JaxArray;
    var_(x: JaxArray, axis: number): JaxArray;
  };
  readonly nn: {
    gelu(x: JaxArray, options: { readonly approximate: boolean }): JaxArray;
    logsumexp(x: JaxArray, axis: number): JaxArray;
    relu(x: JaxArray): JaxArray;
    softmax(x: JaxArray, axis: number): JaxArray;
    standardize(x: JaxArray, axis: number): JaxArray;
  };
  readonly scipySpecial: { readonly erf: Unary };
}

export async function loadJax(): Promise<Jax> {
  // A name in a variable: the package is installed by the benchmarks, after the types were checked.
  const packageName: string = "@jax-js/jax";
  const jax: Jax = await import(packageName);
  await jax.init("wasm");
  jax.defaultDevice("wasm");
  return jax;
}

/** Null where jax-js has no such computation. */
export function jaxContender(jax: Jax, contest: Contest): Contender | null {
  const { jax: expression, inputs } = contest;
  if (expression === undefined) return null;
  const arrays = inputs().map(({ elements, shape }) => jax.numpy.array(widened(elements)).reshape(shape));
  const jitted = jax.jit((...operands) => expression(jax, ...operands));
  const compute = (): readonly JaxArray[] => {
    const result = jitted(...arrays.map(({ ref }) => ref));
    return Array.isArray(result) ? result : [result];
  };
  return {
    name: "jax-js",
    result: async () => concatenated(await Promise.all(compute().map((result) => result.data()))),
    time: (milliseconds) =>
      timeCalls(async () => {
        const results = compute();
        for (const result of results) await result.blockUntilReady();
        letEscape(results);
        for (const result of results) result.dispose();
      }, milliseconds),
    dispose() {
      for (const array of arrays) array.dispose();
    },
  };
}
