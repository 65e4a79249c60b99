/**
 * The arguments of an operation as text: `"dim, { keepdim, dtype }"`. Names in braces are options, which come last and as one object. Ways
 * of calling are separated by `|`; `...tensors` takes any number.
 */

export interface Signature {
  /** The name that errors begin with. */
  readonly op: string;
  /** True if it is called on a tensor. */
  readonly isMethod: boolean;
  readonly ways: readonly Way[];
  /** A call with at most so many arguments needs no further check, whichever way it is called: options come after them. */
  readonly first: number;
  /** The most arguments of any way of calling, options included. */
  readonly most: number;
  /** True if it takes any number of arguments. */
  readonly isOpen: boolean;
}

export interface Way {
  readonly names: readonly string[];
  /** Empty if there are no options. */
  readonly options: readonly string[];
}

/** Parsed signatures by text: many operations have the same, and all are parsed when the package is loaded. */
const known = new Map<string, Omit<Signature, "op" | "isMethod">>();

export function signatureOf(op: string, text: string, isMethod: boolean): Signature {
  let read = known.get(text);
  if (read === undefined) {
    read = readSignature(text);
    known.set(text, read);
  }
  return { op, isMethod, ...read };
}

function readSignature(text: string): Omit<Signature, "op" | "isMethod"> {
  const ways = text.split("|").map(wayOf);
  return {
    ways,
    first: Math.min(...ways.map(({ names }) => names.length)),
    most: Math.max(...ways.map(({ names, options }) => names.length + (options.length > 0 ? 1 : 0))),
    isOpen: text.includes("..."),
  };
}

function wayOf(text: string): Way {
  const [names = "", options = ""] = text.split("{");
  return { names: words(names), options: words(options) };
}

const words = (text: string): readonly string[] => text.match(/[\w.]+/g) ?? [];

/** The call as text: `sum(dim, { keepdim, dtype })`. */
export const showCall = (op: string, { names, options }: Way): string =>
  `${op}(${[...names, ...(options.length > 0 ? [`{ ${options.join(", ")} }`] : [])].join(", ")})`;
