/** The kind of each option of operations. There is one table, since an option means the same in every operation. */
import { checkDType } from "../ops/creation.ts";
import { generatorOr } from "../random/generator.ts";
import { checkKind, isOfKind, type KindName } from "./kinds.ts";

const names: { readonly [K in KindName]?: string } = {
  flag: `accumulate adjoint alignCorners allowUnused asTuple averageAttnWeights batchFirst ceilMode compressed countIncludePad createGraph density
    descending equalNan errorIfNonfinite freeze full fullMatrices hard hasAux hermitian includeLastOffset includeSelf increasing invert isCausal
    keepdim largest left logInput logTarget memoryIsCausal needWeights outInt32 periodic persistent raiseException recomputeScaleFactor
    replacement requiresGrad retainGraph returnCounts returnIndices returnInverse right scaleGradByFreq setToNone sorted sparse srcIsCausal
    stable strict swap
    tgtIsCausal training unbiased unitriangular unsafe upper useInputStats withReplacement wrap zeroInfinity`,
  text: "UPLO approximate indexing interpolation mode nonlinearity paddingMode randomness reduce reduction roundingMode side",
  number:
    "a atol correction delta eps gain initial k labelSmoothing margin maxNorm momentum normType paddingValue p rcond rtol scale tau",
  numbers: "scaleFactor",
  pair: "range",
  integer: "axis blank decimals divisorOverride edgeOrder groups ignoreIndex ind offset paddingIdx",
  positive: "cacheLimit nPowerIterations",
  list: "dynamic",
  places: "static",
  integers: "argnums dilation dim dims outputPadding outputSize shape size stride",
  scalar: "alpha beta dx max min value",
  tensor: `append attnMask aweights bias fweights keyPaddingMask memoryKeyPaddingMask memoryMask offsets perSampleWeights posWeight prepend
    runningMean runningVar sorter srcKeyPaddingMask srcMask tgtKeyPaddingMask tgtMask weight x`,
  tensors: "inputs",
  tensorOrPlaces: "lengths",
  tensorsOrNulls: "gradOutputs",
  function: "distanceFunction",
  record: "metadata",
  dtype: "dtype",
  generator: "generator",
};

const kinds: ReadonlyMap<string, KindName> = new Map(
  Object.entries(names).flatMap(([kind, list]) =>
    list.split(/\s+/).map((name): [string, KindName] => [name, kind as KindName]),
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
  checkKind(op, name, value, kind);
}

/** False for an argument or option that is no operand whatever the operation, such as an axis. */
export function mayBeTensor(name: string): boolean {
  const kind = kinds.get(name);
  return kind === undefined || kind === "scalar" || kind.startsWith("tensor");
}

/** The option that was probably meant by a bare value: `keepdim` for `true`. */
export function optionFor(value: unknown, options: readonly string[]): string | undefined {
  return options.find((name) => {
    const kind = kinds.get(name);
    return kind !== undefined && isOfKind(value, kind);
  });
}
