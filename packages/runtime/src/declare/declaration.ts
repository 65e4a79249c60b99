/**
 * Operations are declared once, as the functions that users import. A declaration gives the call as text, `"sum(dim, { keepdim })"`
 * (see `entry/signature.ts`), and what it does. Methods and forms in place follow from it. docs/operations.md shows how to
 * add one.
 */
import { operation } from "../entry/operation.ts";

/** Where the type of a family keeps the type of its method; nothing is stored under it. */
export declare const method: unique symbol;
/** The same of its form in place. */
export declare const inPlace: unique symbol;

type Function = (...given: never[]) => unknown;

export interface Declaration {
  readonly name: string;
  /** What it takes beside the tensor. */
  readonly parameters: string;
  /** The tensor first. */
  readonly run: Function;
  /** What its form in place writes; null where it has none. */
  readonly written: Function | null;
}

const declarations = new Map<Function, Declaration>();

/** `"sum"` of `"sum(dim)"`. */
export const nameOf = (call: string): string => call.slice(0, call.indexOf("("));

/** What is declared so far, in no order. */
export const declared = (): Iterable<Declaration> => declarations.values();

/** What was declared as this function. */
export const declarationOf = (declared: Function): Declaration | undefined => declarations.get(declared);

/** `run` as users call it. Its first parameter is the tensor, which `call` leaves out. */
export function declare<F extends Function>(call: string, run: F, hasInPlace = false): F {
  return declareAs(call, run, hasInPlace ? run : null);
}

/** The same for a family, whose type F says what `run` cannot. */
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

/** Another name for what is declared: the function, the method and the form in place. */
export function alias<F extends Function>(name: string, known: F): F {
  const { parameters, run, written } = declarations.get(known) as Declaration;
  return declareAs(`${name}(${parameters})`, run, written);
}

/** The tensor in front of what else it takes, in every way of calling. */
const withInput = (parameters: string): string =>
  parameters
    .split("|")
    .map((way) => (way.trim() === "" ? "input" : `input, ${way.trim()}`))
    .join(" | ");

/** `run` as users call it, where it is no method. `call` names all that it takes. */
/* @__NO_SIDE_EFFECTS__ */
export function declareFunction<F extends Function>(call: string, run: F): F {
  const name = nameOf(call);
  return operation<F>(name, call.slice(name.length + 1, -1), run);
}

/** The type of a function as a method's. TypeScript can follow type parameters through a call, and not through a type. */
/* @__NO_SIDE_EFFECTS__ */
export const methodOf = <S, A extends readonly unknown[], R>(
  declared: (input: S, ...rest: A) => R,
): ((this: S, ...rest: A) => R) =>
  function (this: S, ...rest: A): R {
    return declared(this, ...rest);
  };

/** The forms in place of a file of declarations. */
export type InPlaceOf<File> = {
  readonly [Name in keyof File as File[Name] extends { readonly [inPlace]: unknown }
    ? `${Name & string}_`
    : never]: File[Name] extends { readonly [inPlace]: infer M } ? M : never;
};
