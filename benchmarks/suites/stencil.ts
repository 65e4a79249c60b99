import { loopVariants } from "../measure/variants.ts";
import { stencilLoops } from "./loops/stencil.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";
import { squareMatrix } from "./standardise.ts";

const SIZE = 1_000;
const INNER = SIZE - 2;

export const stencil: ExpressionCase = {
  name: "stencil",
  title: "u + 0.1*(up + down + left + right - 4*u) within the border of 1000×1000 float32",
  about: "Five windows of one array.",
  agreement: "bits",
  prepare() {
    const { elements, x: u } = squareMatrix(SIZE, 1);
    const window = (row: number, column: number) => u.narrow(0, row, INNER).narrow(1, column, INNER);
    return prepared(
      () => {
        const middle = window(1, 1);
        const around = window(0, 1).add(window(2, 1)).add(window(1, 0)).add(window(1, 2));
        return middle.add(around.sub(middle.mul(4)).mul(0.1));
      },
      loopVariants(stencilLoops, [elements, SIZE, new Float32Array(INNER * INNER)]),
    );
  },
};
