/**
 * numpy-ts 1.7. Ops run when they are called; softmax is composed, as NumPy has none. Arrays are disposed of as soon as they
 * can be: its Wasm heap runs out otherwise, and it falls back to slower loops.
 */
import type { Variant } from "../case.ts";
import { letEscape } from "../measure/escape.ts";
import type { PeerInput, PeerLibrary } from "./library.ts";

interface NumpyArray {
  readonly data: ArrayLike<number>;
  reshape(shape: readonly number[]): NumpyArray;
  multiply(other: NumpyArray): NumpyArray;
  add(other: NumpyArray): NumpyArray;
  subtract(other: NumpyArray): NumpyArray;
  divide(other: NumpyArray): NumpyArray;
  exp(): NumpyArray;
  tanh(): NumpyArray;
  max(axis: number, keepdims: boolean): NumpyArray;
  sum(axis: number, keepdims: boolean): NumpyArray;
  dispose(): void;
}

interface Numpy {
  array(elements: Float32Array): NumpyArray;
}

const NAME = "numpy-ts";

const variant = (compute: () => NumpyArray): readonly Variant[] => [
  {
    name: NAME,
    role: "peer",
    run() {
      const result = compute();
      letEscape(result);
      result.dispose();
    },
    result() {
      const result = compute();
      const elements = Float64Array.from(result.data);
      result.dispose();
      return elements;
    },
  },
];

/** What `next` makes of an array that nothing else needs. */
function consume(array: NumpyArray, next: (array: NumpyArray) => NumpyArray): NumpyArray {
  const result = next(array);
  array.dispose();
  return result;
}

export async function loadNumpy(): Promise<PeerLibrary> {
  // A name in a variable: the package is installed by the benchmarks, after the types were checked.
  const packageName: string = NAME;
  const np: Numpy = await import(packageName);
  const make = ({ elements, shape }: PeerInput): NumpyArray => np.array(elements).reshape(shape);
  return {
    name: NAME,
    chain(...inputs) {
      const [a, b, c, d] = inputs.map(make) as [NumpyArray, NumpyArray, NumpyArray, NumpyArray];
      return variant(() => {
        const product = a.multiply(b);
        const sum = product.add(c);
        product.dispose();
        const scaled = sum.multiply(d);
        sum.dispose();
        const result = scaled.subtract(a);
        scaled.dispose();
        return result;
      });
    },
    tanhOfExp(input) {
      const x = make(input);
      return variant(() => consume(x.exp(), (e) => e.tanh()));
    },
    softmax(input) {
      const x = make(input);
      return variant(() => {
        const shifted = consume(x.max(1, true), (largest) => x.subtract(largest));
        const exponentials = consume(shifted, (y) => y.exp());
        return consume(exponentials, (e) => consume(e.sum(1, true), (total) => e.divide(total)));
      });
    },
  };
}
