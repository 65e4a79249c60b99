/** Sums of products of a matrix's lanes and some packed vectors, along one block of k. */
import { add, less, min, mul, quotientUp, roundDown, sub, type Variable } from "../encode/expression.ts";
import type { FunctionBuilder, Local } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { KC, type Kind, vectorLanes } from "./kinds.ts";
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

/** Lanes that are summed at a time: their sums fit the first-level cache. */
export const blockLanes = 2048;

/** Lanes that are computed at once: matrices are read, and sums written, in groups of so many. */
const group = 8;

/** Bytes of a packed vector, and of a vector's sums. */
export const vectorSpace = ({ unitBytes }: Kind): number => KC * unitBytes;
export const sumsSpace = ({ unitBytes }: Kind): number => blockLanes * unitBytes;

/** Rows of a matrix that are read at a time if lanes are contiguous: so many that registers hold the sums and vector elements. */
const rowsTogether = (vectors: number): number => (vectors > 1 ? 2 : 8);

/** across(matrix, depthBytes, lanes, vectors, depth, sums): lanes are contiguous. */
export function sumsAcross(module: ModuleBuilder, kind: Kind, count: number): FunctionIndex {
  const { unitElements, unitBytes } = kind;
  const rowsAtOnce = rowsTogether(count);
  return module.procedure(
    `gemv_across_${kind.name}_${count}`,
    "matrix depthBytes lanes vectors depth sums",
    (target, { matrix, depthBytes, lanes, vectors, depth, sums }) => {
      each(count, (vector) => {
        target.clear(add(sums, vector * sumsSpace(kind)), mul(quotientUp(lanes, group), group * unitBytes));
      });

      const addRows = (rows: readonly Variable[]): void => {
        const units = rows.length / unitElements;
        const splatOf = (vector: number, unit: number): Local =>
          splatUnit(target, kind, vectors, unit + vector * KC);
        // The elements of a single vector fit registers.
        const splats = count > 1 ? [] : each(units, (unit) => splatOf(0, unit));
        const place = target.define(sums);
        target.forEach(0, lanes, group, () => {
          const held = each(count, (vector) =>
            each(group / vectorLanes(kind), (i) =>
              loaded(target, "v128.load", place, vector * sumsSpace(kind) + 16 * i),
            ),
          );
          each(units, (unit) => {
            const unitRows = rows.slice(unit * unitElements, (unit + 1) * unitElements);
            const values = unitsAcross(target, kind, unitRows);
            held.forEach((sumsOfVector, vector) => {
              const splat = splats[unit] ?? splatOf(vector, unit);
              values.forEach((value, i) => {
                multiplyAdd(target, kind, splat, value, sumsOfVector[i]!);
              });
            });
          });
          storeAll(target, held, place, sumsSpace(kind));
          for (const row of rows) target.advance(row, group * kind.elementBytes);
          target.advance(place, group * unitBytes);
        });
        target.advance(vectors, units * unitBytes);
      };
      const whole = target.define(roundDown(depth, rowsAtOnce));
      target.forEach(0, whole, rowsAtOnce, (row) => {
        addRows(spacedFrom(target, add(matrix, mul(row, depthBytes)), depthBytes, rowsAtOnce));
      });
      target.forEach(whole, depth, unitElements, (row) => {
        const first = target.define(add(matrix, mul(row, depthBytes)));
        // The vector's last unit may be half empty. The matrix element that is multiplied with its 0 must be readable.
        const last = (): Variable =>
          target.define(add(matrix, mul(min(add(row, 1), sub(depth, 1)), depthBytes)));
        addRows(unitElements === 1 ? [first] : [first, last()]);
      });
    },
  );
}

/** along(matrix, laneBytes, lanes, vectors, depth, sums): elements along k are contiguous. */
export function sumsAlong(module: ModuleBuilder, kind: Kind, count: number): FunctionIndex {
  const { unitElements, unitBytes } = kind;
  const unitsAtOnce = unitsOfVector(kind);
  return module.procedure(
    `gemv_along_${kind.name}_${count}`,
    "matrix laneBytes lanes vectors depth sums",
    (target, { matrix, laneBytes, lanes, vectors, depth, sums }) => {
      const units = target.define(quotientUp(depth, unitElements));
      const whole = target.define(roundDown(units, unitsAtOnce));
      const held = each(count, () => each(group / vectorLanes(kind), () => target.local("v128")));
      target.forEach(0, lanes, group, (lane) => {
        // Beyond the last lane, that lane is computed again; the sums are not part of the result.
        const addresses = clampedLanes(target, matrix, lane, lanes, laneBytes, group);
        const unit = target.define(vectors);
        for (const local of held.flat()) target.v128(0n, 0n).set(local);
        /** Multiplies the units of a vector, of all lanes; `only` decides for each unit whether it exists. */
        const addUnits = (only: (unit: number, multiply: () => void) => void): void => {
          const values = [0, 4].map((first) => {
            return unitsAlong(target, kind, addresses.slice(first, first + 4));
          });
          for (let i = 0; i < unitsAtOnce; i++) {
            only(i, () => {
              held.forEach((sumsOfVector, vector) => {
                const splat = splatUnit(target, kind, unit, i + vector * KC);
                values
                  .flatMap((four) => four[i]!)
                  .forEach((value, j) => {
                    multiplyAdd(target, kind, splat, value, sumsOfVector[j]!);
                  });
              });
            });
          }
        };
        target.forEach(0, whole, unitsAtOnce, () => {
          addUnits((_, multiply) => multiply());
          for (const address of addresses) target.advance(address, vectorBytes(kind));
          target.advance(unit, unitsAtOnce * unitBytes);
        });
        const left = target.define(sub(units, whole));
        target.when(left, () => {
          addUnits((i, multiply) => target.when(less(i, left), multiply));
        });
        storeAll(target, held, sums, sumsSpace(kind));
        target.advance(sums, group * unitBytes);
      });
    },
  );
}

/** Stores the sums of each vector, `distance` bytes behind those of the vector before it. */
function storeAll(
  target: FunctionBuilder,
  held: readonly (readonly Local[])[],
  to: Variable,
  distance: number,
): void {
  held.forEach((sums, vector) => {
    sums.forEach((local, i) => {
      target
        .get(to.local)
        .get(local)
        .op("v128.store", vector * distance + 16 * i);
    });
  });
}

const each = <T>(count: number, make: (k: number) => T): T[] =>
  Array.from({ length: count }, (_, k) => make(k));
