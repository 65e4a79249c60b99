/**
 * jax-js 0.1.25, jitted, on its Wasm device. Ops consume their arrays unless `.ref` is taken. Work is queued until it is
 * waited for, so each call waits with `blockUntilReady()`; `dataSync()` would copy the result out and was slower.
 */
import type { Variant } from "../case.ts";
import { letEscape } from "../measure/escape.ts";
import type { PeerInput, PeerLibrary } from "./library.ts";

interface JaxArray {
  readonly ref: JaxArray;
  mul(other: JaxArray): JaxArray;
  add(other: JaxArray): JaxArray;
  sub(other: JaxArray): JaxArray;
  reshape(shape: readonly number[]): JaxArray;
  blockUntilReady(): Promise<JaxArray>;
  data(): Promise<ArrayLike<number>>;
  dispose(): void;
}

interface Jax {
  init(device: "wasm"): Promise<unknown>;
  defaultDevice(device: "wasm"): void;
  jit<F extends (...arrays: JaxArray[]) => JaxArray>(work: F): F;
  readonly numpy: {
    array(elements: Float32Array): JaxArray;
    exp(x: JaxArray): JaxArray;
    tanh(x: JaxArray): JaxArray;
  };
  readonly nn: { softmax(x: JaxArray, axis: number): JaxArray };
}

export async function loadJax(): Promise<PeerLibrary> {
  // A name in a variable: the package is installed by the benchmarks, after the types were checked.
  const packageName: string = "@jax-js/jax";
  const jax: Jax = await import(packageName);
  await jax.init("wasm");
  jax.defaultDevice("wasm");

  const name = "jax-js jit, wasm";
  const make = ({ elements, shape }: PeerInput): JaxArray => jax.numpy.array(elements).reshape(shape);
  const variant = (compute: () => JaxArray): readonly Variant[] => [
    {
      name,
      role: "peer",
      async run() {
        const result = compute();
        await result.blockUntilReady();
        letEscape(result);
        result.dispose();
      },
      result: () => compute().data(),
    },
  ];
  return {
    name,
    chain(...inputs) {
      const [a, b, c, d] = inputs.map(make) as [JaxArray, JaxArray, JaxArray, JaxArray];
      const compute = jax.jit((x: JaxArray, y: JaxArray, s: JaxArray, t: JaxArray) =>
        x.ref.mul(y).add(s).mul(t).sub(x),
      );
      return variant(() => compute(a.ref, b.ref, c.ref, d.ref));
    },
    tanhOfExp(input) {
      const array = make(input);
      const compute = jax.jit((x: JaxArray) => jax.numpy.tanh(jax.numpy.exp(x)));
      return variant(() => compute(array.ref));
    },
    softmax(input) {
      const array = make(input);
      const compute = jax.jit((x: JaxArray) => jax.nn.softmax(x, 1));
      return variant(() => compute(array.ref));
    },
  };
}
