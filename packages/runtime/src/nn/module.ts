/** Modules: functions with parameters. PyTorch's `torch.nn.Module`, pytorch.org/docs/stable/generated/torch.nn.Module.html. */

import { showArgument } from "@fuseau/ir";
import type { Made } from "../entry/made.ts";
import { checkMethods, type Takes } from "../entry/methods.ts";
import { callGiven } from "../entry/operation.ts";
import { inspectAsText, inspected } from "../inspect.ts";
import { type AnyTensor, autograd, guarded, type HookHandle, Tensor } from "../js.ts";
import { isRecord } from "../messages/given.ts";
import { didYouMean } from "../messages/nearest.ts";
import { trimmed } from "../messages/stack.ts";
import { warnOnce } from "../messages/warning.ts";
import { keepKind } from "./fields.ts";
import { addHook, type ForwardHook, type ForwardPreHook, type FullBackwardHook } from "./hooks.ts";
import { stateName } from "./names.ts";
import {
  type BufferOptions,
  buffer,
  type FloatDType,
  isBuffer,
  isParameter,
  isPersistent,
  markAs,
  type Parameter,
  parameter,
} from "./parameter.ts";
import { type LoadOptions, type LoadResult, loadState, type StateDict } from "./state.ts";

/** Something with a name: of a module within modules, `layers.0.weight`. */
export type Named<T> = readonly [name: string, item: T];

/**
 * A function with parameters. A class extends it, keeps its parameters ({@link parameter}) and other modules as fields, or as arrays of
 * modules in fields, and has a `forward`:
 *
 * ```text
 * class Perceptron extends Module {
 *   readonly hidden = new Linear(784, 128);
 *   readonly out = new Linear(128, 10);
 *   forward(x: Tensor<[number, 784]>) {
 *     return this.out.forward(this.hidden.forward(x).relu());
 *   }
 * }
 * ```
 *
 * A field `outProj` is `out_proj` in the state dict, as PyTorch would have it. A field that has a parameter or a module refuses what is
 * none, except null.
 */
export abstract class Module {
  /** The signatures of its methods. */
  protected static readonly takes: Takes = {
    namedChildren: "",
    children: "",
    namedModules: "prefix?: text, seen",
    modules: "",
    namedParameters: "",
    parameters: "",
    namedBuffers: "",
    buffers: "",
    registerBuffer: "name: text, data: tensor?, { persistent }",
    registerParameter: "name: text, data: tensor?",
    registerModule: "name: text, module: any",
    getSubmodule: "target: text",
    getParameter: "target: text",
    getBuffer: "target: text",
    train: "training?: flag",
    eval: "",
    requiresGrad_: "requiresGrad?: flag",
    zeroGrad: "{ setToNone }",
    apply: "fn: function",
    to: "dtype: floating",
    float: "",
    double: "",
    half: "",
    stateDict: "",
    loadStateDict: "state: record, { strict }",
    registerForwardPreHook: "hook: function",
    registerForwardHook: "hook: function",
    registerFullBackwardHook: "hook: function",
    toString: "",
    keepFields: "",
  };

  constructor() {
    checkMethods(new.target);
    if (!Object.hasOwn(Module.prototype, inspected)) inspectAsText(Module.prototype);
  }

