/**
 * A step is what derivatives need of a value: how it was made. It is kept after the value is computed. docs/derivatives.md has the whole
 * story.
 */
import { isFloat, type Node } from "@fuseau/ir";
import type { Value } from "../value.ts";

/** The gradients of a value's inputs from its own; null where none flows. */
export type Backward = (gradient: Value, wanted: readonly boolean[]) => readonly (Value | null)[];

/** A derivative other than the primitive's own. */
export interface Rule {
  readonly backward: Backward;
  /** The name in messages. */
  readonly name: string;
  /**
   * For one of several results whose gradients are handed on together, by a value that all of them read: what that value reads, and the
   * gradients of it from this result's alone. Forward mode and `vmap` take results one by one.
   */
  readonly alone?: { readonly inputs: readonly Value[]; readonly backward: Backward };
}

/** Called with each complete gradient; returns what replaces it. */
export type Hook = (gradient: Value) => Value;

/** Marks values whose gradients are added up: leaves, and other values that were asked to retain their gradients. */
export interface Leaf {
  readonly isLeaf: boolean;
}

/** Whether what is recorded can be differentiated. */
export const recording = {
  /** False until the first tensor requires a gradient, so that nobody pays for derivatives before. */
  isUsed: false,
  isOn: true,
  /** True if both are. */
  isActive: false,
  /** True while what is recorded is to be recomputed by the backward pass. */
  recomputes: false,
};

/**
 * True if what reads the value's inputs itself has the derivatives of what reads the value: none is recorded, or none flows through either.
 * Somebody may ask for the gradient of a value that one does.
 */
export const mayBeLookedThrough = ({ step, inputs }: Value): boolean =>
  !recording.isActive || (step === null && inputs.every((input) => input.step === null));

/** Pointwise ops whose derivative is the same everywhere: 1, −1 or 0. */
const readsNothing: ReadonlySet<string> = new Set([
  ...["add", "sub", "neg", "cast"],
  ...["floor", "ceil", "round", "trunc", "sign"],
]);

export class Step {
  readonly node: Node;
  /** The values it was recorded from; empty for leaves, and after it is freed. */
  inputs: readonly Value[];
  rule: Rule | null;
  leaf: Leaf | null;
  hooks: Set<Hook> | null = null;
  /** True after a backward pass that did not keep the graph. */
  isFreed = false;
  /** Replaces its value in the graph after that was freed. There is only one, so that gradients meet in it. */
  standIn: Value | null = null;
  /** True if its value is not kept for the backward pass, which recomputes it. */
  readonly isRecomputed: boolean = recording.recomputes;

  constructor(node: Node, inputs: readonly Value[], rule: Rule | null, leaf: Leaf | null) {
    this.node = node;
    this.inputs = inputs;
    this.rule = rule;
    this.leaf = leaf;
  }

  /** True if its derivative reads recorded values, so that it cannot be differentiated without them. In PyTorch it has saved tensors. */
  get keepsValues(): boolean {
    const { node, rule } = this;
    if (rule !== null) return true;
    switch (node.op) {
      case "pointwise":
        return !readsNothing.has(node.attributes.fn);
      case "reduce":
      case "scan":
        return node.attributes.fn !== "sum";
      case "scatter":
      case "gather":
      case "contract":
        return true;
      default:
        return false;
    }
  }

  get isLeaf(): boolean {
    return this.leaf?.isLeaf === true;
  }
}

const update = (): void => {
  recording.isActive = recording.isUsed && recording.isOn;
};

/** From the first call on, recorded values get steps. */
export function useRecording(): void {
  recording.isUsed = true;
  update();
}

/** Calls `fn` with recording on or off. */
export function withRecording<R>(isOn: boolean, fn: () => R): R {
  const before = recording.isOn;
  recording.isOn = isOn;
  update();
  try {
    return fn();
  } finally {
    recording.isOn = before;
    update();
  }
}

/** Calls `fn`. The backward pass recomputes what it records. */
export function recomputing<R>(fn: () => R): R {
  const before = recording.recomputes;
  recording.recomputes = true;
  try {
    return fn();
  } finally {
    recording.recomputes = before;
  }
}

/** The step of a value that is being recorded. */
export function stepOf(node: Node, inputs: readonly Value[]): Step | null {
  for (let k = 0; k < inputs.length; k++)
    if ((inputs[k] as Value).step !== null)
      return isFloat(node.dtype) ? new Step(node, inputs, null, null) : null;
  return null;
}
