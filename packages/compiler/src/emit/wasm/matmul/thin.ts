/**
 * Products of a matrix and a few vectors, without packing the matrix. Each sum is what a tile would make of it: from 0
 * on, along k in order, block by block.
 */
import {
  add,
  advance,
  callWith,
  define,
  type Expression,
  equal,
  forEach,
  less,
  min,
  mul,
  procedure,
  push,
  quotientUp,
  roundDown,
  sub,
  type Variable,
  when,
} from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { deliver } from "./deliver.ts";
import { blockUnits, type Kind, vectorLanes } from "./kinds.ts";
import { packVector } from "./pack.ts";
import {
  clampedLanes,
  loaded,
  multiplyAdd,
  spacedFrom,
  splatUnit,
  unitsAcross,
  unitsAlong,
  unitsOfVector,
  vectorBytes,
} from "./units.ts";

/** Lanes whose sums are made at a time: they stay in the first cache. */
const blockLanes = 2048;

/** Lanes that are computed at once. Matrices are read, and sums written, in groups of so many. */
const group = 8;

const vectorSpace = (kind: Kind): number => blockUnits * kind.unitBytes;

/** Bytes that {@link multiplyThin} works in: a packed vector and sums. */
export const thinWorkspace = (kind: Kind): number => vectorSpace(kind) + blockLanes * kind.unitBytes;

/**
 * thin(matrix, laneBytes, depthBytes, lanes, vectors, vectorBytes, vectorDepthBytes, count, c, cLaneBytes,
 * cVectorBytes, depth, workspace): the products of each lane (row or column) of a matrix with each of `count` vectors.
 * Either lanes or elements along k must be neighbours in memory.
 */
export function multiplyThin(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { elementBytes, unitElements } = kind;
  const depthStep = blockUnits * unitElements;
  return procedure(
    module,
    `thin_${kind.name}`,
    [
      "matrix",
      "laneBytes",
      "depthBytes",
      "lanes",
      "vectors",
      "vectorBytes",
      "vectorDepthBytes",
      "count",
      "c",
      "cLaneBytes",
      "cVectorBytes",
      "depth",
      "workspace",
    ],
    (target, parameters) => {
      const { matrix, laneBytes, depthBytes, lanes, vectors, count, c, depth, workspace } = parameters;
      const sums = define(target, add(workspace, vectorSpace(kind)));
      forEach(target, 0, lanes, blockLanes, (lane) => {
        const lanesHere = define(target, min(sub(lanes, lane), blockLanes));
        forEach(target, 0, depth, depthStep, (element) => {
          const depthHere = define(target, min(sub(depth, element), depthStep));
          const from = define(target, add(matrix, add(mul(lane, laneBytes), mul(element, depthBytes))));
          forEach(target, 0, count, 1, (vector) => {
            callWith(target, packVector(module, kind), [
              add(
                vectors,
                add(mul(vector, parameters.vectorBytes), mul(element, parameters.vectorDepthBytes)),
              ),
              parameters.vectorDepthBytes,
              depthHere,
              workspace,
            ]);
            const multiply = (callee: FunctionIndex, strideBytes: Expression): void =>
              callWith(target, callee, [from, strideBytes, lanesHere, workspace, depthHere, sums]);
            when(
              target,
              equal(laneBytes, elementBytes),
              () => multiply(sumsAcross(module, kind), depthBytes),
              () => multiply(sumsAlong(module, kind), laneBytes),
            );
            callWith(target, deliver(module, kind), [
              sums,
              add(c, add(mul(lane, parameters.cLaneBytes), mul(vector, parameters.cVectorBytes))),
              parameters.cLaneBytes,
              lanesHere,
              less(0, element),
            ]);
          });
        });
      });
    },
  );
}

/** Rows of a matrix that are read side by side where lanes are neighbours. */
const rowsAtOnce = 8;

