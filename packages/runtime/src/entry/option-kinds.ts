/** The kind of each option. There is one table, since an option means the same in every operation. */
import { showArgument } from "@fuseau/ir";
import { checkDType } from "../ops/creation.ts";
import { isFloatScalar } from "../ops/operand.ts";
import { Generator, generatorOr } from "../random/generator.ts";
import { Tensor } from "../tensor/handle.ts";

type Kind =
  | "flag"
  | "text"
  | "number"
  | "numbers"
  | "integer"
  | "integers"
  | "scalar"
  | "tensor"
  | "tensors"
  | "function"
  | "dtype"
  | "generator";

const wanted: { readonly [K in Kind]: readonly [noun: string, holds: (value: unknown) => boolean] } = {
  flag: ["true or false", (value) => typeof value === "boolean"],
  text: ["a string", (value) => typeof value === "string"],
  number: ["a number", (value) => typeof value === "number"],
  numbers: [
    "a number or an array of numbers",
    (value) => (Array.isArray(value) ? value : [value]).every((each) => typeof each === "number"),
  ],
  integer: ["an integer", Number.isInteger],
  integers: [
    "an integer or an array of integers",
    (value) => (Array.isArray(value) ? value.every(Number.isInteger) : Number.isInteger(value)),
  ],
  scalar: [
    "a number, a bigint, a boolean or float(2)",
    (value) => ["number", "bigint", "boolean"].includes(typeof value) || isFloatScalar(value),
  ],
  tensor: ["a tensor", (value) => value instanceof Tensor],
  tensors: [
    "a tensor or an array of tensors",
    (value) =>
      (Array.isArray(value) ? value : [value]).every((each) => each === null || each instanceof Tensor),
  ],
  function: ["a function", (value) => typeof value === "function"],
  dtype: ["a dtype", (value) => typeof value === "string"],
  generator: ["a Generator, e.g. new Generator(7)", (value) => value instanceof Generator],
};

const names: { readonly [K in Kind]: string } = {
  flag: `accumulate adjoint alignCorners allowUnused asTuple ceilMode countIncludePad createGraph density descending equalNan full fullMatrices hard hasAux hermitian includeLastOffset
    includeSelf increasing invert isCausal keepdim largest left logInput logTarget outInt32 periodic recomputeScaleFactor replacement
    requiresGrad retainGraph returnCounts returnIndices returnInverse right sorted stable swap training unbiased unitriangular upper useInputStats withReplacement wrap zeroInfinity`,
  text: "UPLO approximate indexing interpolation mode paddingMode randomness reduce reduction roundingMode side",
  number: "atol correction delta eps k labelSmoothing margin momentum p rcond rtol scale tau",
  numbers: "range scaleFactor",
  integer: "blank decimals divisorOverride edgeOrder groups ignoreIndex ind offset paddingIdx",
  integers: "argnums dilation dim dims outputPadding outputSize shape size stride",
  scalar: "alpha beta dx max min value",
  tensor: `append attnMask aweights bias fweights offsets perSampleWeights posWeight prepend runningMean runningVar sorter
    weight x`,
  tensors: "gradOutputs inputs",
  function: "distanceFunction",
  dtype: "dtype",
  generator: "generator",
};

const kinds: ReadonlyMap<string, Kind> = new Map(
  Object.entries(names).flatMap(([kind, list]) =>
    list.split(/\s+/).map((name): [string, Kind] => [name, kind as Kind]),
  ),
);

/**
 * Refuses an option of the wrong kind; null stands for one that is left out. What only the operation can check, such as its modes, is left
 * to it.
 * @throws TypeError, DTypeError for a dtype that does not exist.
 */
export function checkOption(op: string, name: string, value: unknown): void {
  if (value == null) return;
  const kind = kinds.get(name);
  if (kind === undefined) return;
  if (kind === "generator") generatorOr(value);
  if (kind === "dtype") checkDType(value);
  const [noun, holds] = wanted[kind];
  if (!holds(value)) throw new TypeError(`${op}: ${name} must be ${noun}, but got ${showArgument(value)}`);
}

/** The option that was probably meant by a bare value: `keepdim` for `true`. */
export function optionFor(value: unknown, options: readonly string[]): string | undefined {
  return options.find((name) => {
    const kind = kinds.get(name);
    return kind !== undefined && wanted[kind][1](value);
  });
}
