/** Containers of modules and of parameters. Source: torch.nn.Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict. */
import { checkKind } from "../entry/kinds.ts";
import { checkMade, type Made } from "../entry/made.ts";
import type { Takes } from "../entry/methods.ts";
import type { AnyTensor } from "../js.ts";
import { didYouMean } from "../messages/nearest.ts";
import { atCaller } from "../messages/stack.ts";
import type { Flow, ThroughAll } from "./flow.ts";
import { hasHooks } from "./hooks.ts";
import { Layer } from "./layer.ts";
import { checkModule, checkModules, Module, type Named } from "./module.ts";
import { parameter } from "./parameter.ts";
import { refusedIn } from "./refused.ts";

export interface SequentialFlow<L extends readonly unknown[]> extends Flow {
  readonly output: ThroughAll<L, this["input"]>;
}

/** A function of one tensor. The type of a layer is checked by its flow. */
interface OneToOne extends Module {
  forward(input: never): unknown;
}

/** Calls modules one after another. Its type follows shapes through all of them. */
export class Sequential<const L extends readonly Module[] = readonly Module[]> extends Layer<
  SequentialFlow<L>
> {
  readonly layers: L;

  /** @throws TypeError for what is no module. */
  constructor(...layers: L) {
    checkModules(new.target, "layers", layers);
    super();
    this.layers = layers;
  }

  protected override *fields(): Iterable<Named<Module>> {
    for (const [k, layer] of this.layers.entries()) yield [String(k), layer];
  }

  override get isFresh(): boolean {
    return false;
  }

  /**
   * Disposes of what one layer passes to the next, if nobody else can have it: it keeps no memory, and does not keep parameters from being
   * written in place.
   */
  protected run(input: AnyTensor): AnyTensor {
    let [x, isOwn]: [unknown, boolean] = [input, false];
    for (const [k, layer] of this.layers.entries()) {
      const isFresh = layer instanceof Layer && layer.isFresh && !hasHooks(layer);
      const next: unknown = refusedIn(
        () => `layers[${k}], ${layer.constructor.name}`,
        () => (layer as OneToOne).forward(x as never),
      );
      // Some layers give what they were given, as dropout of nothing does.
      if (next === x) continue;
      if (isOwn && isFresh) (x as AnyTensor).dispose();
      [x, isOwn] = [next, isFresh];
    }
    return x as AnyTensor;
  }

  [Symbol.iterator](): Iterator<L[number]> {
    return this.layers[Symbol.iterator]();
  }
}

/**
 * Marks all of them as parameters.
 * @throws TypeError for what is no tensor, and as {@link parameter} does.
 */
function parametersOf<I extends object>({ name }: Made, items: I): I {
  for (const [place, item] of Object.entries(items)) {
    checkKind(name, `items[${Array.isArray(items) ? place : JSON.stringify(place)}]`, item, "tensor");
    parameter(item);
  }
  return items;
}

/** @throws RangeError when there is none of that name. */
function itemOf<R extends object, K extends keyof R>(items: R, name: K): R[K] {
  if (Object.hasOwn(items, name)) return items[name];
  const known = Object.keys(items);
  throw new RangeError(
    `there is no ${JSON.stringify(name)}${didYouMean(name, known)}; there are ${known.join(", ") || "none"}`,
  );
}

/** A list of modules. Its owner calls them. */
export class ModuleList<M extends Module = Module> extends Module {
  protected static override readonly takes: Takes = {
    at: "index: integer",
    append: "item",
    extend: "items: iterable",
    insert: "index: integer, item",
    forward: "...inputs",
  };
  readonly #items: M[];

  constructor(items: Iterable<M> = []) {
    checkMade(new.target, arguments, { iterable: { items } });
    const list = [...items];
    checkModules(new.target, "items", list);
    super();
    this.#items = list;
  }

  get length(): number {
    return this.#items.length;
  }

  /**
   * The module at a position; negative positions count from the end.
   * @throws RangeError when there is none.
   */
  at(index: number): M {
    const found = this.#items.at(index);
    if (found === undefined)
      throw new RangeError(`index ${index} is out of range (it has ${this.length} modules)`);
    return found;
  }

  append(item: M): this {
    return this.insert(this.length, item);
  }

  /** Appends all of them. */
  extend(items: Iterable<M>): this {
    const all = [...items];
    for (const [k, item] of all.entries()) checkModule(`items[${k}]`, item);
    this.#items.push(...all);
    return this;
  }

  /** Puts a module in front of the one at a position; negative positions count from the end. */
  insert(index: number, item: M): this {
    checkModule("item", item);
    this.#items.splice(index, 0, item);
    return this;
  }

