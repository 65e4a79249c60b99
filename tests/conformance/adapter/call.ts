/** One call of PyTorch's as a call of the public API. */
import * as fuseau from "fuseau";
import { Tensor } from "fuseau";
import { operandOf } from "./argument.ts";
import { bindArguments } from "./bind.ts";
import { getItem, setItem } from "./item.ts";
import { camelCase, casts, type OpName, parseOp, synonyms } from "./names.ts";
import { type Parameter, parseSignature } from "./signature.ts";
import { functions, methods } from "./signatures.ts";
import { Unsupported } from "./unsupported.ts";

type Callable = (...given: unknown[]) => unknown;
export type Keywords = Readonly<Record<string, unknown>>;

export function call(op: string, given: readonly unknown[], keywords: Keywords): unknown {
  if (given.length === 0 && "input" in keywords) {
    const { input, ...others } = keywords;
    return call(op, [input], others);
  }
  if (op === "getitem") return getItem(given[0], given[1]);
  if (op === "setitem") return setItem(given[0], given[1], given[2]);
  if (op === "view" && typeof given[1] === "string") return call("bitcast", given, {});
  if ((op === "size" || op === "shape") && given.length === 1) return (given[0] as fuseau.AnyTensor).shape;
  const name = parseOp(op);
  const cast = casts[name.base];
  if (cast !== undefined) return call("to", [given[0], cast], {});
  const base = synonyms[name.base] ?? name.base;
  if (name.reflected) return reflected(base, given);
  const signature = name.free ? functions[base] : undefined;
  if (signature !== undefined) {
    return functionOf(op, { ...name, base })(
      ...bindArguments(op, parseSignature(signature), given, keywords),
    );
  }
  const known = methods[op] ?? methods[name.base] ?? methods[base];
  const parameters = known === undefined ? null : parseSignature(known);
  const rest = bindArguments(op, parameters, overload(parameters, given.slice(1)), keywords);
  return invoke(op, { ...name, base }, operandOf(given[0]), rest);
}

/** A free function where there is one and the case calls one, else a method; either way the same op. */
function invoke(op: string, name: OpName, self: unknown, rest: readonly unknown[]): unknown {
  const method =
    self instanceof Tensor ? methodOf(self, camelCase(name.base) + (name.inPlace ? "_" : "")) : null;
  const prefersFunction = name.free || method === null;
  const free = prefersFunction && !name.inPlace ? findFunction(name) : null;
  if (free !== null) return free(self, ...rest);
  if (method === null && rest.length === 0 && isObject(self)) {
    const property: unknown = Reflect.get(self, camelCase(name.base));
    if (property !== undefined) return property;
  }
  if (method === null) throw new Unsupported(op);
  return method.apply(self, [...rest]);
}

/** `var(True)` has no dim in front of it. */
const overload = (parameters: readonly Parameter[] | null, given: readonly unknown[]): readonly unknown[] =>
  typeof given[0] === "boolean" && parameters?.[0]?.name === "dim" ? [undefined, ...given] : given;

/** `__rsub__`: the second operand on the left, which may be a scalar. PyTorch divides by way of the reciprocal. */
function reflected(base: string, [self, other]: readonly unknown[]): unknown {
  if (base === "div" && self instanceof Tensor) return call("mul", [self.reciprocal(), other], {});
  return call(`torch.${base}`, [other, self], {});
}

function methodOf(self: Tensor, name: string): Callable | null {
  const found = Reflect.get(self, name);
  return typeof found === "function" ? (found as Callable) : null;
}

function functionOf(op: string, name: OpName): Callable {
  const found = findFunction(name);
  if (found === null) throw new Unsupported(op);
  return found;
}

/** `torch.linalg.det` is `linalg.det` where there is such a namespace, else `det`. */
function findFunction({ module, base }: OpName): Callable | null {
  const name = camelCase(base);
  const namespace: unknown = module === "" ? undefined : Reflect.get(fuseau, module);
  const found = (isObject(namespace) ? Reflect.get(namespace, name) : undefined) ?? Reflect.get(fuseau, name);
  return typeof found === "function" ? (found as Callable) : null;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
