/**
 * The state of a node in the runtime. The node (ir) says what is computed and never changes. The value says whether it has been computed,
 * and what it still needs if it has not.
 */
import { build, type Node } from "@fuseau/ir";
import type { Trace } from "./execute/extract/lessons.ts";
import type { Origin } from "./origin.ts";
import { Storage } from "./storage.ts";
import { recording, type Step, stepOf } from "./tape/step.ts";
import type { Part } from "./window/part.ts";

/** So often a round of a loop may read a state that it writes: see `keepsReaders`. */
export const READINGS = 8;

const nothing: readonly Value[] = [];

/** Views whose references to their inputs may be weakened, and how many are collected before that is done. */
const views: Value[] = [];
const MOST_VIEWS = 256;

/** Weakens the collected views. To be called before uses are examined. */
export function weakenViews(): void {
  for (let view = views.pop(); view !== undefined; view = views.pop()) view.weakenNow();
}

/**
 * Counts a use of each value. A weak value that gains a use counts uses of its own inputs too. Iterative, since views of views may be
 * 100,000 deep.
 */
function use(values: readonly Value[]): void {
  let strengthened: Value[] | null = null;
  for (
    let inputs: readonly Value[] | undefined = values;
    inputs !== undefined;
    inputs = strengthened?.pop()?.inputs
  )
    for (const input of inputs) {
      input.uses++;
      if (!input.isWeak) continue;
      input.isWeak = false;
      strengthened ??= [];
      strengthened.push(input);
    }
}

/**
 * Takes back a use of each value. A value that then has no use, and no tensor that holds it, becomes weak: its uses of its inputs are taken
 * back too.
 */
function unuse(values: readonly Value[]): void {
  let weakened: Value[] | null = null;
  for (
    let inputs: readonly Value[] | undefined = values;
    inputs !== undefined;
    inputs = weakened?.pop()?.inputs
  )
    for (const input of inputs) {
      input.uses--;
      if (input.isOfUse || input.isWeak || input.inputs.length === 0) continue;
      input.isWeak = true;
      weakened ??= [];
      weakened.push(input);
    }
}

/** What is left of a node once its value is computed. */
export interface Bare {
  readonly node: Node;
  readonly inputs: readonly Node[];
}

/**
 * Values that were recorded before this one was computed still refer to its old node, and read the shapes and dtypes of that node's inputs.
 * Everything else of it is dropped. Otherwise a loop whose steps overlap would keep the nodes of all steps.
 */
export const bareOf = ({ dtype, shape, inputs }: Node): Bare => ({
  node: build.input(dtype, shape),
  inputs: inputs.every(isBare)
    ? inputs
    : inputs.map((input) => (isBare(input) ? input : build.input(input.dtype, input.shape))),
});

const isBare = ({ inputs }: Node): boolean => inputs.length === 0;

