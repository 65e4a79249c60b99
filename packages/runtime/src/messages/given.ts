/** What an argument of the wrong kind is called in errors. */
import { showArgument } from "@fuseau/ir";

/** On every tensor, of whichever copy of this package. */
export const brand: unique symbol = Symbol.for("fuseau.tensor");

/** True for a tensor of any copy, when it is known to be none of ours. */
export const isForeign = (argument: unknown): boolean =>
  typeof argument === "object" && argument !== null && brand in argument;

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
