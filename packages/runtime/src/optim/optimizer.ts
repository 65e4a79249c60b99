/** Optimizers: parameters in groups, and one update of all of them. PyTorch's `torch.optim.Optimizer`, pytorch.org/docs/stable/optim.html. */

import { showArgument } from "@fuseau/ir";
import { callSite } from "../compat/call-site.ts";
import { checkKind } from "../entry/kinds.ts";
import { checkMade, checkOptions, type Given } from "../entry/made.ts";
import { checkMethods, type Takes } from "../entry/methods.ts";
import { callGiven } from "../entry/operation.ts";
import { type AnyTensor, autograd, compute, enableGrad, guarded, Tensor, tensor } from "../js.ts";
import { checkStored } from "../messages/given.ts";
import { trimmed } from "../messages/stack.ts";
import { warnOnce } from "../messages/warning.ts";
import { checkGroup, checkParams, checkRanges, kindsOf } from "./check.ts";

/** A parameter, its gradient, or a tensor that an optimizer keeps for it. */
export type Floating = Tensor<number[], "float16" | "float32" | "float64">;

/** The state of one parameter, by PyTorch's names: tensors of its shape, and numbers. */
export type State = Record<string, Floating | number>;

/** Parameters with options of their own. Options may be changed between steps. */
export type ParamGroup<O> = O & { readonly params: Floating[] };

/** Parameters, or groups of them. An option that a group lacks is the optimizer's own. */
export type Params<O> = Iterable<AnyTensor> | Iterable<ParamOptions<O>>;

export type ParamOptions<O> = Partial<O> & { readonly params: Iterable<AnyTensor> };

/** The result of {@link Optimizer.stateDict}. Parameters are numbered in the order of their groups. */
export interface OptimizerState<O> {
  readonly state: Readonly<Record<number, Readonly<Record<string, AnyTensor | number>>>>;
  readonly paramGroups: readonly (O & { readonly params: readonly number[] })[];
}

/**
 * Updates parameters in place by their gradients. A step computes parameters and their state in one program with the gradients, and with
 * the loss if that is not computed yet.
 */
export abstract class Optimizer<O extends object = { lr: number }> {
  /** The signatures of its methods. */
  protected static readonly takes: Takes = {
    addParamGroup: "group",
    step: "closure?: function",
    zeroGrad: "{ setToNone }",
    stateDict: "",
    loadStateDict: "state: record",
  };
  readonly paramGroups: ParamGroup<O>[] = [];
  readonly state: Map<AnyTensor, State> = new Map<AnyTensor, State>();
  /** The options of groups that have none of their own. */
  readonly defaults: O;
  readonly #made: AnyTensor[] = [];

  /**
   * @throws TypeError for no parameters at all, what is no tensor, a tensor that is no leaf, or one that is given twice; for an option that
   * `defaults` does not have, or one of another kind; RangeError for one that is out of range.
   */
  constructor(params: Params<O>, defaults: O, options: Partial<O> = {}, given: Given = [params, options]) {
    try {
      const { name } = new.target;
      checkParams(name, params);
      checkMade(new.target, given, { any: { params } }, options, kindsOf(defaults));
      checkMethods(new.target);
      this.defaults = { ...defaults, ...options };
      const list = [...params];
      if (list.length === 0) throw new TypeError(`${name}: optimizer got an empty parameter list`);
      if (list.some((item) => item instanceof Tensor)) this.#add(name, list as AnyTensor[], {});
      else for (const group of list) this.#addGroup(name, group as ParamOptions<O>);
    } catch (error) {
      throw trimmed(error, new.target);
    }
  }

  /**
   * Adds a group, for instance of layers that are to learn from now on.
   * @throws as the constructor does.
   */
  addParamGroup(group: ParamOptions<O>): void {
    this.#addGroup("addParamGroup", group);
  }

