/**
 * The arguments of an operation as text: `"dim, { keepdim, dtype }"`. Names in braces are options, which come last and as one object. Ways
 * of calling are separated by `|`; `...tensors` takes any number. An argument may state its kind (`kinds.ts`), as in
 * `"x: tensor, mean?: number"`. It is checked at every call then, and must be given unless a question mark follows its name. Other
 * arguments are checked by the operation itself.
 */
import type { Kind } from "./kinds.ts";

export interface Signature {
  /** The name that errors begin with. */
  readonly op: string;
  /** The class whose method it is, if any. */
  readonly owner: Owner | null;
  readonly ways: readonly Way[];
  /** A call with at most so many arguments needs no further check, whichever way it is called: options come after them. */
  readonly first: number;
  /** The most arguments of any way of calling, options included. */
  readonly most: number;
  /** True if it takes any number of arguments. */
  readonly isOpen: boolean;
  /** True if the signature states the kinds of arguments. Then there is only one way to call it. */
  readonly isChecked: boolean;
  /** How many arguments must be given, if all of them are tensors; else Infinity. */
  readonly tensors: number;
}

export type Owner = abstract new (...args: never[]) => object;

export interface Way {
  readonly names: readonly string[];
  /** The kinds of the arguments, where the signature states them. */
  readonly kinds: readonly (ArgumentKind | undefined)[];
  /** Empty if there are no options. */
  readonly options: readonly string[];
}

export interface ArgumentKind {
  readonly kind: Kind;
  /** True if it may be left out. */
  readonly isOptional: boolean;
}

/** Many operations take the same, and all are read when the package is loaded. */
const known = new Map<string, Omit<Signature, "op" | "owner">>();

/* @__NO_SIDE_EFFECTS__ */
export function signatureOf(op: string, text: string, owner: Owner | null = null): Signature {
  let read = known.get(text);
  if (read === undefined) {
    read = readSignature(text);
    known.set(text, read);
  }
  return { op, owner, ...read };
}

function readSignature(text: string): Omit<Signature, "op" | "owner"> {
  const ways = text.split("|").map(wayOf);
  return {
    ways,
    first: Math.min(...ways.map(({ names }) => names.length)),
    most: Math.max(...ways.map(({ names, options }) => names.length + (options.length > 0 ? 1 : 0))),
    isOpen: text.includes("..."),
    isChecked: ways.some(({ kinds }) => kinds.length > 0),
    tensors: tensorsOf(ways[0] as Way),
  };
}

function wayOf(text: string): Way {
  const [names = "", options = ""] = text.split("{");
  return {
    names: words(names.replaceAll(/\?|: [\w?]+/g, "")),
    kinds: names.includes(":") ? names.split(",").map(kindOf) : [],
    options: words(options),
  };
}

function kindOf(argument: string): ArgumentKind | undefined {
  const [, isOptional, kind] = /^\s*[\w.]+(\??): (\w+\??)/.exec(argument) ?? [];
  return kind === undefined ? undefined : { kind: kind as Kind, isOptional: isOptional === "?" };
}

function tensorsOf({ names, kinds }: Way): number {
  const areTensors = names.every((_, k) => kinds[k]?.kind === "tensor" || kinds[k]?.kind === "tensor?");
  return areTensors
    ? kinds.filter((wanted) => wanted?.isOptional === false).length
    : Number.POSITIVE_INFINITY;
}

const words = (text: string): readonly string[] => text.match(/[\w.]+/g) ?? [];

/** The call as text: `sum(dim, { keepdim, dtype })`. */
export const showCall = (op: string, { names, options }: Pick<Way, "names" | "options">): string =>
  `${op}(${[...names, ...(options.length > 0 ? [`{ ${options.join(", ")} }`] : [])].join(", ")})`;
