/**
 * GEMV: products of a matrix and a few vectors, without packing the matrix. The sums have the order of tiles: from 0 on, along k,
 * block by block.
 */
import { add, type Expression, equal, less, min, mul, sub } from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { blockLanes, sumsAcross, sumsAlong, sumsSpace, vectorSpace } from "./gemv-sums.ts";
import { KC, type Kind } from "./kinds.ts";
import { packVector } from "./pack.ts";
import { scatter } from "./scatter.ts";

/** Vectors that are multiplied with a block of the matrix at a time, if there are several. */
const vectorsAtOnce = 3;

/** Workspace of {@link gemv} in bytes: packed vectors and sums. */
export const gemvWorkspace = (kind: Kind): number => vectorsAtOnce * (vectorSpace(kind) + sumsSpace(kind));

/**
 * gemv(matrix, laneBytes, depthBytes, lanes, vectors, vectorBytes, vectorDepthBytes, count, c, cLaneBytes, cVectorBytes, depth,
 * workspace): the products of each lane (row or column) of a matrix with each of `count` vectors. Either lanes or elements along
 * k must be contiguous.
 */
export function gemv(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { elementBytes, unitElements } = kind;
  const depthStep = KC * unitElements;
  return module.procedure(
    `gemv_${kind.name}`,
    "matrix laneBytes depthBytes lanes vectors vectorBytes vectorDepthBytes count c cLaneBytes cVectorBytes depth workspace",
    (target, parameters) => {
      const { matrix, laneBytes, depthBytes, lanes, vectors, count, c, depth, workspace } = parameters;
      const sums = target.define(add(workspace, vectorsAtOnce * vectorSpace(kind)));
      const lastVector = target.define(sub(count, 1));
      target.forEach(0, lanes, blockLanes, (lane) => {
        const lanesHere = target.define(min(sub(lanes, lane), blockLanes));
        target.forEach(0, depth, depthStep, (element) => {
          const depthHere = target.define(min(sub(depth, element), depthStep));
          const from = target.define(add(matrix, add(mul(lane, laneBytes), mul(element, depthBytes))));
          const along = target.define(mul(element, parameters.vectorDepthBytes));
          const multiply = (first: Expression, together: number): void => {
            target.forEach(0, together, 1, (vector) => {
              // Beyond the last vector, that vector is taken again; its sums are not stored.
              const own = min(add(first, vector), lastVector);
              target.call(packVector(module, kind), [
                add(vectors, add(mul(own, parameters.vectorBytes), along)),
                parameters.vectorDepthBytes,
                depthHere,
                add(workspace, mul(vector, vectorSpace(kind))),
              ]);
            });
            const by = (callee: FunctionIndex, strideBytes: Expression) =>
              target.call(callee, [from, strideBytes, lanesHere, workspace, depthHere, sums]);
            target.when(
              equal(laneBytes, elementBytes),
              () => by(sumsAcross(module, kind, together), depthBytes),
              () => by(sumsAlong(module, kind, together), laneBytes),
            );
            const here = target.define(min(sub(count, first), together));
            target.forEach(0, here, 1, (vector) => {
              const step = mul(add(first, vector), parameters.cVectorBytes);
              const place = target.define(add(c, add(mul(lane, parameters.cLaneBytes), step)));
              target.call(scatter(module, kind), [
                ...[add(sums, mul(vector, sumsSpace(kind))), place, place, parameters.cLaneBytes],
                lanesHere,
                less(0, element),
              ]);
            });
          };
          target.when(
            equal(count, 1),
            () => multiply(0, 1),
            () => target.forEach(0, count, vectorsAtOnce, (first) => multiply(first, vectorsAtOnce)),
          );
        });
      });
    },
  );
}
