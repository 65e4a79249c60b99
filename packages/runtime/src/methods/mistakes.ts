/**
 * Refuses what JavaScript would answer wrongly or with an error that explains nothing: operators, brackets, and names that tensors have in
 * other libraries.
 */
import { operation } from "../entry/operation.ts";
import { atCaller } from "../messages/stack.ts";
import type { AnyTensor } from "../tensor/types.ts";

const elsewhere: Readonly<Record<string, string>> = {
  numpy: "toTypedArray() gives the elements, toArray() nested arrays",
  tolist: "toArray() gives nested arrays",
  astype: "to(dtype) casts",
  cpu: "there are no devices to choose from",
  cuda: "there are no devices to choose from",
};

/** Brackets look up a property by name, so only the first indices can be refused. A loop begins there. */
const PLACES = 8;

export function refuseMistakes(prototype: AnyTensor): void {
  for (const [name, way] of Object.entries(elsewhere))
    Object.defineProperty(prototype, name, { value: refusal(name, way), configurable: true });
  for (const place of [-1, ...Array(PLACES).keys()]) {
    const write = `x.select(0, ${place}).copy_(…) and x.assign_([${place}], …) write`;
    Object.defineProperty(prototype, place, {
      get: refusal(
        `x[${place}]`,
        `brackets read no elements; x.select(0, ${place}) or x.slice(${place}) does`,
      ),
      set: refusal(`x[${place}]`, `brackets write no elements; ${write}`),
      configurable: true,
    });
  }
  Object.defineProperty(prototype, "length", {
    get: refusal("length", "a tensor has none; x.shape[0] is the number of rows, x.numel() that of elements"),
    configurable: true,
  });
  Object.defineProperty(prototype, Symbol.toPrimitive, { value: toPrimitive, configurable: true });
}

const refusal = (name: string, way: string): (() => never) =>
  operation(name, "...given", () => {
    throw new TypeError(`${name}: ${way}`);
  });

/** `String(x)` and templates, which are not operators. */
const asText: (this: AnyTensor) => string = operation("String", "", function (this: AnyTensor): string {
  return this.toString();
});

const asOperand = refusal(
  "operator",
  "a tensor is no operand of JavaScript's operators: x.add(y), x.mul(2), x.lt(y) … are for that; x.item() is its number, String(x) its text",
);

function toPrimitive(this: AnyTensor, hint: string): string {
  return atCaller(toPrimitive, () => (hint === "string" ? asText.call(this) : asOperand()));
}
