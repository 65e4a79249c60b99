/**
 * Operations are declared once, as the functions that users import. A declaration has the call as text, `"sum(dim, { keepdim })"` (see
 * `entry/signature.ts`), and the code. Methods and forms in place follow from it. docs/operations.md shows how to add one.
 */
import { operation } from "../entry/operation.ts";

/** The key under which the type of a family has the type of its method. No value is stored under it. */
export declare const method: unique symbol;
/** The key of the type of its form in place. */
export declare const inPlace: unique symbol;

type Function = (...given: never[]) => unknown;

export interface Declaration {
  readonly name: string;
  /** The arguments beside the tensor. */
  readonly parameters: string;
  /** Runs it with the tensor as the first argument. */
  readonly run: Function;
  /** Computes what the form in place writes; null if there is no such form. */
  readonly written: Function | null;
}

const declarations = new Map<Function, Declaration>();

/** The name in a call: `"sum"` of `"sum(dim)"`. */
export const nameOf = (call: string): string => call.slice(0, call.indexOf("("));

/** All declarations so far, in no order. */
export const declared = (): Iterable<Declaration> => declarations.values();

/** The declaration of a function. */
export const declarationOf = (declared: Function): Declaration | undefined => declarations.get(declared);

/** Makes `run` a public function. Its first parameter is the tensor, which `call` leaves out. */
export function declare<F extends Function>(call: string, run: F, hasInPlace = false): F {
  return declareAs(call, run, hasInPlace ? run : null);
}

/** The same for a family. Its type F says more than the type of `run` can. */
export function declareAs<F extends Function>(
  call: string,
  run: Function,
  written: Function | null = null,
): F {
  const name = nameOf(call);
  const parameters = call.slice(name.length + 1, -1);
  const declared = operation<F>(name, withInput(parameters), run);
  declarations.set(declared, { name, parameters, run, written });
  return declared;
}

/** Another name for a declared operation: for the function, the method and the form in place. */
export function alias<F extends Function>(name: string, known: F): F {
  const { parameters, run, written } = declarations.get(known) as Declaration;
  return declareAs(`${name}(${parameters})`, run, written);
}

/** Adds the tensor in front of the other arguments, in every way of calling. */
const withInput = (parameters: string): string =>
  parameters
    .split("|")
    .map((way) => (way.trim() === "" ? "input" : `input, ${way.trim()}`))
    .join(" | ");

/** Makes `run` a public function that has no method. `call` names all its arguments. */
/* @__NO_SIDE_EFFECTS__ */
export function declareFunction<F extends Function>(call: string, run: F): F {
  const name = nameOf(call);
  return operation<F>(name, call.slice(name.length + 1, -1), run);
}

/**
 * The type of a function as a method's. The caller gives the function, since TypeScript follows type parameters through a call and not
 * through a type.
 */
/* @__NO_SIDE_EFFECTS__ */
export const methodOf = <S, A extends readonly unknown[], R>(
  declared: (input: S, ...rest: A) => R,
): ((this: S, ...rest: A) => R) =>
  function (this: S, ...rest: A): R {
    return declared(this, ...rest);
  };

/** The forms in place of the declarations in a file. */
export type InPlaceOf<File> = {
  readonly [Name in keyof File as File[Name] extends { readonly [inPlace]: unknown }
    ? `${Name & string}_`
    : never]: File[Name] extends { readonly [inPlace]: infer M } ? M : never;
};
