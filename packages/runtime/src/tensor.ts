/** The class with its methods: all declarations in `members/declared.ts` are put on the prototype here. */
import { type Declaration, declared } from "./declare/declaration.ts";
import { dispose } from "./dispose.ts";
import { operation } from "./entry/operation.ts";
import { gradientWrites } from "./functions/gradient-properties.ts";
import { inspectAsText } from "./inspect.ts";
import { brand } from "./messages/given.ts";
import "./members/declared.ts";
import { inPlaceForm } from "./methods/inplace.ts";
import { refuseMistakes } from "./methods/mistakes.ts";
import { properties } from "./methods/properties.ts";
import { Tensor } from "./tensor/handle.ts";

type Method = (this: never, ...given: never[]) => unknown;

asTable(Tensor.prototype);
for (const declaration of declared()) define(declaration);
put(dispose, Tensor.prototype.dispose);

/** Puts a declared function on the prototype. */
function define({ name, parameters, run, written }: Declaration): void {
  put(name, operation(name, parameters, asMethod(run), Tensor));
  if (written !== null)
    put(`${name}_`, operation(`${name}_`, parameters, inPlaceForm(name, written), Tensor));
}

/**
 * V8 stores an object that lost a property as a hash table, until it is read through an instance. As a fast object it would copy the list
 * of all its methods for each of the 900 that are added: 10 ms.
 */
function asTable(object: object): void {
  Object.defineProperty(object, "lost", { value: 0, configurable: true });
  Reflect.deleteProperty(object, "lost");
}

function asMethod(run: (...given: never[]) => unknown): Method {
  const call = run as (...given: unknown[]) => unknown;
  return function (this: unknown, ...rest: unknown[]): unknown {
    return call(this, ...rest);
  };
}

function put(name: string | symbol, value: unknown): void {
  Object.defineProperty(Tensor.prototype, name, { value, writable: true, configurable: true });
}

/** Messages name `Symbol.iterator` as `iterator`. */
const labelOf = (name: string | symbol): string =>
  String(typeof name === "symbol" ? name.description : name).replace(/^Symbol\./, "");

for (const name of Reflect.ownKeys(properties) as (keyof typeof properties)[])
  Object.defineProperty(Tensor.prototype, name, {
    get: operation(labelOf(name), "", properties[name]),
    configurable: true,
  });

for (const name of Object.keys(gradientWrites) as (keyof typeof gradientWrites)[])
  Object.defineProperty(Tensor.prototype, name, {
    ...Object.getOwnPropertyDescriptor(Tensor.prototype, name),
    set: operation(name, "value", gradientWrites[name]),
  });

inspectAsText(Tensor.prototype);
Object.defineProperty(Tensor.prototype, brand, { value: true });
refuseMistakes(Tensor.prototype);

export { Tensor };
