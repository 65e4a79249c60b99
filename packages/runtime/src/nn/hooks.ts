/** Hooks of modules: users see, and may replace, what goes into a module and what comes out. Source: torch.nn.Module's hooks. */
import { showArgument } from "@fuseau/ir";
import { callGiven } from "../entry/operation.ts";
import { type AnyTensor, autograd, GradientError, type HookHandle, Tensor, zeros } from "../js.ts";
import type { Module } from "./module.ts";

/** Gradients by argument, or by result; null where none flows. */
export type Gradients = readonly (AnyTensor | null)[];

/** Gets the module and the arguments of `forward`. What it gives takes their place: a list of arguments, or the only one. */
export type ForwardPreHook<M extends Module> = (module: M, args: Parameters<M["forward"]>) => unknown;

/** Gets the module, the arguments of `forward` and its result. What it gives takes the place of the result. */
export type ForwardHook<M extends Module> = (
  module: M,
  args: Parameters<M["forward"]>,
  output: ReturnType<M["forward"]>,
) => unknown;

/**
 * Gets the module, and the gradients with respect to the arguments of `forward` and to its results. A list that it gives takes the place of
 * the former.
 */
export type FullBackwardHook<M extends Module> = (
  module: M,
  gradInput: Gradients,
  gradOutput: Gradients,
) => unknown;

type AnyHook = (module: Module, ...given: unknown[]) => unknown;
type Hooks = Readonly<Record<"before" | "after" | "backward", Set<AnyHook>>>;

const hooked = new WeakMap<Module, Hooks>();

/** True if somebody may see, and keep, what goes through a module. */
export const hasHooks = (module: Module): boolean => hooked.has(module);

/** While a module has hooks it has a `forward` of its own, so that those without pay nothing. */
export function addHook(module: Module, when: keyof Hooks, hook: unknown): HookHandle {
  const hooks = hooked.get(module) ?? wrapped(module);
  const own: AnyHook = (...given) => {
    const made = callGiven(hook as AnyHook, given);
    if (made instanceof Promise)
      throw new TypeError("a hook gave a Promise: nobody awaits it, so a hook is no async function");
    return made;
  };
  hooks[when].add(own);
  return {
    remove() {
      if (!hooks[when].delete(own) || Object.values(hooks).some((set) => set.size > 0)) return;
      hooked.delete(module);
      if (inner.get(module) === undefined) Reflect.deleteProperty(module, "forward");
      else Object.defineProperty(module, "forward", inner.get(module)!);
    },
  };
}

/** The `forward` that a module had as a field. */
const inner = new WeakMap<Module, PropertyDescriptor>();

function wrapped(module: Module): Hooks {
  const hooks: Hooks = { before: new Set(), after: new Set(), backward: new Set() };
  const own = Object.getOwnPropertyDescriptor(module, "forward");
  if (own === undefined) inner.delete(module);
  else inner.set(module, own);
  const run = module.forward as (...args: unknown[]) => unknown;
  const forward = (...given: unknown[]): unknown => {
    let args: readonly unknown[] = given;
    for (const hook of [...hooks.before]) {
      const made = hook(module, args) ?? null;
      if (made !== null) args = Array.isArray(made) ? made : [made];
    }
    const backward = hooks.backward.size === 0 ? null : new BackwardHooks(module, [...hooks.backward]);
    if (backward !== null) args = backward.inputs(args);
    let output = run.apply(module, args as unknown[]);
    for (const hook of [...hooks.after]) output = hook(module, args, output) ?? output;
    return backward === null ? output : backward.outputs(output);
  };
  Object.defineProperty(module, "forward", { value: forward, configurable: true, writable: true });
  hooked.set(module, hooks);
  return hooks;
}

const isTensor = (x: unknown): x is AnyTensor => x instanceof Tensor;

/**
 * Where a list has tensors that require gradients. It is asked when the module is called: an argument of a function of `jit` is another
 * tensor afterwards, and users change their minds.
 */
