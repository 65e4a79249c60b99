/** How errors describe an argument of the wrong kind. */
import { showArgument } from "@fuseau/ir";

/** A property of every tensor, of any copy of this package. */
export const brand: unique symbol = Symbol.for("fuseau.tensor");

/** True for a tensor of another copy of this package, given that it is none of ours. */
export const isForeign = (argument: unknown): boolean =>
  typeof argument === "object" && argument !== null && brand in argument;

const strangers = new WeakMap<object, unknown>();

/** The error for a value that is no tensor. The entry adds which argument it was. */
export function noTensor(argument: unknown): TypeError {
  const shown = isForeign(argument)
    ? showGiven(argument)
    : `${argument === null ? "null" : typeof argument} (wrap it in tensor(...))`;
  const error = new TypeError(`argument must be Tensor, not ${shown}`);
  strangers.set(error, argument);
  return error;
}

/** The value that was no tensor, if the error is about an item of that list. */
export const strangerOf = (error: object): readonly unknown[] =>
  strangers.has(error) ? [strangers.get(error)] : [];

/** Called when an argument is no Tensor of ours. */
export function showGiven(argument: unknown): string {
  if (Array.isArray(argument)) return "an array (wrap it in tensor(...))";
  if (isForeign(argument))
    return "a Tensor of another copy of fuseau (two versions are installed, or one copy was imported and one required)";
  return showArgument(argument);
}

/** What a state dict has under a name. @throws TypeError for what is no tensor, such as what JSON makes of one. */
export function checkStored<T>(name: string, item: T): T {
  if (isForeign(item)) return item;
  throw new TypeError(
    `"${name}" must be a tensor, but got ${showArgument(item)}${isRecord(item) ? " (fromJSON(…) makes one of what JSON.parse gives)" : ""}`,
  );
}

/** A plain object, or one of a class that JavaScript does not have. The text of a tensor is not asked for: it would be computed. */
export const isRecord = (value: unknown): boolean =>
  !isForeign(value) && Object.prototype.toString.call(value) === "[object Object]";
