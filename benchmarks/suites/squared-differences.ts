/** Σ (a − b)² over everything, over rows and over columns. */
import { type AnyTensor, fromTypedArray, type Tensor } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import { loopVariants } from "../measure/variants.ts";
import { columnSumLoops, rowSumLoops, totalLoops } from "./loops/squared-differences.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";

const HEIGHT = 1_000;
const WIDTH = 1_000;

type Matrix = Tensor<[1000, 1000], "float32">;
type Loop = (a: Float32Array, b: Float32Array, width: number, out: Float32Array) => Float32Array;

const sumOver = (
  what: string,
  fold: (x: Matrix) => AnyTensor,
  loops: Readonly<Record<string, Loop>>,
  results: number,
): ExpressionCase => ({
  name: `squares-${what}`,
  title: `sum of (a - b)**2 over ${what}, 1000×1000 float32`,
  about:
    "Differences and squares are float32, sums float64 and rounded at the end; the loops add in their own orders.",
  agreement: 1e-6,
  prepare() {
    const a = randomFloats(HEIGHT * WIDTH, 1);
    const b = randomFloats(HEIGHT * WIDTH, 2);
    const x = fromTypedArray(a, { shape: [HEIGHT, WIDTH] });
    const y = fromTypedArray(b, { shape: [HEIGHT, WIDTH] });
    return prepared(
      () => {
        const difference = x.sub(y);
        return fold(difference.mul(difference));
      },
      loopVariants(loops, [a, b, WIDTH, new Float32Array(results)]),
    );
  },
});

export const squaredDifferences: readonly ExpressionCase[] = [
  sumOver("all", (squares) => squares.sum(), totalLoops, 1),
  sumOver("rows", (squares) => squares.sum(1), rowSumLoops, HEIGHT),
  sumOver("columns", (squares) => squares.sum(0), columnSumLoops, WIDTH),
];