  /** True in training: dropout drops elements, and batch norm uses the statistics of the batch. */
  get training(): boolean {
    return guarded(() => this.#training);
  }

  set training(training: boolean) {
    this.#training = training;
  }

  #training = true;

  /** Computes the module's result. */
  abstract forward(...inputs: never[]): unknown;

  /** The object whose fields are its parameters and buffers. Containers keep theirs elsewhere. */
  protected slots(): object {
    return this;
  }

  readonly #kept = new Set<string>();

  /**
   * From now on fields that have a parameter, a buffer or a module refuse what is none. Layers call it at the end of their constructor;
   * for other modules it is done when somebody first asks for their parameters or modules.
   */
  protected keepFields(): void {
    if (this.slots() !== this) return;
    for (const name of Object.keys(this)) {
      const value: unknown = Reflect.get(this, name);
      if (this.#kept.has(name) || !(isParameter(value) || isBuffer(value) || isModule(value))) continue;
      this.#kept.add(name);
      keepKind(this, name, isModule);
    }
  }

  /** The name of a field in the state dict. Containers name theirs otherwise. */
  protected *fields(): Iterable<Named<unknown>> {
    this.keepFields();
    for (const [name, value] of Object.entries(this.slots())) {
      if (isModules(value)) for (const [k, item] of value.entries()) yield [`${stateName(name)}.${k}`, item];
      else {
        if (typeof value === "object" && value !== null) warnOfHidden(this, name, value);
        yield [stateName(name), value];
      }
    }
  }

  /** The modules in its own fields, each once. */
  *namedChildren(): Iterable<Named<Module>> {
    yield* once(this.#children());
  }

  /** The same; a module that is in several fields has a name for each. */
  *#children(): Iterable<Named<Module>> {
    for (const [name, value] of this.fields()) if (value instanceof Module) yield [name, value];
  }

  children(): Module[] {
    return [...this.namedChildren()].map(([, child]) => child);
  }

  /** The module itself, with the name `prefix`, and all modules within it; each once. */
  *namedModules(prefix = "", seen = new Set<Module>()): Iterable<Named<Module>> {
    if (seen.has(this)) return;
    seen.add(this);
    yield [prefix, this];
    for (const [name, child] of this.namedChildren())
      yield* child.namedModules(prefix === "" ? name : `${prefix}.${name}`, seen);
  }

  modules(): Module[] {
    return [...this.namedModules()].map(([, module]) => module);
  }

  /** Its parameters and those of all modules within it; each once, even if several modules share it. */
  namedParameters(): Named<Parameter>[] {
    return once(this.#each(isParameter));
  }

  parameters(): Parameter[] {
    return this.namedParameters().map(([, item]) => item);
  }

  namedBuffers(): Named<AnyTensor>[] {
    return once(this.#each(isBuffer));
  }

  buffers(): AnyTensor[] {
    return this.namedBuffers().map(([, item]) => item);
  }

  /**
   * Keeps a tensor that is not learned, as the field of that name; null leaves the field empty. A field can also be initialised with one:
   * `mask = buffer(ones([3]))`.
   * @throws TypeError for a name that is empty, has a dot, or is that of something else.
   */
  registerBuffer(name: string, data: AnyTensor | null, options?: BufferOptions): void {
    this.#checkName(name, "buffer", isBuffer);
    Object.assign(this, { [name]: data === null ? null : buffer(data, options) });
  }

  /**
   * Keeps a parameter as the field of that name. A tensor that is none becomes one. Null leaves the field empty.
   * @throws TypeError as {@link registerBuffer} does.
   */
  registerParameter(name: string, data: AnyTensor | null): void {
    this.#checkName(name, "parameter", isParameter);
    Object.assign(this, { [name]: data === null ? null : parameter(data) });
  }

  /**
   * Keeps a module as the field of that name.
   * @throws TypeError as {@link registerBuffer} does.
   */
  registerModule(name: string, module: Module | null): void {
    if (module !== null) checkModule("module", module);
    this.#checkName(name, "module", isModule);
    Object.assign(this, { [name]: module });
  }

  #checkName(name: string, kind: string, is: (x: unknown) => boolean): void {
    if (name === "" || name.includes("."))
      throw new TypeError(
        `the name of a ${kind} is not empty and has no dot, which joins names of modules (got ${JSON.stringify(name)})`,
      );
    const present: unknown = Reflect.get(this, name);
    if (present !== undefined && present !== null && !is(present))
      throw new TypeError(
        `attribute '${name}' already exists: ${this.constructor.name} has something of that name that is no ${kind} (take another name)`,
      );
  }

  /**
   * The module of a name, `layers.0`; with "" the module itself. One that is in several places has a name for each.
   * @throws RangeError when there is none.
   */
  getSubmodule(target: string): Module {
    return target === "" ? this : found(this, "module", target, this.#named(isModule));
  }

  /**
   * The parameter of a name as in the state dict, `layers.0.weight`.
   * @throws RangeError when there is none.
   */
  getParameter(target: string): Parameter {
    return found(this, "parameter", target, this.#named(isParameter));
  }

  /** The same for buffers. */
  getBuffer(target: string): AnyTensor {
    return found(this, "buffer", target, this.#named(isBuffer));
  }

  /** Sets training mode, or with false evaluation mode, also of all modules within it. */
  train(training = true): this {
    for (const module of this.modules()) module.training = training;
    return this;
  }

  /** {@link train}(false). */
  eval(): this {
    return this.train(false);
  }

  /** Sets whether gradients with respect to its parameters are recorded. */
  requiresGrad_(requiresGrad = true): this {
    for (const item of this.parameters()) item.requiresGrad_(requiresGrad);
    return this;
  }

  /** Disposes of the gradients of its parameters; if `setToNone` is false, they become zeros instead. */
  zeroGrad({ setToNone = true }: { readonly setToNone?: boolean } = {}): void {
    for (const item of this.parameters()) {
      if (setToNone) item.grad = null;
      else autograd.visitGrads([item], (_, grad) => grad.zero_());
    }
  }

  /** Calls `fn` with every module within it, and at last with itself. */
  apply(fn: (module: Module) => void): this {
    for (const child of this.children()) child.apply(fn);
    callGiven(fn, [this]);
    return this;
  }

  /**
   * Converts its floating parameters and buffers to a dtype. What has another dtype becomes a new tensor without a gradient, so optimizers must
   * be made afterwards; what has it already stays as it is.
   */
  to(dtype: FloatDType): this {
    const made = new Map<AnyTensor, AnyTensor>();
    for (const module of this.modules()) module.#convert(dtype, made);
    return this;
  }

  /** {@link to}("float32"). */
  float(): this {
    return this.to("float32");
  }

  /** {@link to}("float64"). */
  double(): this {
    return this.to("float64");
  }

  /** {@link to}("float16"). */
  half(): this {
    return this.to("float16");
  }

  /** Parameters and persistent buffers by name. They share their elements with the module's, and require no gradient. */
  stateDict(): StateDict {
    const state: Record<string, AnyTensor> = {};
    for (const [name, item] of this.#state()) state[name] = item.detach();
    return state;
  }

  /**
   * Writes elements over its parameters and buffers. If `strict` (true) is false, names that are missing or unknown are ignored. Nothing is
   * written unless everything fits.
   * @throws TypeError for names that are missing or unknown; ShapeError for another shape, with its name.
   */
  loadStateDict(state: StateDict, options?: LoadOptions): LoadResult {
    return loadState(this.constructor.name, new Map(this.#state()), state, options);
  }

  /**
   * Calls `hook(module, args)` before each `forward`; if it gives something, that takes the place of the arguments. Hooks are called in the
   * order in which they were registered, until `remove()` of the handle. A function of `jit` calls them when it is recorded.
   */
  registerForwardPreHook<M extends Module>(this: M, hook: ForwardPreHook<M>): HookHandle {
    return addHook(this, "before", hook);
  }

  /** Calls `hook(module, args, output)` after each `forward`; if it gives something, that takes the place of the result. */
  registerForwardHook<M extends Module>(this: M, hook: ForwardHook<M>): HookHandle {
    return addHook(this, "after", hook);
  }

  /**
   * Calls `hook(module, gradInput, gradOutput)` in each backward pass, with a gradient or null for each argument of `forward` and each
   * result; if it gives a list, that takes the place of `gradInput`.
   */
  registerFullBackwardHook<M extends Module>(this: M, hook: FullBackwardHook<M>): HookHandle {
    return addHook(this, "backward", hook);
  }

  /** Its class and fields, tensors by their shapes, and the modules within it, each on a line: what a console shows of it. */
  toString(): string {
    const [own, children]: [string[], string[]] = [[], []];
    for (const [name, value] of Object.entries(this.slots()))
      if (value instanceof Tensor) own.push(`${name}: [${value.shape.join(", ")}]`);
      else if (["number", "boolean", "string"].includes(typeof value)) own.push(`${name}: ${String(value)}`);
    if (shown.has(this)) return `${this.constructor.name}(…)`;
    shown.add(this);
    try {
      for (const [name, child] of this.#children())
        children.push(`  (${name}): ${String(child).replaceAll("\n", "\n  ")}\n`);
    } finally {
      shown.delete(this);
    }
    const lines = children.length === 0 ? "" : `\n${children.join("")}`;
    return `${this.constructor.name}(${own.join(", ")}${lines})`;
  }

  *#state(): Iterable<Named<AnyTensor>> {
    yield* this.#named((x): x is AnyTensor => isParameter(x) || (isBuffer(x) && isPersistent(x)));
  }

  /** Those of every module, in the order of modules and of their fields. */
  *#each<T>(is: (x: unknown) => x is T): Iterable<Named<T>> {
    for (const [name, module] of this.namedModules()) yield* module.#own(is, name === "" ? "" : `${name}.`);
  }

  /** The same, but a module that is in several places has a name for each. */
  *#named<T>(is: (x: unknown) => x is T, prefix = "", path: readonly Module[] = []): Iterable<Named<T>> {
    if (path.includes(this))
      throw new TypeError(
        `the ${this.constructor.name} at ${JSON.stringify(prefix.slice(0, -1))} is within itself, and has no end of names (keep what it is a part of elsewhere, such as in a private field)`,
      );
    yield* this.#own(is, prefix);
    for (const [name, child] of this.#children())
      yield* child.#named(is, `${prefix}${name}.`, [...path, this]);
  }

  *#own<T>(is: (x: unknown) => x is T, prefix: string): Iterable<Named<T>> {
    const names = new Set<string>();
    for (const [name, value] of this.fields()) {
      if (!is(value)) continue;
      if (names.has(name))
        throw new TypeError(`two fields of ${this.constructor.name} are named ${name} in the state dict`);
      names.add(name);
      yield [prefix + name, value];
    }
  }

  #convert(dtype: FloatDType, made: Map<AnyTensor, AnyTensor>): void {
    const slots = this.slots();
    for (const [name, value] of Object.entries(slots)) {
      if (!isParameter(value) && !(isBuffer(value) && value.isFloatingPoint())) continue;
      if (value.dtype === dtype) continue;
      const other = made.get(value) ?? markAs(value, value.detach().to(dtype).clone());
      made.set(value, other);
      Object.assign(slots, { [name]: other });
    }
  }
}

/** The modules whose text is being made: one that is within itself is not shown again. */
const shown = new Set<Module>();

/** @throws TypeError unless it is a module. */
export function checkModule(argument: string, given: unknown): void {
  if (!isModule(given)) throw new TypeError(`${argument} must be a Module, but got ${showArgument(given)}`);
}

/** @throws TypeError unless it is a list (or record) of modules; with the stack of the code that makes a `made`. */
export function checkModules(made: Made, argument: string, given: object): void {
  const wrong = Object.entries(given ?? {}).find(([, item]) => !(item instanceof Module));
  if (wrong === undefined && typeof given === "object" && given !== null) return;
  const [place, item] = wrong ?? ["", given];
  const said =
    wrong === undefined ? argument : `${argument}[${/^\d+$/.test(place) ? place : JSON.stringify(place)}]`;
  const hint = Array.isArray(item) ? `; modules stand one by one: new ${made.name}(...layers)` : "";
  throw trimmed(
    new TypeError(`${made.name}: ${said} must be a Module, but got ${showArgument(item)}${hint}`),
    made,
  );
}

/** Modules and parameters in a field that is no list of modules: nobody finds them there, as in PyTorch's plain lists and dicts. */
function warnOfHidden(module: Module, name: string, field: object): void {
  const owner = module.constructor.name;
  if (field instanceof Module || !(Array.isArray(field) || isRecord(field) || field instanceof Map)) return;
  const items: readonly unknown[] = field instanceof Map ? [...field.values()] : Object.values(field);
  if (items.some((item) => item instanceof Module || isParameter(item)))
    warnOnce(
      `hidden ${owner} ${name}`,
      `${owner}: modules and parameters in the field "${name}" are not found by parameters() and stateDict(). An array of modules alone is, and so are new ModuleDict({ … }), new ParameterList([ … ]) and new ParameterDict({ … }).`,
    );
}

const isModule = (value: unknown): value is Module => value instanceof Module;

const isModules = (value: unknown): value is readonly Module[] =>
  Array.isArray(value) && value.length > 0 && value.every(isModule);

function found<T>(owner: Module, kind: string, target: string, named: Iterable<Named<T>>): T {
  const all = new Map(named);
  if (all.has(target)) return all.get(target) as T;
  throw new RangeError(
    `${owner.constructor.name} has no ${kind} ${JSON.stringify(target)}${didYouMean(target, [...all.keys()])}`,
  );
}

function once<T>(named: Iterable<Named<T>>): Named<T>[] {
  const seen = new Set<T>();
  return [...named].filter(([, item]) => !seen.has(item) && seen.add(item));
}
