/** The class with its methods: each family is a file of its own, put on the prototype here. */
import { activationMethods } from "./activation.ts";
import { arithmeticMethods } from "./arithmetic.ts";
import { comparisonMethods } from "./comparison.ts";
import { conversionMethods } from "./conversion.ts";
import { elementaryMethods } from "./elementary.ts";
import { Tensor } from "./handle.ts";
import { movementMethods } from "./movement.ts";
import { normalizationMethods } from "./normalization.ts";
import { pieceMethods } from "./pieces.ts";
import { productMethods } from "./product.ts";
import { readoutMethods } from "./readout.ts";
import { reductionMethods } from "./reduction.ts";

const families = [
  activationMethods,
  arithmeticMethods,
  comparisonMethods,
  conversionMethods,
  elementaryMethods,
  movementMethods,
  normalizationMethods,
  pieceMethods,
  productMethods,
  readoutMethods,
  reductionMethods,
];

for (const methods of families) {
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(Tensor.prototype, name, { value, writable: true, configurable: true });
  }
}

export { tensorArgument, term, unwrap, wrap } from "./handle.ts";
export { Tensor };