export class Value {
  /** The node; an `input` node once the value has been computed. */
  node: Node;
  /** The values of `node.inputs`; empty once the value has been computed, so that history is not kept alive. */
  inputs: readonly Value[];
  /** The elements, row-major, once computed. */
  storage: Storage | null;
  /** How many tensors stand for this value. */
  handles = 0;
  /** How many of those are not aliases, and so are strong references: an alias reads its cell anew after a write. */
  strongHandles = 0;
  /** How many cells hold this value now. */
  cells = 0;
  /** True if a cell has ever held it. */
  wasHeld = false;
  /** True if a write has given it to a cell. */
  isWritten = false;
  /** True if a write has put another value in its place. Clones made before, and views of those, still have it. */
  isReplaced = false;
  /**
   * With how many more programs that read it all its readers are computed: a write of the tensor that holds it had to copy, since one of them
   * was not (`execute/extract/donors.ts`). Each write begins anew; what is only read from then on is soon read as if it had not been written.
   */
  keepsReaders = 0;
  /** The view that reads this, or through which it was written; null for what is no part of a tensor. */
  part: Part | null = null;
  /** How many uncomputed values that are of use themselves read this one. */
  uses = 0;
  /** True for a constant that the host chooses anew in each round (`execute/places/choices.ts`). */
  isChoice = false;
  /**
   * True if `dispose` of its tensor does not take it from its readers: it was computed though nobody asked for it, or it is a gradient that the
   * user has never seen.
   */
  isUnasked = false;
  /** True if its computation has failed because of elements, and whoever asked for it has been told. */
  hasFailed = false;
  /** True for a view of a cell: aliases, and views of it, may read it for as long as the cell does not change. */
  isView = false;
  /** True if a view was made of it: that may read it without being counted. */
  isViewed = false;
  /**
   * True if its references to its inputs are weak, and not counted in their uses: nothing of use reads it, and only aliases stand for it.
   */
  isWeak = false;
  /** The last walk of `extract` that met this value, and its position there. */
  walk = 0;
  position = 0;
  /** How many values had been recorded before it: more than before any of its inputs. */
  readonly serial: number;
  /** Where this was recorded, if computing it may fail. */
  origin: Origin | null = null;
  /** How many of its uses that walk has met. */
  met = 0;
  /** Set if it was computed inside a program, and not kept. */
  trace: Trace | null = null;
  /** The first computation that had it inside, if there is a trace. */
  tracedSince = 0;

  /** Where it was computed inside a program and kept, though nobody had asked for it. */
  keptBy: Trace | null = null;

  /** What derivatives need of it; null if none flows through it. */
  step: Step | null = null;

  /** How many values have failed. */
  static failures = 0;
  /** How many values have been recorded. */
  static recorded = 0;
  /** What is called with every value that is recorded; null if nothing is. */
  static watchers: Set<(value: Value) => void> | null = null;

  constructor(node: Node, inputs: readonly Value[], storage: Storage | null) {
    this.node = node;
    this.inputs = inputs;
    this.storage = storage;
    this.isWeak = inputs.length > 0;
    if (recording.isActive && inputs.length > 0) this.setStep(stepOf(node, inputs));
    this.serial = Value.recorded++;
    if (Value.watchers !== null) for (const watch of Value.watchers) watch(this);
  }

  /** The value is about to be computed, so what it reads is of use, though no tensor may stand for it. */
  want(): void {
    if (this.isWeak && !this.isView) this.#strengthen();
  }

  /** A tensor that is no alias stands for this value now. */
  hold(): void {
    this.strongHandles++;
    if (this.isWeak) this.#strengthen();
  }

  /** A cell holds this value now. */
  fill(): void {
    this.cells++;
    this.wasHeld = true;
    if (this.isWeak) this.#strengthen();
  }

