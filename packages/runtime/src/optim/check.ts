/** What optimizers and schedules are given. */
import { showArgument } from "@fuseau/ir";
import { checkOptionNames } from "../messages/options.ts";

/**
 * @throws TypeError for an option that none of the defaults has, and one of another kind than its default; what is null by default is
 * for the optimizer to check.
 */
export function checkOptions(op: string, options: object, defaults: object): void {
  checkOptionNames(op, options, Object.keys(defaults));
  const usual = new Map(Object.entries(defaults));
  for (const [name, value] of Object.entries(options)) {
    const known: unknown = usual.get(name);
    const isAlike = Array.isArray(known) ? Array.isArray(value) : typeof value === typeof known;
    if (known == null || isAlike || typeof known === "number") continue;
    const noun = typeof known === "boolean" ? "true or false" : `as ${showArgument(known)} is`;
    throw new TypeError(`${op}: ${name} must be ${noun}, but got ${showArgument(value)}`);
  }
}

/** @throws TypeError for what cannot be gone through: a module is asked for its parameters first. */
export function checkParams(op: string, params: unknown): void {
  if (typeof (params as Iterable<unknown> | null | undefined)?.[Symbol.iterator] === "function") return;
  throw new TypeError(
    `${op}: params must be an array of tensors, or of groups { params, lr }, but got ${showArgument(params)} (a module gives its own: model.parameters())`,
  );
}

/** @throws RangeError unless the option is a number from 0 on, and less than `below`. */
export function checkRange(owner: object, name: string, value: number, below = Infinity): void {
  if (typeof value !== "number" || !(value >= 0 && (value < below || below === Infinity)))
    throw new RangeError(
      `${owner.constructor.name}: Invalid ${name}: ${String(value)} (a number ${below === Infinity ? "not below 0" : `from 0 to less than ${below}`})`,
    );
}

/** @throws RangeError for a number below 0, and for one of a list, such as `betas`, that is not less than 1 either. */
export function checkRanges(owner: object, options: object): void {
  for (const [name, value] of Object.entries(options))
    if (Array.isArray(value))
      for (const [k, share] of value.entries()) checkRange(owner, `${name}[${k}]`, share, 1);
    else if (typeof value !== "boolean") checkRange(owner, name, value);
}
