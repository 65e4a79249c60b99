/**
 * Tiles of sums over windows that slide along memory: the right operand is read where it stands. From column to column it takes even
 * steps, along k it is wherever a table says.
 */
import { add, advance, define, min, mul, procedure, sub, type Variable } from "../encode/expression.ts";
import type { FunctionBuilder, Local } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { type Kind, vectorLanes } from "./kinds.ts";
import { storeSums } from "./store-sums.ts";
import { loaded, multiplyAdd, splatUnit } from "./units.ts";

/** Elements from one column to the next: columns are vectors as they stand, every second element of two, or come one by one. */
export type WindowStep = 1 | 2 | "any";

export interface WindowTile {
  /** Rows of a packed panel, and how many panels meet the columns together. */
  readonly height: number;
  readonly panels: number;
  /** Vectors of columns. */
  readonly vectors: number;
  readonly step: WindowStep;
}

/**
 * window(a, panelBytes, b, columnBytes, width, offsets, c, rowBytes, before, beforeRowBytes, units, accumulate): packed panels of A times columns of B,
 * for at least one unit along k; B's unit k stands `offsets[k]` bytes behind `b`. The sums, which begin with 0, are stored to a tile of
 * C. Where they accumulate, what `before` has is added first.
 */
export function windowTile(module: ModuleBuilder, kind: Kind, shape: WindowTile): FunctionIndex {
  const { height, panels, vectors, step } = shape;
  const { unitBytes } = kind;
  return procedure(
    module,
    `window_${kind.name}_${height}x${panels}x${vectors}_step${step}`,
    [
      "a",
      "panelBytes",
      "b",
      "columnBytes",
      "width",
      "offsets",
      "c",
      "rowBytes",
      "before",
      "beforeRowBytes",
      "units",
      "accumulate",
    ],
    (target, { a, panelBytes, b, columnBytes, width, offsets, c, rowBytes, before, ...others }) => {
      const { beforeRowBytes, units, accumulate } = others;
      const sums = Array.from({ length: panels * height }, () =>
        Array.from({ length: vectors }, () => target.local("v128")),
      );
      // Pointers step before they are used: V8 knows a sum to be a 64-bit address, and of a loop-carried one it makes one anew.
      const aStep = height * unitBytes;
      const lefts = Array.from({ length: panels }, (_, panel) =>
        define(target, add(a, add(mul(panelBytes, panel), -aStep))),
      );
      advance(target, offsets, -4);
      const end = define(target, add(offsets, mul(units, 4)));
      const columnsAt = columnsOf(target, kind, shape, columnBytes, width);
      target.loop((again) => {
        advance(target, offsets, 4);
        for (const left of lefts) advance(target, left, aStep);
        target.get(b.local).get(offsets.local).op("i32.load").op("i32.add");
        const place = { local: target.local("i32") };
        target.set(place.local);
        const columns = columnsAt(place);
        sums.forEach((rowSums, row) => {
          const splat = splatUnit(target, kind, lefts[Math.floor(row / height)]!, row % height);
          rowSums.forEach((sum, j) => {
            multiplyAdd(target, kind, splat, columns[j]!, sum);
          });
        });
        target.get(offsets.local).get(end.local).op("i32.ne").brIf(again);
      });
      storeSums(target, kind, sums, { c, rowBytes, before, beforeRowBytes, accumulate });
    },
  );
}

/** What loads the vectors of columns at a place, of which the first `width` are there. */
function columnsOf(
  target: FunctionBuilder,
  kind: Kind,
  shape: WindowTile,
  columnBytes: Variable,
  width: Variable,
): (place: Variable) => Local[] {
  const { vectors, step } = shape;
  const eachVector = (load: (i: number) => Local): Local[] =>
    Array.from({ length: vectors }, (_, i) => load(i));
  if (step === 1) return (place) => eachVector((i) => loaded(target, "v128.load", place, 16 * i));
  if (step === 2) {
    return (place) =>
      eachVector((i) => {
        const [first, second] = [0, 16].map((bytes) => loaded(target, "v128.load", place, 32 * i + bytes));
        const local = target.local("v128");
        target.get(first!).get(second!).op("i8x16.shuffle", everySecond(kind)).set(local);
        return local;
      });
  }
  // Those that are not there are not read either: they may be anywhere.
  const last = sub(width, 1);
  const behind = Array.from({ length: widthOf(kind, shape) }, (_, i) =>
    define(target, mul(min(last, i), columnBytes)),
  );
  const [splat, loadLane] =
    kind.unitBytes === 4
      ? (["v128.load32_splat", "v128.load32_lane"] as const)
      : (["v128.load64_splat", "v128.load64_lane"] as const);
  const lanes = vectorLanes(kind);
  return (place) =>
    eachVector((i) => {
      const local = target.local("v128");
      target
        .get(place.local)
        .get(behind[i * lanes]!.local)
        .op("i32.add")
        .op(splat)
        .set(local);
      for (let lane = 1; lane < lanes; lane++) {
        target
          .get(place.local)
          .get(behind[i * lanes + lane]!.local)
          .op("i32.add");
        target.get(local).op(loadLane, [0, lane]).set(local);
      }
      return local;
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
export const widthOf = (kind: Kind, { vectors }: WindowTile): number => vectors * vectorLanes(kind);
