/** What an argument of the wrong kind is called in errors. */
import { showArgument } from "@fuseau/ir";

/** On every tensor, of whichever copy of this package. */
export const brand: unique symbol = Symbol.for("fuseau.tensor");

/** True for a tensor of any copy, when it is known to be none of ours. */
export const isForeign = (argument: unknown): boolean =>
  typeof argument === "object" && argument !== null && brand in argument;

const strangers = new WeakMap<object, unknown>();

/** The error for what is no tensor, where one is needed. The entry says which argument it was. */
export function noTensor(argument: unknown): TypeError {
  const shown = isForeign(argument)
    ? showGiven(argument)
    : `${argument === null ? "null" : typeof argument} (wrap it in tensor(...))`;
  const error = new TypeError(`argument must be Tensor, not ${shown}`);
  strangers.set(error, argument);
  return error;
}

/** In a list: what was no tensor, if the error is of that. */
export const strangerOf = (error: object): readonly unknown[] =>
  strangers.has(error) ? [strangers.get(error)] : [];

/** Called when an argument is no Tensor of ours. */
export function showGiven(argument: unknown): string {
  if (Array.isArray(argument)) return "an array (wrap it in tensor(...))";
  if (isForeign(argument))
    return "a Tensor of another copy of fuseau (two versions are installed, or one copy was imported and one required)";
  return showArgument(argument);
}

/** An object by itself, of no class that JavaScript has. A tensor is not asked what it is: it would be computed. */
export const isRecord = (value: unknown): boolean =>
  !isForeign(value) && Object.prototype.toString.call(value) === "[object Object]";
