/** Methods of classes other than Tensor, made operations: what they take is checked, and errors begin at the user's line. */
import { operation } from "./operation.ts";
import type { Owner } from "./signature.ts";

/** What methods take, and what getters do not, by name; see `signature.ts`. A class has it as `static takes`. */
export type Takes = Readonly<Record<string, string>>;

const done = new WeakSet<object>();

/**
 * Makes operations of what a class and those that it extends list in `takes`: when the first of it is made, and not when the file is
 * loaded, so that bundlers leave out classes that nobody uses. To be called by the constructor of the uppermost.
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
