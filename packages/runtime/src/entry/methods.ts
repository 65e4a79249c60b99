/** Makes the methods of classes other than Tensor operations: their arguments are checked, and errors begin at the user's line. */
import { operation } from "./operation.ts";
import type { Owner } from "./signature.ts";

/** The signatures of methods and setters by name; see `signature.ts`. A getter has an empty one. A class has them as `static takes`. */
export type Takes = Readonly<Record<string, string>>;

const done = new WeakSet<object>();

/**
 * Makes operations of everything that a class and its superclasses list in `takes`. It runs when the first object is made and not when the
 * file is loaded, so that bundlers can drop unused classes. To be called by the constructor of the topmost class.
 */
export function checkMethods(made: Owner): void {
  for (let owner = made; !done.has(owner); owner = Object.getPrototypeOf(owner)) {
    done.add(owner);
    const takes = Object.hasOwn(owner, "takes") ? (owner as Owner & { readonly takes: Takes }).takes : {};
    for (const [name, signature] of Object.entries(takes)) {
      const { value, get, ...rest } = Object.getOwnPropertyDescriptor(owner.prototype, name)!;
      const run = operation<() => unknown>(name, signature, value ?? get, owner);
      Object.defineProperty(
        owner.prototype,
        name,
        get === undefined ? { ...rest, value: run } : { get: run },
      );
    }
    if (Object.getPrototypeOf(owner) === Function.prototype) return;
  }
}
