/** The first call of a signature: calls the function, computes its results, and keeps how they were made. */
import { elementCount, sameNumbers } from "@fuseau/ir";
import { abandonTensor, become, disposeTensor, twin } from "../alias/alias.ts";
import { computeAllOrNone, computeTensors } from "../alias/undo.ts";
import { gradientAt, restWith } from "../autograd/leaf.ts";
import { callGiven } from "../entry/operation.ts";
import { type Computed, computeAlone } from "../execute/compute.ts";
import { isOfElements } from "../execute/programs/failure.ts";
import type { Options } from "../options.ts";
import type { Storage } from "../storage.ts";
import { type Leaf, recording } from "../tape/step.ts";
import type { Cell } from "../tensor/cell.ts";
import { aliasKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { withTracing } from "../tracing.ts";
import type { Value } from "../value.ts";
import { isWhole } from "../window/window.ts";
import { directOf } from "./direct.ts";
import { type Entry, type From, type Gradient, type Known, type Made, refused, type Tree } from "./entry.ts";
import { type Given, kindOf, type Place, placesOf, sameForm, standInsFor } from "./signature.ts";
import { type Input, type Source, Trace } from "./trace.ts";
import { treeOf, treeWith } from "./tree.ts";
import { isView } from "./views.ts";

type Function = (...args: readonly unknown[]) => unknown;

const LEAKED =
  "compute: the tensor was made inside a jitted function, which did not return it: there is one only while that is recorded (return it, or make it outside)";

/** The result of the first call, and the entry for later ones. */
export interface Recorded {
  readonly result: unknown;
  readonly entry: Entry;
}

export function recordCall(
  fn: Function,
  args: readonly unknown[],
  isStatic: (k: number) => boolean,
  options: Options,
  copiesViews: boolean,
): Recorded {
  const given: Given = { tensors: [], numbers: [] };
  const places = placesOf(args, isStatic, given);
  const isGradOn = recording.isActive;
  const trace = new Trace(options, given.numbers);
  const twins = new Map<AnyTensor, AnyTensor>();
  for (const tensor of given.tensors) {
    if (twins.has(tensor)) continue;
    const isCopied = copiesViews && isView(tensor);
    const stand = isCopied ? wrap(unwrap(tensor)) : twin(tensor);
    twins.set(tensor, stand);
    restWith(stand, tensor);
    trace.note(stand, { is: "argument" }, isCopied);
  }
  const standIns = standInsFor(places, args, (tensor) => twins.get(tensor) as AnyTensor);
  const before = given.tensors.map((tensor) => twins.get(tensor));
  try {
    const output = withTracing(trace, () => callGiven(fn, standIns));
    checkUnchanged(standIns, isStatic, places, before);
    const made: AnyTensor[] = [];
    const tree = treeOf(output, "what the function gives", made);
    // What is given back and was there before is captured, even if no operation uses it.
    for (const tensor of made) trace.use(tensor);
    const originals = new Map([...twins].map(([tensor, stand]) => [stand, tensor]));
    const outcome = new Outcome(trace, made, originals);
    const entry = outcome.finish(
      places,
      given.tensors.map((tensor) => trace.positionOf(twins.get(tensor) as AnyTensor) as number),
      tree,
      isGradOn,
      options,
    );
    const own = made.map((tensor) => originals.get(tensor) ?? tensor);
    return { result: treeWith(tree, own), entry };
  } finally {
    for (const stand of twins.values()) abandonTensor(stand, LEAKED);
  }
}

/** @throws TypeError when the function has changed the arrays and objects that it was given: they are copies of the caller's. */
function checkUnchanged(
  args: readonly unknown[],
  isStatic: (k: number) => boolean,
  places: readonly Place[],
  before: readonly unknown[],
): void {
  const now: Given = { tensors: [], numbers: [] };
  const found = placesOf(args, isStatic, now);
  if (!places.every((place, k) => sameForm(place, found[k] as Place)))
    throw new TypeError(
      "jit: the function writes into the arrays or objects that it is given, which would be done at the first call alone, and to a copy (return what it makes, or name the argument's place in { static: […] })",
    );
  if (now.tensors.length !== before.length || now.tensors.some((tensor, k) => tensor !== before[k]))
    throw new TypeError(
      "jit: the function puts other tensors into the arrays or objects that it is given, which would be done at the first call alone (return them, or write in place: x.copy_(…))",
    );
}

/** How a tensor that the function made is returned; a placeholder until it is known where its elements come from. */
type Plan = Exclude<Made, { is: "fresh" }> | { readonly is: "fresh"; readonly value: Value };

/** The tensors that a traced call leaves. */
class Outcome {
  readonly #trace: Trace;
  /** What the call returns, followed by gradients that it leaves. */
  readonly #made: AnyTensor[];
  /** By twins of arguments. */
  readonly #originals: ReadonlyMap<AnyTensor, AnyTensor>;
  readonly #wanted = new Map<Value, number>();
  /** What later calls read. */
  readonly #needed: Source[] = [];

  constructor(trace: Trace, made: AnyTensor[], originals: ReadonlyMap<AnyTensor, AnyTensor>) {
    this.#trace = trace;
    this.#made = [...made];
    this.#originals = originals;
  }

  finish(
    places: readonly Place[],
    order: readonly number[],
    results: Tree,
    isGradOn: boolean,
    options: Options,
  ): Entry {
    const trace = this.#trace;
    const gradients = this.#gradients();
    const written = this.#written();
    const cells: Cell[] = [];
    const plans = this.#made.map((tensor) => this.#planOf(tensor, cells));
    this.#checkCopied(written, plans);
    const needed = [
      ...written.map(({ value }) => value),
      ...plans.flatMap((plan) => (plan.is === "fresh" ? [plan.value] : [])),
      ...cells.map(({ value }) => value),
    ];
    for (const value of needed) this.#want(value);
    if (trace.refusal !== null) return this.#refuse(places, isGradOn, options);
    this.#abandonRest(cells);
    const computed = this.#compute(options);
    const from = (value: Value): From => this.#from(value);
    const given = this.#givenOf(computed);
    const entry: Omit<Entry, "direct"> = {
      places,
      isGradOn,
      options,
      refusal: null,
      order,
      inputs: trace.inputs.map((input) => this.#known(input)),
      withoutGradient: [...trace.leaves].flatMap(([leaf, found]) =>
        found === null && this.#ownerOf(leaf) >= 0 ? [this.#ownerOf(leaf)] : [],
      ),
      guards: trace.guards,
      thunks: trace.thunks,
      isAliasing:
        written.length > 0 ||
        trace.inputs.some(({ leader }, k) => leader !== k) ||
        plans.some(({ is }) => is === "view"),
      executable: computed?.executable ?? null,
      given,
      needed: this.#needed,
      donors: (computed?.executable.program.donors ?? []).map((index) => given[index] as Source),
      scalars: (computed?.lifted ?? []).map(
        (value, k) => trace.slots.get(value) ?? (computed?.bound.scalars[k] as number | bigint),
      ),
      numbers: computed?.bound.numbers ?? [],
      writes: written.map(({ input, value }) => ({ input, from: from(value) })),
      cells: cells.map(({ value }) => from(value)),
      made: plans.map((plan) => (plan.is === "fresh" ? { is: "fresh", from: from(plan.value) } : plan)),
      results,
      gradients,
      isPlain:
        results.is === "tensor" &&
        plans.length === 1 &&
        plans[0]?.is === "fresh" &&
        this.#wanted.size === 1 &&
        computed?.count === 1 &&
        written.length + gradients.length + trace.thunks.length === 0 &&
        trace.slots.size === 0,
      unused: Array.from(
        { length: (computed?.count ?? 0) - this.#wanted.size },
        (_, k) => this.#wanted.size + k,
      ),
    };
    markRead(places, trace.readSlots);
    return trace.refusal === null
      ? { ...entry, direct: directOf(entry) }
      : refused(places, isGradOn, options, trace.refusal);
  }

  /** @throws TypeError if views are copied because earlier calls only read them, and this call does more. */
  #checkCopied(written: readonly { readonly input: number }[], plans: readonly Plan[]): void {
    const { inputs } = this.#trace;
    const isCopied = (input: number): boolean => inputs[input]?.isCopied === true;
    const changes = inputs.some((input) => input.isCopied && !staysItself(input));
    const gives = plans.some((plan) => plan.is === "view" && isCopied(plan.input));
    const cells = inputs.map(({ tensor }) => (this.#originals.get(tensor) ?? tensor)[aliasKey]?.cell);
    const meets = written.some(({ input }) => cells.some((cell, k) => isCopied(k) && cell === cells[input]));
    if (gives || meets || changes)
      throw new TypeError(
        "jit: the function writes into what it is given a view of, or gives a view of it, and did not at the calls before, so that views are copied for it (give it the whole tensor, or make another function of jit)",
      );
  }

  #ownerOf(leaf: Leaf): number {
    return this.#trace.inputs.findIndex(({ value, base }) => (value.step ?? base.step)?.leaf === leaf);
  }

  /** Gradients that have changed since the call began. */
  #gradients(): Gradient[] {
    const gradients: Gradient[] = [];
    for (const [leaf, found] of this.#trace.leaves) {
      const input = this.#ownerOf(leaf);
      const sum = gradientAt(leaf);
      if (input < 0) {
        const isOwn = [...this.#trace.ownTensors].some((tensor) => unwrap(tensor).step?.leaf === leaf);
        if (!isOwn) this.#trace.refuse("a gradient is added up for a tensor that it does not use itself");
      } else if (found === undefined || sum?.tensor !== (found ?? undefined)) {
        if (sum === null) gradients.push({ input, made: null, isShown: false });
        else {
          const known = this.#made.indexOf(sum.tensor);
          const made = known < 0 ? this.#made.push(sum.tensor) - 1 : known;
          gradients.push({ input, made, isShown: sum.isShown || known >= 0 });
        }
      }
    }
    return gradients;
  }

  /** Inputs whose cells hold something else than when the call began. */
  #written(): { readonly input: number; readonly value: Value }[] {
    return this.#trace.inputs.flatMap((input, k) => {
      const { tensor, base, leader } = input;
      unwrap(tensor);
      const alias = tensor[aliasKey];
      const isSame = staysItself(input);
      if (!isSame) {
        if (unwrap(tensor).storage?.isGone === true)
          throw new Error(
            "jit: the function disposes of a tensor that was there before it; dispose of it outside",
          );
        this.#trace.refuse("it makes a tensor that was there before a view of another, or detaches it");
        return [];
      }
      if (kindOf(unwrap(tensor)) !== input.kind)
        this.#trace.refuse("it changes whether a tensor that was there before requires a gradient");
      if (alias === null || leader !== k) return [];
      const { value } = alias.cell;
      if (value.step !== null && value.step !== base.step)
        this.#trace.refuse("it writes what requires a gradient into a tensor that was there before");
      else if (value.step === null && base.step !== null)
        this.#trace.refuse("it writes over a tensor that requires a gradient");
      return value === base ? [] : [{ input: k, value }];
    });
  }

  #planOf(tensor: AnyTensor, cells: Cell[]): Plan {
    const trace = this.#trace;
    const known = trace.positionOf(tensor);
    if (known !== undefined) return { is: "input", input: known };
    const value = unwrap(tensor);
    if (value.step !== null && !value.step.isFreed)
      trace.refuse("what it gives requires a gradient, and may be run backward");
    const alias = tensor[aliasKey];
    if (alias === null) return { is: "fresh", value };
    const { cell, window, isBase, isDetached, root } = alias;
    const isOfRoot = (other: AnyTensor): boolean => other[aliasKey]?.root?.own === root?.own;
    if (root !== null && this.#made.some((other) => other !== tensor && isOfRoot(other)))
      trace.refuse("it gives several tensors that share what was detached");
    const leader = trace.inputs.findIndex((input) => (input.tensor[aliasKey]?.cell ?? input.cell) === cell);
    if (leader >= 0) {
      if (cell.value.step !== null || trace.inputs[leader]!.tensor[aliasKey]?.root?.own.step != null)
        trace.refuse("it gives a view of a tensor that requires a gradient");
      return { is: "view", input: leader, window, isDetached };
    }
    const isAll = value === cell.value && isWhole(window, elementCount(value.node.shape));
    const isShared = this.#made.some((other) => other !== tensor && other[aliasKey]?.cell === cell);
    if (isAll && !isShared) return { is: "fresh", value };
    if (cell.value.step !== null && !cell.value.step.isFreed)
      trace.refuse("it gives a view of what requires a gradient");
    const place = cells.indexOf(cell);
    return {
      is: "part",
      cell: place < 0 ? cells.push(cell) - 1 : place,
      window: isAll && isBase ? null : window,
      isDetached,
    };
  }

  /** A value to compute, unless it is stored. */
  #want(value: Value): void {
    if (value.storage === null) {
      if (!this.#wanted.has(value)) this.#wanted.set(value, this.#wanted.size);
    } else if (!this.#trace.sources.has(value) && !this.#trace.constants.has(value))
      this.#trace.refuse("it gives elements that it has from no tensor that it uses");
  }

  /** Leaves everything as a call that was not traced would have. */
  #refuse(places: readonly Place[], isGradOn: boolean, options: Options): Entry {
    for (const { tensors, others } of this.#trace.deferred) computeAllOrNone(tensors, others, [], options);
    for (const [stand, original] of this.#originals) {
      const input = this.#trace.inputs.find(({ tensor }) => tensor === stand);
      if (input === undefined) continue;
      // `detach_` changes the cell that both share, but not what the original shows of it.
      const isDetached = unwrap(original).step !== null && unwrap(stand).step === null;
      if (isDetached || !staysItself(input)) become(original, stand as Tensor);
    }
    return refused(places, isGradOn, options, this.#trace.refusal as string);
  }

  /** Intermediate tensors cannot be read after a later call, so they do not prevent donation. */
  #abandonRest(cells: readonly Cell[]): void {
    const staying = new Set(this.#made);
    const kept = new Set(cells);
    for (const { tensor } of this.#trace.inputs) {
      const cell = tensor[aliasKey]?.cell;
      if (cell !== undefined) kept.add(cell);
    }
    for (const tensor of this.#trace.ownTensors) {
      if (staying.has(tensor) || unwrap(tensor).storage?.isGone === true) continue;
      const value = unwrap(tensor);
      const cell = tensor[aliasKey]?.cell;
      const isNeeded =
        (cell !== undefined && kept.has(cell)) || this.#wanted.has(value) || value.storage !== null;
      if (!isNeeded) disposeTensor(tensor);
      abandonTensor(tensor, LEAKED);
    }
  }

  #compute(options: Options): Computed | null {
    if (this.#wanted.size === 0) return null;
    const donatable = new Set<Value>();
    for (const [value, { of, input }] of this.#trace.sources)
      if (of === "base" || value === (this.#trace.inputs[input] as Input).base) donatable.add(value);
    try {
      return computeAlone([...this.#wanted.keys()], donatable, options);
    } catch (error) {
      // Names what failed, and undoes the writes.
      const tensors = [...this.#trace.inputs.map(({ tensor }) => tensor), ...this.#made];
      if (error instanceof Error && isOfElements(error)) computeTensors(tensors, options);
      throw error;
    }
  }

  #givenOf(computed: Computed | null): (Source | Storage)[] {
    return (computed?.given ?? []).map((value, k) => {
      const source = this.#trace.sources.get(value);
      if (source !== undefined) {
        this.#needed.push(source);
        return source;
      }
      const storage = computed?.bound.given[k] as Storage;
      if (this.#trace.constants.has(value)) return storage.share();
      this.#trace.refuse("it reads what was recorded before, through no tensor that it uses");
      return storage;
    });
  }

  #from(value: Value): From {
    const index = this.#wanted.get(value);
    const { node } = value;
    if (index !== undefined) return { is: "output", index, node, isFreed: value.step?.isFreed === true };
    const source = this.#trace.sources.get(value);
    if (source !== undefined) {
      this.#needed.push(source);
      return { is: "input", node, ...source };
    }
    return { is: "constant", node, storage: (value.storage as Storage).share() };
  }

  #known({ tensor, where, value, window, isCopied, leader }: Input): Known {
    const { dtype, shape } = value.node;
    return {
      where,
      tensor: where.is === "captured" ? (this.#originals.get(tensor) ?? tensor) : null,
      of: where.is === "gradient" ? this.#ownerOf(where.of) : -1,
      shape,
      dtype,
      kind: kindOf(value),
      window,
      isCopied,
      leader,
    };
  }
}

/** True if the tensor has the same window of the same cell as when the call began, whatever the cell holds now. */
function staysItself({ tensor, value, cell, base, shown }: Input): boolean {
  const now = unwrap(tensor);
  const alias = tensor[aliasKey];
  if (alias === null) return cell === null && now === value;
  if (cell !== null) return alias.cell === cell && alias.window === shown;
  return (
    isWhole(alias.window, elementCount(base.node.shape)) && sameNumbers(now.node.shape, value.node.shape)
  );
}

/** Numbers that the host has looked at are part of the signature. */
function markRead(places: readonly Place[], read: ReadonlySet<number>): void {
  let slot = 0;
  const visit = (place: Place): void => {
    if (place.is === "number") place.isRead = read.has(slot++);
    else if (place.is === "list" || place.is === "object") for (const item of place.items) visit(item);
  };
  for (const place of places) visit(place);
}
