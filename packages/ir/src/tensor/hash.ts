/** Hashes of operations, for caches and for terms. Everything in which two operations can differ is hashed. */
import { dtypes } from "../dtype.ts";
import { type PointwiseOp, pointwiseOps } from "../pointwise/table.ts";
import type { AxisPlace, Combiner, Node, NodeOp, Reducer, Scanner } from "./node.ts";

/** Equal for nodes of which `sameOperation` is true; nearly always different for others. */
export function hashOperation(node: Node, begin = true): number {
  return mixAttributes(mix(hashShape(node), opCodes[node.op]), node, begin);
}

/** Equal for nodes that differ in sizes alone; nearly always different for others. Of a shape, only the rank is hashed. */
export function hashStructure(node: Node): number {
  const { op, dtype, shape } = node;
  const hash = mix(mix(opCodes[op], dtypes[dtype].code), shape.length);
  return sized.has(op) ? hash : mixAttributes(hash, node, true);
}

/** A hash of the dtype and shape alone. */
export const hashShape = ({ dtype, shape }: Node): number =>
  mixAll(dtypes[dtype].code + 16 * shape.length, shape);

/** Adds one number to a hash. */
export const mix = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193) ^ (hash >>> 15);

const none: readonly number[] = [];

/** A number for each op. */
export const opCodes: Readonly<Record<NodeOp, number>> = codesOf<NodeOp>([
  "input",
  "constant",
  "scalar",
  "iota",
  "pointwise",
  "reduce",
  "reshape",
  "permute",
  "expand",
  "slice",
  "shift",
  "pad",
  "concat",
  "diagonal",
  "asStrided",
  "update",
  "gather",
  "scatter",
  "scan",
  "argsort",
  "contract",
]);
/** Ops whose attributes contain sizes; the only sizes of other ops are their shapes. */
const sized: ReadonlySet<NodeOp> = new Set<NodeOp>([
  "slice",
  "shift",
  "pad",
  "diagonal",
  "asStrided",
  "update",
]);
export const hasMoreSizes = ({ op }: Node): boolean => sized.has(op);

const pointwiseCodes = codesOf(Object.keys(pointwiseOps) as PointwiseOp[]);
const foldCodes = codesOf<Reducer | Scanner | Combiner>([
  "set",
  "sum",
  "prod",
  "max",
  "min",
  "any",
  "all",
  "argmax",
  "argmin",
  "logaddexp",
  "lastArgmax",
  "lastArgmin",
  "lastMax",
  "lastMin",
]);

function codesOf<Name extends string>(names: readonly Name[]): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name, code) => [name, code + 1])) as Record<Name, number>;
}

function mixAttributes(hash: number, node: Node, begin: boolean): number {
  switch (node.op) {
    case "input":
    case "scalar":
    case "iota":
    case "reshape":
    case "expand":
    case "contract":
      return hash;
    case "constant":
      return mixConstant(hash, node.attributes.value);
    case "pointwise":
      return mix(hash, pointwiseCodes[node.attributes.fn]);
    case "reduce":
      return mixAll(mix(hash, foldCodes[node.attributes.fn]), node.attributes.axes);
    case "permute":
      return mixAll(hash, node.attributes.axes);
    case "slice":
      return mixAll(mixAll(hash, begin ? node.attributes.starts : none), node.attributes.steps);
    case "shift":
      return mixPlaces(hash, node.attributes.places);
    case "pad":
      return mixAll(hash, begin ? node.attributes.before : none);
    case "concat":
    case "gather":
      return mix(hash, node.attributes.axis);
    case "diagonal":
      return mix(
        mix(mix(hash, begin ? node.attributes.offset : 0), node.attributes.axis1),
        node.attributes.axis2,
      );
    case "asStrided":
      return mix(mixAll(hash, node.attributes.strides), begin ? node.attributes.offset : 0);
    case "update": {
      const { shape, strides, offset } = node.attributes.view;
      const window = mix(mixAll(mixAll(hash, shape), strides), begin ? offset : 0);
      return mixPlaces(window, node.attributes.places);
    }
    case "scatter":
      return mix(mix(hash, node.attributes.axis), foldCodes[node.attributes.combine]);
    case "scan":
      return mix(mix(hash, node.attributes.axis), foldCodes[node.attributes.fn]);
    case "argsort":
      return mix(mix(hash, node.attributes.axis), node.attributes.descending ? 1 : 2);
    default:
      return node satisfies never;
  }
}

function mixPlaces(hash: number, places: readonly Partial<AxisPlace>[]): number {
  let mixed = hash;
  for (const { slot = 0, factor = 0, axis = 0 } of places) mixed = mix(mix(mix(mixed, slot), factor), axis);
  return mixed;
}

function mixAll(hash: number, numbers: readonly number[]): number {
  let mixed = hash;
  for (let k = 0; k < numbers.length; k++) mixed = mix(mixed, numbers[k] as number);
  return mixed;
}

function mixConstant(hash: number, value: number | bigint): number {
  bits.setFloat64(0, Number(value));
  return mix(mix(hash, bits.getInt32(0)), bits.getInt32(4));
}

const bits = new DataView(new ArrayBuffer(8));
