import { linspace, type Tensor } from "fuseau";

/** Elements without order, of both signs, in memory: the same each time. */
export const floats = (...shape: number[]): Tensor<number[], "float32"> => {
  const count = shape.reduce((product, size) => product * size, 1);
  return linspace(-3, 2.7, count).mul(count).sin().reshape(shape).compute();
};
