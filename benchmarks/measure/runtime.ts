/** What the benchmarks need of fuseau beside its ops. */
import { type AnyTensor, type ComputeOptions, compute, type Explanation, explain, stats } from "fuseau";

export { clearCaches, setOptions, stats } from "fuseau";

/** Computes several tensors at once. */
export function computeTogether(tensors: readonly AnyTensor[], options: ComputeOptions = {}): void {
  compute(...tensors, options);
}

export const explainTogether = (tensors: readonly AnyTensor[], options: ComputeOptions = {}): Explanation =>
  explain(...tensors, options);

/** Counts the kernels that a piece of work runs. */
export function kernelsRun(work: () => void): number {
  const before = stats().runs.kernels;
  work();
  return stats().runs.kernels - before;
}