  #addGroup(op: string, group: ParamOptions<O>): void {
    checkGroup(op, group);
    const { params, ...options } = group;
    checkParams(op, params);
    checkOptions(op, options, kindsOf(this.defaults));
    this.#add(op, [...params], options);
  }

  #add(op: string, params: readonly AnyTensor[], options: object): void {
    const known = new Set<AnyTensor>(this.#all());
    for (const [k, item] of params.entries()) {
      if (!(item instanceof Tensor))
        throw new TypeError(`${op}: optimizer can only optimize Tensors (params[${k}] is none)`);
      if (!item.isLeaf) throw new TypeError(`${op}: can't optimize a non-leaf Tensor (params[${k}])`);
      if (known.has(item))
        throw new TypeError(`${op}: some parameters appear in more than one parameter group (params[${k}])`);
      known.add(item);
    }
    const own = { ...this.defaults, ...options };
    this.check(own);
    const group = { ...own, params: params as Floating[] };
    // One by one: equal tensors that are computed together would share their elements, and could not be written in place.
    for (const item of params) compute(item);
    this.paramGroups.push(group);
  }

  /**
   * Updates all parameters that have a gradient. A `closure` computes the loss again and runs it backward; then its loss is returned. A
   * step that fails leaves the parameters as they were.
   */
  step(): void;
  step<L>(closure: () => L): L;
  step<L>(closure?: () => L): L | undefined {
    const { paramGroups } = this;
    const loss = closure === undefined ? undefined : enableGrad(() => callGiven(closure, []));
    const written: AnyTensor[] = [];
    const earlier: (readonly [State, State])[] = [];
    guarded(() => paramGroups.map(({ params }) => params.length).join());
    steppedOnce.add(this);
    for (const [k, group] of paramGroups.entries()) {
      checkRate(k, group);
      guarded(() => settingsOf(group));
      autograd.visitGrads(group.params, (item, grad) => {
        const state = guarded(() => this.#stateOf(item, group));
        earlier.push([state, { ...state }]);
        this.update(item, grad as Floating, state, group);
        for (const made of this.#made.splice(0)) made.dispose();
        written.push(item, grad, ...tensorsOf(state));
      });
    }
    if (written.length === 0) warnOfNoGradient(this);
    try {
      autograd.computeUpdate(written);
    } catch (error) {
      for (const [state, before] of earlier) Object.assign(state, before);
      throw error;
    }
    return loss;
  }

  /** Disposes of all gradients; if `setToNone` is false, they become zeros instead. */
  zeroGrad({ setToNone = true }: { readonly setToNone?: boolean } = {}): void {
    for (const item of this.#all()) {
      if (setToNone) item.grad = null;
      else autograd.visitGrads([item], (_, grad) => grad.zero_());
    }
  }

  /** Its state and options. The tensors are its own: save them, and do not write to them. */
  stateDict(): OptimizerState<O> {
    const state: Record<number, State> = {};
    let next = 0;
    for (const [k, item] of this.#all().entries()) {
      const own = this.state.get(item);
      if (own !== undefined) state[k] = { ...own };
    }
    return {
      state,
      paramGroups: this.paramGroups.map((group) => ({
        ...group,
        params: group.params.map(() => next++),
      })),
    };
  }

  /**
   * Loads a copy of the state of another optimizer of the same class.
   * @throws TypeError when groups have different sizes.
   */
  loadStateDict({ state, paramGroups }: OptimizerState<O>): void {
    checkKind("loadStateDict", "the entry state", state, "record");
    checkKind("loadStateDict", "paramGroups", paramGroups, "list");
    for (const group of paramGroups) {
      checkKind("loadStateDict", "a group of params", group, "record");
      const { params, ...options } = group;
      checkKind("loadStateDict", "params of a group", params, "list");
      checkOptions("loadStateDict", options, kindsOf(this.defaults));
    }
    const sizes = (groups: readonly { readonly params: readonly unknown[] }[]): string =>
      groups.map(({ params }) => params.length).join();
    if (sizes(paramGroups) !== sizes(this.paramGroups))
      throw new TypeError(
        "loadStateDict: loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
      );
    const numbers = paramGroups.flatMap(({ params }) => params);
    for (const [k, item] of this.#all().entries()) {
      const given = state[numbers[k]!];
      if (given === undefined) this.state.delete(item);
      else this.state.set(item, copyOf(given, item));
    }
    for (const [k, group] of this.paramGroups.entries())
      Object.assign(group, { ...paramGroups[k], params: group.params });
  }

  /** @throws RangeError for options that are out of range. */
  protected check(options: O): void {
    checkRanges(this, options);
  }

  /** The state of a parameter before its first update. Tensors are made by {@link kept}; those of options by {@link keptIn} when they are needed. */
  protected abstract begin(param: Floating, group: O): State;

  /**
   * Records the writes of one update. Every intermediate tensor goes through {@link passing}. What changes from step to step, such as the
   * learning rate, goes through `perCall` or `guarded`, so that a jitted step reads it anew.
   */
  protected abstract update(param: Floating, grad: Floating, state: State, group: O): void;

  /** The number of this update, from 1 on. Call it once for each update, within `perCall`. */
  protected counted(state: State): number {
    state.step = (state.step as number) + 1;
    return state.step;
  }

  /** The gradient, negated to ascend, with weight decay added. */
  protected decayed(
    param: Floating,
    grad: Floating,
    { weightDecay, maximize }: { readonly weightDecay: number; readonly maximize: boolean },
  ): Floating {
    const rising = maximize ? this.passing(grad.neg()) : grad;
    return weightDecay === 0 ? rising : this.passing(rising.add(param, { alpha: weightDecay }));
  }

  /** Disposes of a tensor before the update is computed: while somebody has one, parameters cannot be written in place. */
  protected passing<T extends AnyTensor>(made: T): T {
    this.#made.push(made);
    return made;
  }

  /**
   * A stored tensor of zeros with a parameter's shape and dtype. It shares its elements with no other, so that the first step can write it
   * in place too.
   */
  protected kept(param: Floating, value = 0): Floating {
    const { dtype, shape } = param;
    const array = dtype === "float64" ? new Float64Array(param.numel()) : new Float32Array(param.numel());
    return tensor(array.fill(value), { dtype, shape }).compute();
  }

  /** A tensor of the state that an option asks for, which may have been set after the first step: {@link kept} at first. */
  protected keptIn(state: State, name: string, param: Floating, value = 0): Floating {
    return guarded(() => (state[name] ??= this.kept(param, value))) as Floating;
  }

  #stateOf(item: Floating, group: ParamGroup<O>): State {
    let state = this.state.get(item);
    if (state === undefined) {
      state = this.begin(item, group);
      this.state.set(item, state);
    }
    return state;
  }

  #all(): Floating[] {
    return this.paramGroups.flatMap(({ params }) => params);
  }
}