  protected override *fields(): Iterable<Named<M>> {
    for (const [k, item] of this.#items.entries()) yield [String(k), item];
  }

  [Symbol.iterator](): Iterator<M> {
    return this.#items[Symbol.iterator]();
  }

  /** @throws TypeError always, as in PyTorch: a list does not say how its modules are called. */
  forward(): never {
    throw new TypeError("a ModuleList has no forward (loop over its modules, or use a Sequential)");
  }
}

/**
 * Items of type T by name, read and changed as those of a `Map` are, but that names which are integers come first, as in objects. T is a
 * parameter of its own: methods that give `R[keyof R]` would make a dict of known names no dict of any.
 */
abstract class Dict<R extends object, T> extends Module {
  protected static override readonly takes: Takes = {
    get: "name: text",
    has: "name: text",
    set: "name: text, item",
    delete: "name: text",
    keys: "",
    values: "",
    entries: "",
  };
  readonly items: R;
  /** Throws a TypeError unless it can be an item. */
  readonly #check: (item: unknown) => void;

  constructor(items: R, check: (item: unknown) => void) {
    super();
    this.items = { ...items };
    this.#check = check;
  }

  get size(): number {
    return Object.keys(this.items).length;
  }

  /** @throws RangeError when there is none of that name. */
  get<const K extends keyof R>(name: K): R[K] {
    return itemOf(this.items, name);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.items, name);
  }

  /** Adds an item, or replaces the one of that name (PyTorch: `dict[name] = item`). */
  set(name: string, item: T): this {
    this.#check(item);
    // An assignment would give a prototype to what is named "__proto__".
    Object.defineProperty(this.items, name, {
      value: item,
      writable: true,
      enumerable: true,
      configurable: true,
    });
    return this;
  }

  /** True if there was an item of that name. */
  delete(name: string): boolean {
    return this.has(name) && Reflect.deleteProperty(this.items, name);
  }

  *keys(): IterableIterator<string> {
    yield* Object.keys(this.items);
  }

  *values(): IterableIterator<T> {
    yield* Object.values(this.items) as T[];
  }

  /** Names and items, in order (PyTorch: `items()`). */
  *entries(): IterableIterator<[string, T]> {
    yield* Object.entries(this.items) as [string, T][];
  }

  [Symbol.iterator](): IterableIterator<[string, T]> {
    return this.entries();
  }

  /** Names are used as they are. */
  protected override *fields(): Iterable<Named<unknown>> {
    yield* Object.entries(this.items);
  }
}

/** Modules by name. */
export class ModuleDict<
  R extends Readonly<Record<string, Module>> = Readonly<Record<string, Module>>,
  T extends Module = R[keyof R],
> extends Dict<R, T> {
  protected static override readonly takes: Takes = { forward: "...inputs" };

  constructor(items: R = {} as R) {
    checkMade(new.target, arguments, { record: { items } });
    checkModules(new.target, "items", items);
    super(items, (item) => checkModule("item", item));
  }

  /** @throws TypeError always, as in PyTorch. */
  forward(): never {
    throw new TypeError("a ModuleDict has no forward (call the modules that it has by name)");
  }
}

/** A list of parameters. Tensors that are none become parameters. */
export class ParameterList<P extends AnyTensor = AnyTensor> extends Module {
  protected static override readonly takes: Takes = {
    at: "index: integer",
    append: "item: tensor",
    forward: "...inputs",
  };
  readonly #items: P[];

  /** @throws as {@link parameter} does. */
  constructor(items: Iterable<P> = []) {
    checkMade(new.target, arguments, { iterable: { items } });
    super();
    this.#items = atCaller(new.target, () => parametersOf(new.target, [...items]));
  }

  get length(): number {
    return this.#items.length;
  }

  /**
   * The parameter at a position; negative positions count from the end.
   * @throws RangeError when there is none.
   */
  at(index: number): P {
    const found = this.#items.at(index);
    if (found === undefined)
      throw new RangeError(`index ${index} is out of range (it has ${this.length} parameters)`);
    return found;
  }

  append(item: P): this {
    this.#items.push(parameter(item));
    return this;
  }

  protected override slots(): object {
    return this.#items;
  }

  [Symbol.iterator](): Iterator<P> {
    return this.#items[Symbol.iterator]();
  }

  /** @throws TypeError always, as in PyTorch. */
  forward(): never {
    throw new TypeError("a ParameterList has no forward (loop over its parameters)");
  }
}

/** Parameters by name. Tensors that are none become parameters. */
export class ParameterDict<
  R extends Readonly<Record<string, AnyTensor>> = Readonly<Record<string, AnyTensor>>,
  T extends AnyTensor = R[keyof R],
> extends Dict<R, T> {
  protected static override readonly takes: Takes = { forward: "...inputs" };

  /** @throws as {@link parameter} does. */
  constructor(items: R = {} as R) {
    checkMade(new.target, arguments, { record: { items } });
    super(items, (item) => parameter(item as AnyTensor));
    atCaller(new.target, () => parametersOf(new.target, this.items));
  }

  protected override slots(): object {
    return this.items;
  }

  /** @throws TypeError always, as in PyTorch. */
  forward(): never {
    throw new TypeError("a ParameterDict has no forward (take the parameters that it has by name)");
  }
}
