/**
 * Tiles of sums over windows that slide along memory. The right operand is not packed: its columns have a constant stride, and a
 * table has the offsets along k.
 */
import { add, min, mul, sub, type Variable, wordAt } from "../encode/expression.ts";
import type { FunctionBuilder, Local } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { destination, storeSums } from "./destination.ts";
import { type Kind, vectorLanes } from "./kinds.ts";
import { columnsAt, type Operands, sumsOf } from "./tile.ts";
import { loaded, splatAt, splatUnit } from "./units.ts";

/**
 * The stride of columns, in elements: with 1 they are loaded as vectors, with 2 every second element of two vectors is taken,
 * else they are loaded one by one.
 */
export type WindowStep = 1 | 2 | "any";

interface WindowTile {
  /** Rows of a packed panel. */
  readonly height: number;
  /** Vectors in a row of the tile. */
  readonly vectors: number;
  readonly step: WindowStep;
}

/**
 * window(a, b, columnBytes, offsets, units, …destination): a packed panel of A times columns of B, for at least one unit along k.
 * Unit k of B is `offsets[k]` bytes behind `b`.
 *
 * The vectors of a unit and the sums together fit the registers: older V8 (Node 20) loads all operands of a unit before it
 * multiplies.
 */
export function windowTile(module: ModuleBuilder, kind: Kind, shape: WindowTile): FunctionIndex {
  const { height, vectors, step } = shape;
  const names = `a b columnBytes offsets units ${destination}` as const;
  const name = `window_${kind.name}_${height}x${vectors}_step${step}`;
  return module.procedure(name, names, (target, parameters) => {
    const { a, b, columnBytes, offsets, units, ...to } = parameters;
    const columns = columnsOf(target, kind, shape, columnBytes, to.columns);
    const steps = [
      [offsets, 4],
      [a, height * kind.unitBytes],
    ] as const;
    const read: Operands["read"] = () => ({
      columns: columns(target.define(add(b, wordAt(offsets)))),
      splat: (row) => splatUnit(target, kind, a, row),
    });
    const sums = sumsOf(target, kind, { rows: height, vectors }, units, { steps, read });
    storeSums(target, kind, sums, to, to);
  });
}

/** Loads the vectors of columns at an address; `width` columns exist. */
function columnsOf(
  target: FunctionBuilder,
  kind: Kind,
  shape: WindowTile,
  columnBytes: Variable,
  width: Variable,
): (place: Variable) => Local[] {
  const { vectors, step } = shape;
  if (step === 1) return (place) => columnsAt(target, place, vectors);
  const eachVector = (load: (i: number) => Local): Local[] =>
    Array.from({ length: vectors }, (_, i) => load(i));
  if (step === 2) {
    return (place) =>
      eachVector((i) => {
        const [first, second] = [0, 16].map((bytes) => loaded(target, "v128.load", place, 32 * i + bytes));
        const local = target.local("v128");
        target.get(first!).get(second!).op("i8x16.shuffle", everySecond(kind)).set(local);
        return local;
      });
  }
  // Columns beyond the last are not read, since they may lie anywhere: the last one is read again.
  const last = sub(width, 1);
  const behind = Array.from({ length: widthOf(kind, shape) }, (_, i) =>
    target.define(mul(min(last, i), columnBytes)),
  );
  const loadLane = kind.unitBytes === 4 ? "v128.load32_lane" : "v128.load64_lane";
  const lanes = vectorLanes(kind);
  return (place) =>
    eachVector((i) => {
      const vector = splatAt(target, kind, add(place, behind[i * lanes]!));
      for (let lane = 1; lane < lanes; lane++) {
        target
          .push(add(place, behind[i * lanes + lane]!))
          .get(vector)
          .op(loadLane, [0, lane])
          .set(vector);
      }
      return vector;
    });
}

/** The bytes of every second element of two vectors. */
function everySecond(kind: Kind): readonly number[] {
  const { unitBytes } = kind;
  return Array.from({ length: 16 }, (_, byte) => {
    const lane = Math.floor(byte / unitBytes);
    return 2 * lane * unitBytes + (byte % unitBytes);
  });
}

/** Columns of a tile. */
const widthOf = (kind: Kind, { vectors }: WindowTile): number => vectors * vectorLanes(kind);
