/**
 * The arguments of an operation as text, plain data beside it: `"dim, { keepdim, dtype }"`. What stands in braces are
 * options, which come last and as one object. Ways to call it are separated by `|`; `...tensors` takes any number.
 */

export interface Signature {
  /** What errors begin with. */
  readonly op: string;
  /** Called on a tensor. */
  readonly isMethod: boolean;
  readonly ways: readonly Way[];
  /** How many arguments need no second look, whichever way it is called: options may stand behind them. */
  readonly first: number;
  /** The most arguments that any way of calling takes, options among them. */
  readonly most: number;
  /** Takes any number of arguments. */
  readonly isOpen: boolean;
}

export interface Way {
  readonly names: readonly string[];
  /** Empty when it takes none. */
  readonly options: readonly string[];
}

/** Many operations take the same, and all are read when the package is loaded. */
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

/** `sum(dim, { keepdim, dtype })` */
export const showCall = (op: string, { names, options }: Way): string =>
  `${op}(${[...names, ...(options.length > 0 ? [`{ ${options.join(", ")} }`] : [])].join(", ")})`;
