/** What derivatives need of a value: how it was made, kept beyond the time when it is computed. docs/derivatives.md tells the whole. */
import { isFloat, type Node } from "@fuseau/ir";
import type { Value } from "../value.ts";

/** Gradients of a value's inputs, from its own: null where none flows. */
export type Backward = (gradient: Value, wanted: readonly boolean[]) => readonly (Value | null)[];

/** A derivative that is not the primitive's own. */
export interface Rule {
  readonly backward: Backward;
  /** What it is called in messages. */
  readonly name: string;
}

/** Shown each gradient that is complete; gives what takes its place. */
export type Hook = (gradient: Value) => Value;

/** Says that gradients are added up here: of a leaf, or of a value that is computed from others and was asked to retain its gradient. */
export interface Leaf {
  readonly isLeaf: boolean;
}

/** Whether derivatives of what is recorded may be asked for. */
export const recording = {
  /** Nobody pays for derivatives before the first tensor requires one. */
  isUsed: false,
  isOn: true,
  /** True while both are. */
  isActive: false,
  /** What is recorded is computed again by the backward pass. */
  recomputes: false,
};

export class Step {
  readonly node: Node;
  /** What it was recorded from; empty for leaves, and once it is freed. */
  inputs: readonly Value[];
  rule: Rule | null;
  leaf: Leaf | null;
  hooks: Set<Hook> | null = null;
  /** A backward pass has been here, and did not keep the graph. */
  isFreed = false;
  /** What stands for its value where that was freed: one, so that gradients meet in it. */
  standIn: Value | null = null;
  /** Its value is not to be kept for the backward pass. */
  readonly isRecomputed: boolean = recording.recomputes;

  constructor(node: Node, inputs: readonly Value[], rule: Rule | null, leaf: Leaf | null) {
    this.node = node;
    this.inputs = inputs;
    this.rule = rule;
    this.leaf = leaf;
  }

  /** Its derivative reads recorded values, so that none is left when they are gone. PyTorch: it has saved tensors. */
  get keepsValues(): boolean {
    const { node, rule } = this;
    if (rule !== null) return true;
    switch (node.op) {
      case "pointwise":
        return !["add", "sub", "neg", "cast"].includes(node.attributes.fn);
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

/** From the first call on, values that are recorded have steps. */
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

/** Calls `fn`; what it records is computed again by the backward pass. */
export function recomputing<R>(fn: () => R): R {
  const before = recording.recomputes;
  recording.recomputes = true;
  try {
    return fn();
  } finally {
    recording.recomputes = before;
  }
}

/** The step of a value that is recorded now. */
export function stepOf(node: Node, inputs: readonly Value[]): Step | null {
  for (let k = 0; k < inputs.length; k++)
    if ((inputs[k] as Value).step !== null)
      return isFloat(node.dtype) ? new Step(node, inputs, null, null) : null;
  return null;
}
