/** The class with its methods: each family is a file of its own, put on the prototype here. */
import { brand } from "../entry/given.ts";
import { operation } from "../entry/operation.ts";
import { inspectAsText } from "../inspect.ts";
import { activationMethods } from "./activation.ts";
import { arithmeticMethods } from "./arithmetic.ts";
import { arrangeMethods } from "./arrange.ts";
import { comparisonMethods } from "./comparison.ts";
import { conversionMethods } from "./conversion.ts";
import { diagonalMethods } from "./diagonals.ts";
import { elementaryMethods } from "./elementary.ts";
import { type aliasKey, type ShapeKey, Tensor, type valueKey } from "./handle.ts";
import { indexingMethods } from "./indexing.ts";
import { inPlaceMethods } from "./inplace.ts";
import { fillMethods, rearrangeMethods } from "./inplace-fill.ts";
import { inquiryMethods } from "./inquiry.ts";
import { linearMethods } from "./linear.ts";
import { refuseMistakes } from "./mistakes.ts";
import { movementMethods } from "./movement.ts";
import { newMethods } from "./new.ts";
import { normalizationMethods } from "./normalization.ts";
import { pieceMethods } from "./pieces.ts";
import { type PlainProperties, plainMethods, plainProperties } from "./plain.ts";
import { productMethods } from "./product.ts";
import { randomMethods } from "./random.ts";
import { readoutMethods } from "./readout.ts";
import { reductionMethods } from "./reduction.ts";
import { scanMethods } from "./scan.ts";
import { scatterMethods } from "./scatter.ts";
import { signatureOf } from "./signatures.ts";
import { sortMethods } from "./sort.ts";
import { specialMethods } from "./special.ts";
import { statisticsMethods } from "./statistics.ts";
import { type ViewProperties, viewMethods, viewProperties } from "./view.ts";

type OwnName =
  | "shape"
  | "dtype"
  | "ndim"
  | ShapeKey
  | typeof valueKey
  | typeof aliasKey
  | keyof PlainProperties<[], "bool">
  | keyof ViewProperties<[], "bool">;

type Method = (this: never, ...given: never[]) => unknown;

/** Every method that the interface promises: a family that is left out is a type error. */
export const methods: { readonly [Name in Exclude<keyof Tensor, OwnName>]: Method } = {
  ...activationMethods,
  ...arithmeticMethods,
  ...arrangeMethods,
  ...comparisonMethods,
  ...conversionMethods,
  ...diagonalMethods,
  ...elementaryMethods,
  ...fillMethods,
  ...indexingMethods,
  ...inPlaceMethods,
  ...inquiryMethods,
  ...linearMethods,
  ...movementMethods,
  ...newMethods,
  ...normalizationMethods,
  ...pieceMethods,
  ...plainMethods,
  ...productMethods,
  ...randomMethods,
  ...readoutMethods,
  ...rearrangeMethods,
  ...reductionMethods,
  ...scanMethods,
  ...scatterMethods,
  ...sortMethods,
  ...specialMethods,
  ...statisticsMethods,
  ...viewMethods,
};

/** `Symbol.dispose` is `dispose` in messages. */
const labelOf = (name: string | symbol): string =>
  String(typeof name === "symbol" ? name.description : name).replace(/^Symbol\./, "");

for (const name of Reflect.ownKeys(methods) as (keyof typeof methods)[])
  Object.defineProperty(Tensor.prototype, name, {
    value: operation(labelOf(name), signatureOf(name), methods[name], true),
    writable: true,
    configurable: true,
  });

const properties: Readonly<Record<string | symbol, Method>> = { ...viewProperties, ...plainProperties };
for (const name of Reflect.ownKeys(properties))
  Object.defineProperty(Tensor.prototype, name, {
    get: operation(labelOf(name), "", properties[name] as Method),
    configurable: true,
  });

inspectAsText(Tensor.prototype);
Object.defineProperty(Tensor.prototype, brand, { value: true });
refuseMistakes(Tensor.prototype);

export { receiver, tensorArgument, term, unwrap, wrap } from "./handle.ts";
export { Tensor };
