/** What distinguishes calls: the form of the arguments, what the tensors in them are, and everything else in them. */
import { type DType, type Shape, sameNumbers, showArgument } from "@fuseau/ir";
import { floatAt, isFloatScalar } from "../ops/operand.ts";
import { Tensor, unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { checkDepth, hasSymbols, refuseSymbols } from "./tree.ts";

/** What matters of a value for derivatives: it is a constant, a leaf, or made of leaves. */
export type Kind = "constant" | "leaf" | "made";

export const kindOf = ({ step }: Value): Kind =>
  step === null ? "constant" : step.isLeaf && step.hooks === null ? "leaf" : "made";

/** One argument, or a part of one. */
export type Place =
  | { readonly is: "tensor"; readonly dtype: DType; readonly shape: Shape; readonly kind: Kind }
  /** A number that may differ from call to call, unless the host looks at it. */
  | { readonly is: "number"; readonly float: number; isRead: boolean }
  | { readonly is: "same"; readonly value: unknown }
  | { readonly is: "list"; readonly items: readonly Place[] }
  | { readonly is: "object"; readonly names: readonly string[]; readonly items: readonly Place[] };

/** The tensors and numbers of a call, in the order of its places. */
export interface Given {
  readonly tensors: AnyTensor[];
  readonly numbers: number[];
  /** The sizes of dynamic axes. */
  readonly sizes?: number[];
}

/** In the shape of a place: an axis of any size. */
export const ANY_SIZE = -1;

/** True of an object that a literal makes. */
export const isPlain = (x: object): x is Readonly<Record<string, unknown>> => {
  const prototype: unknown = Object.getPrototypeOf(x);
  return prototype === Object.prototype || prototype === null;
};

/**
 * The places of the arguments. What is in them is appended to `given`.
 * @throws TypeError for what is neither known nor named static.
 */
export const placesOf = (
  args: readonly unknown[],
  isStatic: (k: number) => boolean,
  given: Given,
): readonly Place[] =>
  args.map((arg, k) => (isStatic(k) ? { is: "same", value: arg } : placeOf(arg, `arguments[${k}]`, given)));

function placeOf(arg: unknown, name: string, given: Given, depth = 0): Place {
  checkDepth(depth, "arguments");
  if (typeof arg !== "object" || arg === null) {
    if (typeof arg !== "function" && typeof arg !== "symbol") return { is: "same", value: arg };
  } else if (arg instanceof Tensor) {
    given.tensors.push(arg);
    const value = unwrap(arg);
    const { dtype, shape } = value.node;
    return { is: "tensor", dtype, shape, kind: kindOf(value) };
  } else if (isFloatScalar(arg)) {
    given.numbers.push(arg.float);
    return { is: "number", float: arg.float, isRead: false };
  } else if (Array.isArray(arg))
    // A hole in an array reads as undefined.
    return {
      is: "list",
      items: Array.from(arg, (item, k) => placeOf(item, `${name}[${k}]`, given, depth + 1)),
    };
  else if (isPlain(arg)) {
    refuseSymbols(arg, name);
    const names = Object.keys(arg);
    const items = names.map((key) => placeOf(arg[key], `${name}.${key}`, given, depth + 1));
    return { is: "object", names, items };
  }
  throw new TypeError(
    `jit: ${name} must be a tensor, a number, float(x), a boolean, a string, or an array or plain object of these, but got ${showArgument(arg)} (name its place in { static: […] } to have a recording of its own for each)`,
  );
}

/** True if the arguments have these places. What is in them is appended to `given`. */
export function areAlike(places: readonly Place[], args: readonly unknown[], given: Given): boolean {
  if (args.length !== places.length) return false;
  for (let k = 0; k < places.length; k++) if (!isAlike(places[k] as Place, args[k], given)) return false;
  return true;
}

function isAlike(place: Place, arg: unknown, given: Given): boolean {
  switch (place.is) {
    case "tensor": {
      if (!(arg instanceof Tensor)) return false;
      const value = unwrap(arg);
      const { dtype, shape } = value.node;
      if (dtype !== place.dtype || kindOf(value) !== place.kind) return false;
      if (shape !== place.shape && !sameNumbers(shape, place.shape) && !isOpenTo(place.shape, shape, given))
        return false;
      given.tensors.push(arg);
      return true;
    }
    case "number":
      if (!isFloatScalar(arg) || (place.isRead && !Object.is(arg.float, place.float))) return false;
      given.numbers.push(arg.float);
      return true;
    case "same":
      return Object.is(arg, place.value);
    case "list":
      return Array.isArray(arg) && areAlike(place.items, arg as readonly unknown[], given);
    case "object": {
      if (typeof arg !== "object" || arg === null || arg instanceof Tensor || !isPlain(arg)) return false;
      const names = Object.keys(arg);
      if (names.length !== place.names.length || hasSymbols(arg)) return false;
      for (let k = 0; k < names.length; k++) {
        const name = names[k] as string;
        if (name !== place.names[k] || !isAlike(place.items[k] as Place, arg[name], given)) return false;
      }
      return true;
    }
    default:
      return place satisfies never;
  }
}

/** True for places of one form with equal contents, whatever their tensors and numbers are. */
export function sameForm(a: Place, b: Place): boolean {
  if (a.is === "same") return b.is === "same" && Object.is(a.value, b.value);
  if (a.is === "tensor" || a.is === "number") return b.is === a.is;
  if (b.is !== a.is || a.items.length !== b.items.length) return false;
  return a.items.every(
    (item, k) =>
      sameForm(item, b.items[k] as Place) &&
      (a.is !== "object" || b.is !== "object" || a.names[k] === b.names[k]),
  );
}

/** True if the shapes differ at most in dynamic sizes. Those are appended to `given`. */
function isOpenTo(known: Shape, shape: Shape, { sizes }: Given): boolean {
  if (sizes === undefined || shape.length !== known.length) return false;
  for (let k = 0; k < shape.length; k++) if (known[k] !== ANY_SIZE && known[k] !== shape[k]) return false;
  for (let k = 0; k < shape.length; k++) if (known[k] === ANY_SIZE) sizes.push(shape[k] as number);
  return true;
}

/** The arguments with other tensors, and with numbers that are read anew at each call, from slot 0 on. */
export function standInsFor(
  places: readonly Place[],
  args: readonly unknown[],
  standIn: (tensor: AnyTensor) => AnyTensor,
): readonly unknown[] {
  let slot = 0;
  const visit = (place: Place, arg: unknown): unknown => {
    if (place.is === "number") return floatAt(slot++, place.float);
    if (place.is === "tensor") return standIn(arg as AnyTensor);
    if (place.is === "list") return place.items.map((item, k) => visit(item, (arg as readonly unknown[])[k]));
    if (place.is !== "object") return arg;
    const record = arg as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      place.names.map((name, k) => [name, visit(place.items[k] as Place, record[name])]),
    );
  };
  return places.map((place, k) => visit(place, args[k]));
}
