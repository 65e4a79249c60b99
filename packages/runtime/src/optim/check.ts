/** Checks the arguments of optimizers and schedules. */
import { showArgument } from "@fuseau/ir";
import { checkKind, type Kind } from "../entry/kinds.ts";
import { Tensor } from "../js.ts";

/** The kinds of options: those of their defaults. If a default is null, the optimizer itself checks the option. */
export const kindsOf = (defaults: object): Readonly<Record<string, Kind>> =>
  Object.fromEntries(Object.entries(defaults).map(([name, usual]) => [name, kindOf(usual)]));

function kindOf(usual: unknown): Kind {
  if (typeof usual === "number") return "number";
  if (typeof usual === "boolean") return "flag";
  return Array.isArray(usual) ? "pair" : "any";
}

/** A list of layers is iterable, and is no list of parameters. */
const isModule = (x: unknown): boolean =>
  typeof (x as { readonly parameters?: unknown } | null | undefined)?.parameters === "function";

/** @throws TypeError for what is no list: of a module its parameters must be given, and a single tensor in brackets. */
export function checkParams(op: string, params: unknown): void {
  const isTensor = params instanceof Tensor;
  const iterator = (params as Iterable<unknown> | null | undefined)?.[Symbol.iterator];
  if (typeof iterator === "function" && !isTensor && !isModule(params)) return;
  throw new TypeError(
    `${op}: params must be an array of tensors, or of groups { params, lr }, but got ${isTensor ? "a tensor (write [tensor])" : `${showArgument(params)} (a module gives its own: model.parameters())`}`,
  );
}

/** @throws TypeError for what is neither a tensor nor a group of them, such as a module in a list. */
export function checkGroup(op: string, group: unknown): void {
  if (isModule(group))
    throw new TypeError(
      `${op}: optimizer can only optimize Tensors, but one of the params is ${showArgument(group)} (a module gives its own: model.parameters())`,
    );
  checkKind(op, "a group of params", group, "record");
}

/** @throws RangeError unless the option is a number of at least 0, and less than `below`. */
export function checkRange(owner: object, name: string, value: number, below = Infinity): void {
  if (!(value >= 0 && (value < below || below === Infinity)))
    throw new RangeError(
      `${owner.constructor.name}: Invalid ${name}: ${String(value)} (a number ${below === Infinity ? "not below 0" : `from 0 to less than ${below}`})`,
    );
}

/** @throws RangeError for a number below 0; in a list, such as `betas`, also for one that is not less than 1. */
export function checkRanges(owner: object, options: object): void {
  for (const [name, value] of Object.entries(options))
    if (Array.isArray(value))
      for (const [k, share] of value.entries()) checkRange(owner, `${name}[${k}]`, share, 1);
    else if (typeof value === "number") checkRange(owner, name, value);
}
