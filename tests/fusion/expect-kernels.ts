/** Kernel counts, asserted through `explain()`: what fails shows the loop IR of every kernel there is. */
import { type AnyTensor, type ComputeOptions, type Explanation, explain } from "fuseau";
import { expect } from "vitest";

/** What the compiler does with the tensors when they are computed together. */
export const explained = (
  tensors: AnyTensor | readonly AnyTensor[],
  options: ComputeOptions = {},
): Explanation => explain(...[tensors].flat(), options);

/** The ops of each kernel. */
export const opsOf = (x: AnyTensor): string[] => explained(x).kernels.map(({ ops }) => ops.join(" "));

/** Each kernel as loops, and the edges that were not fused. */
export function picture({ kernels, notFused }: Explanation): string {
  const loops = kernels.map(
    ({ name, phases, loop }) => `${name} (${phases} phases)\n${loop.split("\n").slice(0, 60).join("\n")}`,
  );
  const edges = notFused.map(
    ({ op, producer, reason, measured, limit }) =>
      `%${producer} ${op}: ${reason} (${measured}, limit ${limit})`,
  );
  return [...loops.slice(0, 8), ...edges.slice(0, 8)].join("\n\n");
}

/** Fails unless the tensors take this many kernels and, when it is given, phases in all. */
export function expectKernels(
  tensors: AnyTensor | readonly AnyTensor[],
  kernels: number,
  phases?: number,
): Explanation {
  const explanation = explained(tensors);
  const count = explanation.kernels.length;
  if (count !== kernels) expect.fail(`${count} kernels, not ${kernels}\n\n${picture(explanation)}`);
  const nests = explanation.kernels.reduce((sum, kernel) => sum + kernel.phases, 0);
  if (phases !== undefined && nests !== phases)
    expect.fail(`${nests} phases, not ${phases}\n\n${picture(explanation)}`);
  return explanation;
}

/** How often each op is computed, over all kernels. */
export function opCounts({ kernels }: Explanation): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const op of kernels.flatMap(({ ops }) => ops)) counts[op] = (counts[op] ?? 0) + 1;
  return counts;
}
