/** PyTorch's names in our spelling: `scatter_reduce_` is `scatterReduce_`. */
export const camelCase = (name: string): string =>
  name.replace(/([a-z0-9])_([a-z0-9])/g, (_, before: string, after: string) => before + after.toUpperCase());

/** A name of PyTorch's taken apart. */
export interface OpName {
  /** Free functions, of torch and its modules, as against methods. */
  readonly free: boolean;
  /** "linalg" of `torch.linalg.det`; "" for torch, torch.nn.functional and methods. */
  readonly module: string;
  /** `__radd__`: the other operand comes first. */
  readonly reflected: boolean;
  /** Ends in an underscore: `add_`. */
  readonly inPlace: boolean;
  /** Without module, underscores around and in-place mark. */
  readonly base: string;
}

export function parseOp(op: string): OpName {
  const parts = op.split(".");
  const last = parts.at(-1)!;
  const operator = /^__(\w+)__$/.exec(last)?.[1];
  // `__radd__` and `__iadd__` come of `__add__`, but `__rshift__` and `__invert__` are their own.
  const derived = /^(?!rshift|invert)([ri])(\w{2,})$/.exec(operator ?? "");
  return {
    free: parts.length > 1,
    module: parts.slice(1, -1).join("."),
    reflected: derived?.[1] === "r",
    inPlace: operator === undefined ? last.endsWith("_") : derived?.[1] === "i",
    base: derived?.[2] ?? operator ?? last.replace(/_$/, ""),
  };
}

/** Ops that go by another name here: PyTorch has two for them, or JavaScript none. */
export const synonyms: Readonly<Record<string, string>> = {
  type: "to",
  tolist: "to_array",
  constant_pad_nd: "pad",
  logsigmoid: "log_sigmoid",
  concatenate: "cat",
  row_stack: "vstack",
  ger: "outer",
  absolute: "abs",
  negative: "neg",
  fix: "trunc",
  subtract: "sub",
  multiply: "mul",
  divide: "div",
  greater: "gt",
  greater_equal: "ge",
  less: "lt",
  less_equal: "le",
  not_equal: "ne",
  arccos: "acos",
  arccosh: "acosh",
  arcsin: "asin",
  arcsinh: "asinh",
  arctan: "atan",
  arctanh: "atanh",
  arctan2: "atan2",
  expit: "sigmoid",
  gammaln: "lgamma",
  psi: "digamma",
  // Operators.
  truediv: "div",
  floordiv: "floor_divide",
  mod: "remainder",
  or: "bitwise_or",
  and: "bitwise_and",
  xor: "bitwise_xor",
  invert: "bitwise_not",
  lshift: "bitwise_left_shift",
  rshift: "bitwise_right_shift",
};

/** Methods that cast, by what they cast to. */
export const casts: Readonly<Record<string, string>> = {
  char: "int8",
  short: "int16",
  byte: "uint8",
};