  #strengthen(): void {
    this.isWeak = false;
    use(this.inputs);
  }

  /** Replaces the step. The inputs of the new one are in use from now on, those of the old one no longer, as far as its step used them. */
  setStep(step: Step | null): void {
    const earlier = this.step;
    this.step = step;
    if (step !== null) use(step.inputs);
    if (earlier !== null) unuse(earlier.inputs);
  }

  /** Called by a backward pass after which nobody may ask for another. */
  freeStep(): void {
    const { step } = this;
    if (step === null || step.isFreed || step.isLeaf) return;
    step.isFreed = true;
    unuse(step.inputs);
    if (step.keepsValues) step.inputs = nothing;
    // It may still be run backward again, which reads shapes and steps, but no elements. Without stand-ins, a state that is detached at
    // each training step would keep everything alive back to the first step.
    else if (step.inputs.some(leadsOn)) step.inputs = step.inputs.map(standInOf);
  }

  /** Only aliases stand for the value now. When uses are next examined, its reference to what it views becomes weak. */
  weaken(): void {
    if (this.cells === 0) this.isView = true;
    views.push(this);
    // Not at once: in a chain of views each new one would strengthen all beneath it, and weaken them again.
    if (views.length >= MOST_VIEWS) weakenViews();
  }

  /** Makes the value weak, and the values that only it reads. What a write has replaced is read by no alias again. */
  weakenNow(): void {
    let value: Value = this;
    for (;;) {
      if (value.cells === 0 && !value.isReplaced) value.isView = true;
      if (value.isWeak || value.isOfUse || value.inputs.length !== 1) return;
      value.isWeak = true;
      value = value.inputs[0] as Value;
      value.uses--;
    }
  }

  /** Gives the value its elements and drops how they were computed. Values that are computed alike may share `bare`. */
  settle(storage: Storage, bare: Bare = bareOf(this.node)): void {
    this.storage = storage;
    storage.watch(this);
    const { inputs } = this;
    const counted = !this.isWeak;
    this.isWeak = false;
    this.inputs = nothing;
    if (counted) unuse(inputs);
    this.origin = null;
    this.trace = null;
    (this.node as { inputs: readonly Node[] }).inputs = bare.inputs;
    this.node = bare.node;
  }

  /**
   * Gives up the elements, or the way to compute them, for good. Values that only this one was to be computed from are given up too: a
   * tensor that was written in place refers to what it held before.
   */
  dispose(): void {
    const going = new Set<Value>([this]);
    for (const value of going) {
      const { inputs } = value;
      value.storage?.release();
      const { dtype } = value.node;
      const isAwaited = value.uses > 0 || value.cells > 0;
      value.settle(isAwaited ? Storage.givenBack(dtype) : new Storage(dtype, null));
      for (const input of inputs) input.#goForgotten(going);
    }
  }

  /** True if it is stored, or if something that is of use, a tensor or a cell refers to it. */
  get isOfUse(): boolean {
    return this.uses > 0 || this.strongHandles > 0 || this.cells > 0 || this.storage !== null;
  }

  /** True if no cell has it, and nothing recorded can read it. */
  get isReadByNone(): boolean {
    return this.uses === 0 && this.cells === 0 && !this.isViewed;
  }

  /**
   * Adds this value and those that lead to it to the values that are given up, if nobody can ask for them. Views read what they view
   * without being counted, so a view goes only together with what it views: while that is in use, a view of the view may be read. A view
   * that was computed does not know what it views, and stays. Iterative, since views of views may be 100,000 deep.
   */
  #goForgotten(going: Set<Value>): void {
    const path: Value[] = [];
    let value: Value = this;
    while (!going.has(value)) {
      if (!value.#isForgotten) return;
      path.push(value);
      if (value.inputs.length !== 1) break;
      value = value.inputs[0] as Value;
    }
    for (const forgotten of path) going.add(forgotten);
  }

  /** True if no tensor, cell or uncomputed value uses it, and it is no view that was computed. */
  get #isForgotten(): boolean {
    return (
      this.handles === 0 &&
      this.strongHandles === 0 &&
      this.cells === 0 &&
      this.uses === 0 &&
      !(this.isView && this.storage !== null)
    );
  }
}

/**
 * True if the value keeps how it was made although no backward pass reads it: no derivative flows there, or a backward pass has been there.
 */
const leadsOn = ({ inputs, step }: Value): boolean =>
  inputs.length > 0 && (step === null || (step.isFreed && step.leaf === null && step.hooks === null));

/** A value with the same shape, dtype and step that is made of nothing. */
function standInOf(value: Value): Value {
  const { node, step } = value;
  if (!leadsOn(value)) return value;
  if (step?.standIn) return step.standIn;
  const standIn = new Value(bareOf(node).node, nothing, null);
  standIn.step = step;
  if (step !== null) step.standIn = standIn;
  return standIn;
}

/** Calls `watch` with every value that is recorded, until what it returns is called. */
export function watchValues(watch: (value: Value) => void): () => void {
  Value.watchers = new Set([...(Value.watchers ?? []), watch]);
  return () => {
    const left = [...(Value.watchers ?? [])].filter((other) => other !== watch);
    Value.watchers = left.length === 0 ? null : new Set(left);
  };
}