/** across(matrix, depthBytes, lanes, vector, depth, sums), where lanes are neighbours in memory. */
function sumsAcross(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { unitElements, unitBytes } = kind;
  return procedure(
    module,
    `thin_across_${kind.name}`,
    ["matrix", "depthBytes", "lanes", "vector", "depth", "sums"],
    (target, { matrix, depthBytes, lanes, vector, depth, sums }) => {
      push(target, sums);
      push(target, 0);
      push(target, mul(quotientUp(lanes, group), group * unitBytes));
      target.op("memory.fill");

      const addRows = (rows: readonly Variable[]): void => {
        const splats = Array.from({ length: rows.length / unitElements }, (_, i) =>
          splatUnit(target, kind, vector, i),
        );
        const place = define(target, sums);
        forEach(target, 0, lanes, group, () => {
          const held = Array.from({ length: group / vectorLanes(kind) }, (_, i) =>
            loaded(target, "v128.load", place, 16 * i),
          );
          splats.forEach((splat, unit) => {
            const unitRows = rows.slice(unit * unitElements, (unit + 1) * unitElements);
            const units = unitsAcross(target, kind, unitRows);
            units.forEach((value, i) => {
              multiplyAdd(target, kind, splat, value, held[i]!);
            });
          });
          held.forEach((local, i) => {
            target
              .get(place.local)
              .get(local)
              .op("v128.store", 16 * i);
          });
          for (const row of rows) advance(target, row, group * kind.elementBytes);
          advance(target, place, group * unitBytes);
        });
        advance(target, vector, splats.length * unitBytes);
      };
      const whole = define(target, roundDown(depth, rowsAtOnce));
      forEach(target, 0, whole, rowsAtOnce, (row) => {
        addRows(spacedFrom(target, add(matrix, mul(row, depthBytes)), depthBytes, rowsAtOnce));
      });
      forEach(target, whole, depth, unitElements, (row) => {
        const first = define(target, add(matrix, mul(row, depthBytes)));
        // The vector's last unit may be half empty: whatever is multiplied with its 0, it must be there to be read.
        const last = (): Variable =>
          define(target, add(matrix, mul(min(add(row, 1), sub(depth, 1)), depthBytes)));
        addRows(unitElements === 1 ? [first] : [first, last()]);
      });
    },
  );
}

/** along(matrix, laneBytes, lanes, vector, depth, sums), where elements along k are neighbours in memory. */
function sumsAlong(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { unitElements, unitBytes } = kind;
  const unitsAtOnce = unitsOfVector(kind);
  return procedure(
    module,
    `thin_along_${kind.name}`,
    ["matrix", "laneBytes", "lanes", "vector", "depth", "sums"],
    (target, { matrix, laneBytes, lanes, vector, depth, sums }) => {
      const units = define(target, quotientUp(depth, unitElements));
      const whole = define(target, roundDown(units, unitsAtOnce));
      const held = Array.from({ length: group / vectorLanes(kind) }, () => target.local("v128"));
      forEach(target, 0, lanes, group, (lane) => {
        // Where lanes end, the last is computed again: what that gives is not part of the result.
        const addresses = clampedLanes(target, matrix, lane, lanes, laneBytes, group);
        const unit = define(target, vector);
        for (const local of held) target.v128(0n, 0n).set(local);
        /** Multiplies units of all lanes, as many as a vector holds; `each` says of each whether it is there. */
        const addUnits = (each: (unit: number, multiply: () => void) => void): void => {
          const values = [0, 4].map((first) => {
            return unitsAlong(target, kind, addresses.slice(first, first + 4));
          });
          for (let i = 0; i < unitsAtOnce; i++) {
            each(i, () => {
              const splat = splatUnit(target, kind, unit, i);
              values
                .flatMap((four) => four[i]!)
                .forEach((value, j) => {
                  multiplyAdd(target, kind, splat, value, held[j]!);
                });
            });
          }
        };
        forEach(target, 0, whole, unitsAtOnce, () => {
          addUnits((_, multiply) => multiply());
          for (const address of addresses) advance(target, address, vectorBytes(kind));
          advance(target, unit, unitsAtOnce * unitBytes);
        });
        const left = define(target, sub(units, whole));
        when(target, left, () => {
          addUnits((i, multiply) => when(target, less(i, left), multiply));
        });
        held.forEach((local, i) => {
          target
            .get(sums.local)
            .get(local)
            .op("v128.store", 16 * i);
        });
        advance(target, sums, group * unitBytes);
      });
    },
  );
}
