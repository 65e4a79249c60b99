/**
 * What the runtime knows of a node. The node (ir) says what is computed and never changes; the value says whether it has
 * been computed, and what it still needs if it has not.
 */
import { build, type Node } from "@fuseau/ir";
import type { Trace } from "./execute/keep.ts";
import type { Origin } from "./origin.ts";
import { Storage } from "./storage.ts";
import { recording, type Step, stepOf } from "./tape/step.ts";

const nothing: readonly Value[] = [];

/** Views that may hold their inputs weakly now, and how many are kept waiting. */
const views: Value[] = [];
const MOST_VIEWS = 256;

/** To be called before uses are looked at. */
export function weakenViews(): void {
  for (let view = views.pop(); view !== undefined; view = views.pop()) view.weakenNow();
}

/**
 * Counts a use of each. A weak value that gains a use counts uses of its own inputs too. Iterative, since views of views may be 100,000 deep.
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
 * Takes a use of each back. A value that nobody uses then, and that no tensor stands for, becomes weak: its uses of its inputs are
 * taken back too.
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
 * What was recorded before the value was computed has its node still, and looks at the shapes and dtypes of what that was made of. The
 * rest of it goes, or a loop whose steps overlap would keep the nodes of all of them.
 */
export const bareOf = ({ dtype, shape, inputs }: Node): Bare => ({
  node: build.input(dtype, shape),
  inputs: inputs.every(isBare)
    ? inputs
    : inputs.map((input) => (isBare(input) ? input : build.input(input.dtype, input.shape))),
});

const isBare = ({ inputs }: Node): boolean => inputs.length === 0;

export class Value {
  /** What this is; an `input` node once it has been computed. */
  node: Node;
  /** The values that `node.inputs` describes; empty once it has been computed, so that history is not kept alive. */
  inputs: readonly Value[];
  /** The elements, row-major, once computed. */
  storage: Storage | null;
  /** How many tensors stand for this very value. */
  handles = 0;
  /** Those of them that are no aliases, and so strong references: an alias reads its cell anew after a write. */
  strongHandles = 0;
  /** For how many cells this is what they hold now. */
  cells = 0;
  /** That there was one. */
  wasHeld = false;
  /** How often values that are of use themselves, and have not been computed, read this one. */
  uses = 0;
  /** A view of a cell: aliases stand for it, and for views of it, for as long as the cell holds what it holds. */
  isView = false;
  /** Its references to its inputs are weak, not counted among their uses: nothing of use reads it, and only aliases stand for it. */
  isWeak = false;
  /** Scratch of the walk that extracts a program: the walk that saw this value last, and its number there. */
  walk = 0;
  position = 0;
  /** Where this was recorded, if it may fail when it is computed. */
  origin: Origin | null = null;
  /** How many of its uses that walk has met. */
  met = 0;
  /** That it has been computed inside of a program, and not been kept. */
  trace: Trace | null = null;
  /** The first computation that had it inside, if there is a trace. */
  tracedSince = 0;

  /** What derivatives need of it; null where none flows through it. */
  step: Step | null = null;

  /** How many have been recorded. */
  static recorded = 0;
  /** Is shown every value that is recorded. */
  static watch: ((value: Value) => void) | null = null;

  constructor(node: Node, inputs: readonly Value[], storage: Storage | null) {
    this.node = node;
    this.inputs = inputs;
    this.storage = storage;
    this.isWeak = inputs.length > 0;
    if (recording.isActive && inputs.length > 0) this.setStep(stepOf(node, inputs));
    Value.recorded++;
    if (Value.watch !== null) Value.watch(this);
  }

  /** It is to be computed now: what it reads is of use, though no tensor may stand for it. */
  want(): void {
    if (this.isWeak && !this.isView) this.#strengthen();
  }

  /** A tensor that is no alias stands for this. */
  hold(): void {
    this.strongHandles++;
    if (this.isWeak) this.#strengthen();
  }

  /** A cell holds this from now on. */
  fill(): void {
    this.cells++;
    this.wasHeld = true;
    if (this.isWeak) this.#strengthen();
  }

  #strengthen(): void {
    this.isWeak = false;
    use(this.inputs);
  }

  /** What the step was made of is in use from now on, and what the earlier step was made of is not, as far as it was. */
  setStep(step: Step | null): void {
    const earlier = this.step;
    this.step = step;
    if (step !== null) use(step.inputs);
    if (earlier !== null) unuse(earlier.inputs);
  }

  /** A backward pass has been here, and nobody may ask for another. */
  freeStep(): void {
    const { step } = this;
    if (step === null || step.isFreed || step.isLeaf) return;
    step.isFreed = true;
    unuse(step.inputs);
    if (step.keepsValues) step.inputs = nothing;
    // It may be run backward again, which reads shapes and steps, and no elements: a state that is detached at each step of training
    // would lead back to the first one.
    else if (step.inputs.some(leadsOn)) step.inputs = step.inputs.map(standInOf);
  }

  /** Only aliases stand for it now: from the next look at uses on, its reference to what it views is weak. */
  weaken(): void {
    if (this.cells === 0) this.isView = true;
    views.push(this);
    // Not at once: of views of views each would strengthen all beneath it, and weaken it again.
    if (views.length >= MOST_VIEWS) weakenViews();
  }

  /** Weakens it, and what only it reads. */
  weakenNow(): void {
    let value: Value = this;
    for (;;) {
      if (value.cells === 0) value.isView = true;
      if (value.isWeak || value.isOfUse || value.inputs.length !== 1) return;
      value.isWeak = true;
      value = value.inputs[0] as Value;
      value.uses--;
    }
  }

  /** Gives the value its elements and lets go of how they came about. Values that are computed alike may share what is left. */
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
   * Gives the elements, or the way to them, up for good. What only this value was to be computed from goes with it: a tensor that
   * was written in place has what it held before.
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

  /** It is stored, or something that is of use itself reads it, or a tensor or a cell stands for it. */
  get isOfUse(): boolean {
    return this.uses > 0 || this.strongHandles > 0 || this.cells > 0 || this.storage !== null;
  }

  /**
   * Joins those that are given up, with what leads to it, if nobody can ask for it. Views read what they view without its being
   * counted, so a view goes only with what it views: while that is held, a view of the view may be read. A view that was computed
   * does not know what it views, and stays. Iterative, since views of views may be 100,000 deep.
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

  /** Neither a tensor nor a cell nor a value that has not been computed has a use for it, and it is no view that was computed. */
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

/** It keeps how it was made, which no backward pass reads: no derivative flows there, or one has been there. */
const leadsOn = ({ inputs, step }: Value): boolean =>
  inputs.length > 0 && (step === null || (step.isFreed && step.leaf === null && step.hooks === null));

/** One that has its shape, dtype and step, and is made of nothing. */
function standInOf(value: Value): Value {
  const { node, step } = value;
  if (!leadsOn(value)) return value;
  if (step?.standIn) return step.standIn;
  const standIn = new Value(bareOf(node).node, nothing, null);
  standIn.step = step;
  if (step !== null) step.standIn = standIn;
  return standIn;
}