const trackedPlaces = (list: readonly unknown[]): readonly number[] =>
  [...list.entries()].filter(([, x]) => isTensor(x) && x.requiresGrad).map(([place]) => place);

/** `list` with others, in order, at some of its places. */
function replaced(
  list: readonly unknown[],
  places: readonly number[],
  others: readonly unknown[],
): unknown[] {
  const made = [...list];
  for (const [k, place] of places.entries()) made[place] = others[k];
  return made;
}

/** Passes tensors on, and their gradients back through `see`. Without zeros it gets null where no gradient arrived. */
function watched(
  tensors: readonly unknown[],
  withZeros: boolean,
  see: (gradients: Gradients) => Gradients,
): readonly unknown[] {
  class ModuleHook extends autograd.Function {
    static forward(context: autograd.FunctionContext, ...given: AnyTensor[]): AnyTensor[] {
      context.setMaterializeGrads(withZeros);
      return given;
    }
    static backward(_: unknown, ...gradients: AnyTensor[]): Gradients {
      return see(gradients);
    }
  }
  return ModuleHook.apply(...(tensors as readonly AnyTensor[]));
}

/** One call of a module: gradients of its results come by before those of its arguments. It keeps none of its tensors. */
class BackwardHooks {
  readonly #module: Module;
  readonly #hooks: readonly AnyHook[];
  /** Null for each argument. */
  #nothing: readonly null[] = [];
  #hasInputs = false;
  #gradOutput: Gradients | null = null;

  constructor(module: Module, hooks: readonly AnyHook[]) {
    this.#module = module;
    this.#hooks = hooks;
  }

  inputs(args: readonly unknown[]): readonly unknown[] {
    const places = trackedPlaces(args);
    const nothing = args.map(() => null);
    this.#nothing = nothing;
    this.#hasInputs = places.length > 0;
    if (!this.#hasInputs) return args;
    const see = (gradients: Gradients): Gradients => {
      if (this.#gradOutput === null) return gradients;
      const made = this.#call(replaced(nothing, places, gradients) as Gradients);
      return places.map((place) => made[place] ?? null);
    };
    const tensors = places.map((place) => args[place]);
    return replaced(args, places, watched(tensors, true, see));
  }

  outputs(output: unknown): unknown {
    const list: readonly unknown[] = Array.isArray(output) ? output : [output];
    const places = trackedPlaces(list);
    if (places.length === 0) return output;
    const nothing = list.map(() => null);
    const tensors = places.map((place) => list[place] as AnyTensor);
    const kinds = tensors.map(({ shape, dtype }) => ({ shape, dtype }));
    const see = (gradients: Gradients): Gradients => {
      this.#gradOutput = replaced(nothing, places, gradients) as Gradients;
      if (!this.#hasInputs && this.#call(this.#nothing).some((x) => x !== null))
        throw new GradientError(
          "hook: Backward hook for Modules where no input requires gradient should always return null or null for all gradients.",
        );
      // As in PyTorch, what such a result was made of gets zeros.
      return gradients.map((x, k) => x ?? zeros(kinds[k]!.shape, { dtype: kinds[k]!.dtype }));
    };
    const made = replaced(list, places, watched(tensors, false, see));
    return Array.isArray(output) ? made : made[0];
  }

  /** The gradients of the arguments after all hooks. */
  #call(gradInput: Gradients): Gradients {
    let gradients = gradInput;
    for (const hook of this.#hooks) {
      const made = hook(this.#module, gradients, this.#gradOutput) ?? null;
      if (made === null) continue;
      const list: readonly unknown[] = Array.isArray(made) ? made : [made];
      const wrong = list.find((item) => item !== null && !isTensor(item));
      if (wrong !== undefined)
        throw new TypeError(
          `hook: expected a list of tensors and null, but the hook gave ${showArgument(wrong)}`,
        );
      if (list.length !== gradients.length)
        throw new GradientError(
          `hook: Backward hook returned an invalid number of grad_input, got ${list.length}, but expected ${gradients.length}`,
        );
      gradients = list as Gradients;
    }
    this.#gradOutput = null;
    return gradients;
  }
}
