/** Vectors of units out of matrices as they stand in memory. */
import { add, type Expression, min, mul, sub, type Variable } from "../encode/expression.ts";
import type { FunctionBuilder, Local } from "../encode/function.ts";
import type { Operation } from "../encode/operations.ts";
import { turns } from "../lanes/turn.ts";
import { type Kind, vectorLanes } from "./kinds.ts";

/**
 * Units of eight lanes that are neighbours in memory: `rows` are the addresses of the first lane's elements, one for
 * each element of a unit. Reads no further than 8 elements from each.
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

/** Units that one vector loaded along k holds. */
export const unitsOfVector: (kind: Kind) => number = vectorLanes;

/** Bytes between such vectors. */
export const vectorBytes = (kind: Kind): number =>
  unitsOfVector(kind) * kind.unitElements * kind.elementBytes;

/**
 * Units of four lanes whose elements along k are neighbours in memory: for each unit of a vector, its lanes. `lanes`
 * are the addresses of each lane's first element.
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

/** The lower or upper halves of two vectors, interleaved: so many bytes of `a`, as many of `b`, the next of `a` … */
function interleaved(target: FunctionBuilder, bytes: 2 | 4 | 8, low: boolean, a: Local, b: Local): Local {
  return keep(
    target
      .get(a)
      .get(b)
      .op("i8x16.shuffle", turns(bytes, low ? "lower" : "upper")),
  );
}

/** A new local with the vector on the stack. */
function keep(target: FunctionBuilder): Local {
  const local = target.local("v128");
  target.set(local);
  return local;
}

/** A new local with a vector from memory. */
export function loaded(target: FunctionBuilder, load: Operation, address: Variable, offset = 0): Local {
  return keep(target.get(address.local).op(load, offset));
}

/** A new local with a unit at an address, in all lanes of a vector. */
export function splatAt(target: FunctionBuilder, kind: Kind, at: Expression, offset = 0): Local {
  target.push(at);
  return keep(target.op(kind.unitBytes === 4 ? "v128.load32_splat" : "v128.load64_splat", offset));
}

/** The same of a packed lane. */
export const splatUnit = (target: FunctionBuilder, kind: Kind, lane: Variable, unit: number): Local =>
  splatAt(target, kind, lane, unit * kind.unitBytes);

/** sum += a · b */
export function multiplyAdd(target: FunctionBuilder, kind: Kind, a: Local, b: Local, sum: Local): void {
  const { multiplyAdd: operation } = kind;
  if (typeof operation === "string") target.get(a).get(b).get(sum).op(operation);
  else target.get(sum).get(a).get(b).op(operation.multiply).op(operation.add);
  target.set(sum);
}

/** Addresses: the first, and more at that distance from each other. */
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

/** The addresses of `count` lanes from `first` on; those past the last are that of the last. */
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