/** Optimizers that have made a step. The schedule of any other warns. */
export const steppedOnce: WeakSet<object> = new WeakSet<object>();

/** Checks what is most often changed between steps. @throws TypeError for a rate that is no number. */
function checkRate(k: number, group: object): void {
  if ("lr" in group && typeof group.lr !== "number")
    throw new TypeError(`paramGroups[${k}].lr must be a number, but got ${showArgument(group.lr)}`);
}

/** Warns of a step that changes nothing. */
export function warnOfNoGradient(optimizer: object): void {
  const site = callSite();
  warnOnce(
    `step ${site}`,
    `${optimizer.constructor.name}: step: none of the parameters has a gradient, and nothing was changed. Call loss.backward() before it; an optimizer is made after what gives a module other parameters, such as model.to(…). (at ${site})`,
  );
}

/** What a jitted step is recorded for. Learning rates are not in it: they are read anew at each call. */
const settingsOf = ({ params: _, lr: __, ...rest }: ParamGroup<object> & { readonly lr?: unknown }): string =>
  Object.values(rest).join();

const tensorsOf = (state: State): Floating[] =>
  Object.values(state).filter((item): item is Floating => typeof item !== "number");

const copyOf = (state: Readonly<Record<string, AnyTensor | number>>, { dtype }: Floating): State =>
  Object.fromEntries(
    Object.entries(state).map(([name, item]) => [
      name,
      typeof item === "number" ? item : checkStored(name, item).detach().to(dtype).clone().compute(),
    ]),
  );
