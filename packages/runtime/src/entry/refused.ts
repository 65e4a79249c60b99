/** Errors of operations as users get them: with the name that was called, and the stack of the call. */
import { InternalError } from "@fuseau/ir";
import { strangerOf } from "../messages/given.ts";
import { nearest } from "../messages/nearest.ts";
import { trimmed } from "../messages/stack.ts";
import { abandon, isOfEarlier } from "../origin.ts";
import { Tensor } from "../tensor/handle.ts";
import { isOptions } from "./inspect.ts";
import { mayBeTensor } from "./option-kinds.ts";
import { type Signature, showCall } from "./signature.ts";

/** Errors that users' functions have thrown. */
const theirs = new WeakSet<object>();

/** Notes that an error came out of a user's function. */
export function ofUser(error: unknown): unknown {
  if (typeof error === "object" && error !== null) theirs.add(error);
  return error;
}

/** Of those, the errors of our operations that were called as a user's function. Their stacks do not begin at the user's line yet. */
const within = new WeakSet<object>();

/** Notes that an error came out of an operation that was called as a user's function, and the operation's name. */
export function ofEntry(error: unknown): unknown {
  if (error instanceof Error && !theirs.has(error)) within.add(error);
  return ofUser(error);
}

const isOfUser = (error: unknown): boolean =>
  typeof error === "object" && error !== null && theirs.has(error);

/** True if the stack of an error begins at the user's line, since it came out of the user's function. */
export const beginsAtUser = (error: unknown): boolean =>
  isOfUser(error) && !(error instanceof Error && within.has(error));

/** The error to throw for one that came out of an operation: with the operation's name, the way out, and the stack of the user's call. */
export function refused(
  call: Signature,
  self: unknown,
  given: readonly unknown[],
  error: unknown,
  entered: unknown,
): unknown {
  const { op, owner } = call;
  if (owner !== null && !(self instanceof owner) && !isOfUser(error)) {
    abandon();
    const noun = owner === Tensor ? "a tensor" : `its ${owner.name}`;
    return trimmed(new TypeError(`${op}: called without ${noun}; write x.${op}(…)`), entered);
  }
  if (isOurs(error)) {
    for (const stranger of strangerOf(error)) {
      const sentence = error.message.replace("argument", `argument '${argumentOf(stranger, call, given)}'`);
      const way = namedArgument(call, given);
      error.message = `${op}(): ${way === "" ? sentence : sentence.replace(/ \(.*/, way)}`;
    }
    const saysHow = error.message.startsWith(`${op}(`) || error.message.startsWith(`${op}: unknown option`);
    if (!saysHow) error.message += namedArgument(call, given) || missingArgument(call, given, error.message);
  }
  return refusedBy(op, error, entered);
}

/** An error of the call itself; the operation's name and its arguments may be put into it. */
const isOurs = (error: unknown): error is Error =>
  error instanceof Error && !(error instanceof InternalError) && !isOfEarlier(error) && !isOfUser(error);

/** How the user gave a value: as an argument, an item of a list, or an option. */
function argumentOf(value: unknown, { ways }: Signature, given: readonly unknown[]): string {
  for (const { names } of ways)
    for (const [k, argument] of given.entries()) {
      const isRest = k >= names.length && names.at(-1)?.startsWith("...") === true;
      const name = names[isRest ? names.length - 1 : k]?.replace("...", "");
      if (name !== undefined && mayBeTensor(name)) {
        if (Object.is(argument, value)) return isRest ? `${name}[${k - names.length + 1}]` : name;
        if (Array.isArray(argument) && argument.includes(value)) return `${name}[${argument.indexOf(value)}]`;
      }
      const option = isOptions(argument) && Object.keys(argument).find((key) => argument[key] === value);
      if (option) return option;
    }
  return "input";
}

/** The error of a call of `op`, with that name and with the stack of the call. */
export function refusedBy(op: string, error: unknown, entered: unknown): unknown {
  abandon();
  if (isOfUser(error)) return beginsAtUser(error) ? error : trimmed(error, entered);
  if (isOurs(error)) error.message = named(op, error.message);
  return trimmed(error, entered);
}

/**
 * Begins the sentence with the name that was called. A sentence that begins with `()` gets it in front. The name of another operation,
 * which this one is made of, is replaced: it means nothing to the user.
 */
function named(op: string, message: string): string {
  if (message.startsWith(`${op}: `)) return message;
  if (message.startsWith("()")) return `${op}: ${op}${message}`;
  const inner = /^[a-z]\w*(?:\.\w+)?(?=: )/.exec(message)?.[0];
  if (inner === undefined) return `${op}: ${message}`;
  // The error is about a value that was recorded by another call.
  if (inner === "compute") return message;
  const sentence = message.slice(inner.length + 2);
  return `${op}: ${sentence.startsWith(`${inner}()`) ? `${op}${sentence.slice(inner.length)}` : sentence}`;
}

/** How to call it if an object was given for an argument, as in `softmax({ dim: 1 })`. */
export function namedArgument(
  { op, ways }: Pick<Signature, "op" | "ways">,
  given: readonly unknown[],
): string {
  // If one way of calling takes options there, they are right as they are.
  let last = given.length - 1;
  while (last > 0 && given[last] === undefined) last--;
  if (isOptions(given[last]) && ways.some(({ names }) => names.length === last)) return "";
  for (const way of ways) {
    for (const [place, value] of given.slice(0, way.names.length).entries()) {
      if (!isOptions(value)) continue;
      const keys = Object.keys(value);
      const argument = keys.map((key) => nearest(key, way.names)).find((name) => name !== null);
      if (argument !== undefined) return ` (${argument} is an argument of its own: ${showCall(op, way)})`;
      if (!keys.some((key) => nearest(key, way.options) !== null)) continue;
      const left = way.names.slice(place).includes("dim") ? "; null stands for a dim that is left out" : "";
      return ` (options come last: ${showCall(op, way)}${left})`;
    }
  }
  return "";
}

/** How to call it if a sentence says that an argument is undefined, and none was given. */
function missingArgument({ op, ways }: Signature, given: readonly unknown[], message: string): string {
  if (!/\bundefined$/.test(message)) return "";
  let count = given.length;
  while (count > 0 && given[count - 1] === undefined) count--;
  const way = ways.find(({ names }) => names.length > count);
  return way === undefined ? "" : ` (it is called as ${showCall(op, way)})`;
}
