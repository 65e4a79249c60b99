/** The class with its methods: each family is a file of its own, put on the prototype here. */
import { inspectAsText } from "../inspect.ts";
import { activationMethods } from "./activation.ts";
import { arithmeticMethods } from "./arithmetic.ts";
import { comparisonMethods } from "./comparison.ts";
import { conversionMethods } from "./conversion.ts";
import { elementaryMethods } from "./elementary.ts";
import { type aliasKey, type ShapeKey, Tensor, type valueKey } from "./handle.ts";
import { movementMethods } from "./movement.ts";
import { normalizationMethods } from "./normalization.ts";
import { pieceMethods } from "./pieces.ts";
import { productMethods } from "./product.ts";
import { readoutMethods } from "./readout.ts";
import { reductionMethods } from "./reduction.ts";

type OwnName = "shape" | "dtype" | "ndim" | ShapeKey | typeof valueKey | typeof aliasKey;

/** Every method that the interface promises: a family that is left out is a type error. */
const methods: { readonly [Name in Exclude<keyof Tensor, OwnName>]: unknown } = {
  ...activationMethods,
  ...arithmeticMethods,
  ...comparisonMethods,
  ...conversionMethods,
  ...elementaryMethods,
  ...movementMethods,
  ...normalizationMethods,
  ...pieceMethods,
  ...productMethods,
  ...readoutMethods,
  ...reductionMethods,
};

for (const name of Reflect.ownKeys(methods)) {
  const value = Reflect.get(methods, name);
  Object.defineProperty(Tensor.prototype, name, { value, writable: true, configurable: true });
}

inspectAsText(Tensor.prototype);

export { receiver, tensorArgument, term, unwrap, wrap } from "./handle.ts";
export { Tensor };
