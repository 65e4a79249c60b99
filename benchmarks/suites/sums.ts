/** Sums of a matrix over everything, over rows and over columns, and of the exponentials in rows. */
import type { AnyTensor } from "fuseau";
import { loopVariants } from "../measure/variants.ts";
import { columnSumLoops, logSumExpLoops, rowSumLoops, totalLoops } from "./loops/sums.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";
import { squareMatrix } from "./standardise.ts";

const SIZE = 1_000;

type Loop = (x: Float32Array, width: number, out: Float32Array) => Float32Array;

const fold = (
  name: string,
  title: string,
  folded: (x: AnyTensor) => AnyTensor,
  loops: Readonly<Record<string, Loop>>,
  results: number,
): ExpressionCase => ({
  name,
  title: `${title}, 1000×1000 float32`,
  about: "Sums are float64 and rounded at the end; the loops add in their own orders.",
  agreement: 1e-5,
  prepare() {
    const { elements, x } = squareMatrix(SIZE, 1);
    return prepared(() => folded(x), loopVariants(loops, [elements, SIZE, new Float32Array(results)]));
  },
});

export const sums: readonly ExpressionCase[] = [
  fold("sum-all", "sum over all", (x) => x.sum(), totalLoops, 1),
  fold("sum-rows", "sum over rows", (x) => x.sum(1), rowSumLoops, SIZE),
  fold("sum-columns", "sum over columns", (x) => x.sum(0), columnSumLoops, SIZE),
  fold("logsumexp", "logsumexp over rows", (x) => x.logsumexp(1), logSumExpLoops, SIZE),
];
