/** tfjs 4.22 on its cpu and its Wasm backend, in production mode. Ops run when they are called. */
import { createRequire } from "node:module";
import { dirname } from "node:path";
import type { Variant } from "../case.ts";
import { letEscape } from "../measure/escape.ts";
import type { PeerInput, PeerLibrary } from "./library.ts";

interface TfTensor {
  mul(other: TfTensor): TfTensor;
  add(other: TfTensor): TfTensor;
  sub(other: TfTensor): TfTensor;
  exp(): TfTensor;
  tanh(): TfTensor;
  softmax(axis: number): TfTensor;
  data(): Promise<ArrayLike<number>>;
  dispose(): void;
}

interface Tensorflow {
  enableProdMode(): void;
  setBackend(backend: string): Promise<boolean>;
  ready(): Promise<void>;
  tensor(elements: Float32Array, shape: readonly number[]): TfTensor;
  tidy<T>(work: () => T): T;
}

interface WasmBackend {
  setWasmPaths(folder: string): void;
}

export async function loadTensorflow(backend: "cpu" | "wasm"): Promise<PeerLibrary> {
  // Names in variables: the packages are installed by the benchmarks, after the types were checked.
  const packageName: string = "@tensorflow/tfjs";
  const backendName: string = "@tensorflow/tfjs-backend-wasm";
  const tf: Tensorflow = await import(packageName);
  tf.enableProdMode();
  if (backend === "wasm") {
    const wasm: WasmBackend = await import(backendName);
    wasm.setWasmPaths(`${dirname(createRequire(import.meta.url).resolve(backendName))}/`);
  }
  const use = async (): Promise<void> => {
    await tf.setBackend(backend);
    await tf.ready();
  };
  await use();

  const name = `tfjs ${backend}`;
  const make = ({ elements, shape }: PeerInput): TfTensor => tf.tensor(elements, shape);
  const variant = (compute: () => TfTensor): readonly Variant[] => [
    {
      name,
      role: "peer",
      // The backends are one global setting; inputs move to a backend when it first reads them.
      prepare: use,
      run() {
        const result = tf.tidy(compute);
        letEscape(result);
        result.dispose();
      },
      result: () => tf.tidy(compute).data(),
    },
  ];
  return {
    name,
    chain(...inputs) {
      const [a, b, c, d] = inputs.map(make) as [TfTensor, TfTensor, TfTensor, TfTensor];
      return variant(() => a.mul(b).add(c).mul(d).sub(a));
    },
    tanhOfExp(input) {
      const x = make(input);
      return variant(() => x.exp().tanh());
    },
    softmax(input) {
      const x = make(input);
      return variant(() => x.softmax(1));
    },
  };
}
