/**
 * Fields keep being what they are: one that has a parameter refuses a plain tensor, which nobody would learn or save. Source:
 * torch.nn.Module.__setattr__.
 */
import { showArgument } from "@fuseau/ir";
import { Tensor } from "../js.ts";
import { trimmed } from "../messages/stack.ts";
import { buffer, isBuffer, isParameter, isPersistent } from "./parameter.ts";

type Check = (value: unknown) => unknown;

/** Makes the field check what it is given from now on. `isModule` tells modules, `stored` what the field has. */
export function keepKind(owner: object, name: string, isModule: (x: unknown) => boolean): void {
  const stored = (owner as Readonly<Record<string, unknown>>)[name];
  const check = checkFor(owner.constructor.name, name, stored, isModule);
  if (check === null) return;
  let value = stored;
  const set = (given: unknown): void => {
    try {
      value = check(given);
    } catch (error) {
      throw trimmed(error, set);
    }
  };
  Object.defineProperty(owner, name, { get: () => value, set, enumerable: true, configurable: true });
}

function checkFor(
  owner: string,
  name: string,
  stored: unknown,
  isModule: (x: unknown) => boolean,
): Check | null {
  const isMarked = (x: unknown): boolean => x === null || x === undefined || isParameter(x) || isBuffer(x);
  const refused = (given: unknown, as: string, hint: string): TypeError =>
    new TypeError(`${owner}: cannot assign ${showArgument(given)} as ${as} "${name}" (${hint})`);
  if (isParameter(stored))
    return (given) => {
      if (isMarked(given) || isModule(given)) return given;
      const hint = `parameter(x) or null expected; noGrad(() => module.${name}.copy_(x)) writes its elements`;
      throw refused(given, "parameter", hint);
    };
  if (isBuffer(stored)) {
    const persistent = isPersistent(stored);
    return (given) => {
      if (isMarked(given)) return given;
      if (given instanceof Tensor) return buffer(given, { persistent });
      throw refused(given, "buffer", "a tensor or null expected");
    };
  }
  if (isModule(stored))
    return (given) => {
      if (isMarked(given) || isModule(given)) return given;
      throw refused(given, "child module", "a Module or null expected");
    };
  return null;
}
