/** Loads vectors of units from matrices in memory. */
import { add, type Expression, min, mul, sub, type Variable } from "../encode/expression.ts";
import type { FunctionBuilder, Local } from "../encode/function.ts";
import type { Operation } from "../encode/operations.ts";
import { halvesBytes } from "../lanes/transpose.ts";
import { type Kind, vectorLanes } from "./kinds.ts";

/**
 * Units of eight contiguous lanes. `rows` are the addresses of the first lane's elements, one for each element of a unit. At most
 * 8 elements are read from each address.
 */
export function unitsAcross(target: FunctionBuilder, kind: Kind, rows: readonly Variable[]): Local[] {
  const [first, second] = rows;
  if (second === undefined) {
    return Array.from({ length: 8 / vectorLanes(kind) }, (_, i) =>
      loaded(target, kind.loadVector, first!, 16 * i),
    );
  }
  const x = loaded(target, kind.loadVector, first!);
  const y = loaded(target, kind.loadVector, second);
  return [true, false].map((low) => interleaved(target, 2, low, x, y));
}

/** Units in a vector that is loaded along k. */
export const unitsOfVector: (kind: Kind) => number = vectorLanes;

/** The bytes that such a vector covers. */
export const vectorBytes = (kind: Kind): number =>
  unitsOfVector(kind) * kind.unitElements * kind.elementBytes;

/**
 * Units of four lanes whose elements along k are contiguous. For each unit of a vector, the vectors of its lanes. `lanes` are the
 * addresses of each lane's first element.
 */
export function unitsAlong(target: FunctionBuilder, kind: Kind, lanes: readonly Variable[]): Local[][] {
  const [a, b, c, d] = lanes.map((lane) => loaded(target, kind.loadVector, lane)) as [
    Local,
    Local,
    Local,
    Local,
  ];
  if (kind.unitBytes === 8) {
    return [true, false].map((low) => [interleaved(target, 8, low, a, b), interleaved(target, 8, low, c, d)]);
  }
  return [true, false].flatMap((low) => {
    const ab = interleaved(target, 4, low, a, b);
    const cd = interleaved(target, 4, low, c, d);
    return [[interleaved(target, 8, true, ab, cd)], [interleaved(target, 8, false, ab, cd)]];
  });
}

/** Interleaves the lower or the upper halves of two vectors: `bytes` of `a`, as many of `b`, and so on. */
function interleaved(target: FunctionBuilder, bytes: 2 | 4 | 8, low: boolean, a: Local, b: Local): Local {
  return keep(
    target
      .get(a)
      .get(b)
      .op("i8x16.shuffle", halvesBytes(bytes, low ? "lower" : "upper")),
  );
}

/** Pops a vector into a new local. */
function keep(target: FunctionBuilder): Local {
  const local = target.local("v128");
  target.set(local);
  return local;
}

/** Loads a vector into a new local. */
export function loaded(target: FunctionBuilder, load: Operation, address: Variable, offset = 0): Local {
  return keep(target.get(address.local).op(load, offset));
}

/** Loads a unit and splats it, into a new local. */
export function splatAt(target: FunctionBuilder, kind: Kind, at: Expression, offset = 0): Local {
  target.push(at);
  return keep(target.op(kind.unitBytes === 4 ? "v128.load32_splat" : "v128.load64_splat", offset));
}

/** {@link splatAt} for a unit of a packed lane. */
export const splatUnit = (target: FunctionBuilder, kind: Kind, lane: Variable, unit: number): Local =>
  splatAt(target, kind, lane, unit * kind.unitBytes);

/** sum += a · b */
export function multiplyAdd(target: FunctionBuilder, kind: Kind, a: Local, b: Local, sum: Local): void {
  const { multiplyAdd: operation } = kind;
  if (typeof operation === "string") target.get(a).get(b).get(sum).op(operation);
  else target.get(sum).get(a).get(b).op(operation.multiply).op(operation.add);
  target.set(sum);
}

/** `count` addresses from `first` on, `distance` bytes from each other. */
export function spacedFrom(
  target: FunctionBuilder,
  first: Expression,
  distance: Expression,
  count: number,
): Variable[] {
  const addresses = [target.define(first)];
  while (addresses.length < count) addresses.push(target.define(add(addresses.at(-1)!, distance)));
  return addresses;
}

/** The addresses of `count` lanes from `first` on. Beyond the last lane they repeat its address. */
export function clampedLanes(
  target: FunctionBuilder,
  matrix: Expression,
  first: Variable,
  lanes: Expression,
  laneBytes: Expression,
  count: number,
): Variable[] {
  return Array.from({ length: count }, (_, i) => {
    const lane = i === 0 ? first : min(add(first, i), sub(lanes, 1));
    return target.define(add(matrix, mul(lane, laneBytes)));
  });
}
