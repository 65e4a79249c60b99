/** What the compiler made of an expression, and the promise that it kept. */
import type { Explanation } from "fuseau";

export interface Compiled {
  readonly kernels: number;
  readonly phases: number;
  readonly ops: number;
  readonly emitter: string;
  /** Bytes of intermediates that running op by op writes. */
  readonly unfusedBytes: number;
  /** Bytes of intermediates that are written. */
  readonly fusedBytes: number;
  /** Bytes of all arrays together: inputs, intermediates and results. */
  readonly arrayBytes: number;
}

export function summarize({ kernels, emitter, bytes }: Explanation): Compiled {
  const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
  return {
    kernels: kernels.length,
    phases: total(kernels.map(({ phases }) => phases)),
    ops: total(kernels.map(({ ops }) => ops.length)),
    emitter,
    unfusedBytes: bytes.unfused,
    fusedBytes: bytes.arena,
    arrayBytes: bytes.peak,
  };
}

/** @throws Error unless an expression over `count` places is one kernel, whose arrays are all smaller than a square one. */
export function assertFused(name: string, explanation: Explanation, count: number): void {
  const { kernels, arrayBytes } = summarize(explanation);
  const squareBytes = count * count * Float32Array.BYTES_PER_ELEMENT;
  if (kernels === 1 && arrayBytes < squareBytes) return;
  throw new Error(
    `${name}: ${kernels} kernels over ${arrayBytes} bytes of arrays, where one kernel and less than ${squareBytes} bytes were promised\n${explanation}`,
  );
}
