/** Modules as functions of their parameters. */
import { showArgument } from "@fuseau/ir";
import { aliasOf } from "../../alias/alias.ts";
import { leavesOf } from "../../autograd/tree.ts";
import { declareFunction } from "../../declare/declaration.ts";
import { asUser } from "../../entry/operation.ts";
import { isRecord } from "../../messages/given.ts";
import { aliasKey, setAlias, setValue, type Tensor, unwrap } from "../../tensor/handle.ts";
import type { AnyTensor } from "../../tensor/types.ts";

/** What is needed of a module; those of `fuseau/nn` have it. */
export interface ModuleLike<A extends readonly unknown[], R> {
  forward(...args: A): R;
  namedParameters(): Iterable<readonly [name: string, parameter: AnyTensor]>;
  namedBuffers(): Iterable<readonly [name: string, buffer: AnyTensor]>;
}

/**
 * The result of `module.forward(...args)` with other parameters and buffers in place of its own, by their names in the state dict. Those
 * that are not named stay. So a module is a function of its parameters, for {@link grad} and {@link vmap}: `func.grad((params) =>
 * loss(func.functionalCall(model, params, [x])))(params)`.
 * @throws TypeError for a name that the module does not have.
 */
export const functionalCall = declareFunction(
  "func.functionalCall(module, parameters, args)",
  <A extends readonly unknown[], R>(
    module: ModuleLike<A, R>,
    parameters: Readonly<Record<string, AnyTensor>>,
    args: A,
  ): R => {
    checkModule(module);
    const own = new Map([...module.namedParameters(), ...module.namedBuffers()]);
    leavesOf("func.functionalCall", "parameters", parameters);
    if (!Array.isArray(args as unknown))
      throw new TypeError(
        `args is an array, one entry for each argument of forward: [x], but got ${showArgument(args)}`,
      );
    for (const name of Object.keys(parameters))
      if (!own.has(name))
        throw new TypeError(
          `the module has no parameter or buffer ${name} (it has ${[...own.keys()].join(", ")})`,
        );
    const replaced = Object.entries(parameters).map(([name, given]) =>
      standIn(own.get(name) as Tensor, given),
    );
    try {
      return asUser(() => module.forward(...args));
    } finally {
      for (const restore of replaced.reverse()) restore();
    }
  },
);

function checkModule(module: unknown): void {
  const has = (name: string): boolean =>
    isRecord(module) && typeof (module as Readonly<Record<string, unknown>>)[name] === "function";
  if (!["forward", "namedParameters", "namedBuffers"].every(has))
    throw new TypeError(`module must be a module of fuseau/nn, but got ${showArgument(module)}`);
}

/** Makes a tensor stand for another, writes included, until the returned function is called. */
function standIn(tensor: Tensor, other: AnyTensor): () => void {
  const [value, alias] = [unwrap(tensor), tensor[aliasKey]];
  setValue(tensor, unwrap(other));
  setAlias(tensor, { ...aliasOf(other) });
  return () => {
    setAlias(tensor, null);
    setValue(tensor, value);
    setAlias(tensor, alias);
  };
}
