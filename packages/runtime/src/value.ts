/**
 * What the runtime knows of a node. The node (ir) says what is computed and never changes; the value says whether it has
 * been computed, and what it still needs if it has not.
 */
import { build, type Node } from "@fuseau/ir";
import { Storage } from "./storage.ts";

const nothing: readonly Value[] = [];

export class Value {
  /** What this is; an `input` node once it has been computed. */
  node: Node;
  /** The values that `node.inputs` describes; empty once it has been computed, so that history is not kept alive. */
  inputs: readonly Value[];
  /** The elements, row-major, once computed. */
  storage: Storage | null;
  /** How many tensors stand for this very value. */
  handles = 0;
  /** Scratch of the walk that extracts a program: the walk that saw this value last, and its number there. */
  walk = 0;
  position = 0;

  constructor(node: Node, inputs: readonly Value[], storage: Storage | null) {
    this.node = node;
    this.inputs = inputs;
    this.storage = storage;
  }

  /** Gives the value its elements and lets go of how they came about. */
  settle(storage: Storage): void {
    this.storage = storage;
    this.inputs = nothing;
    this.node = build.input(this.node.dtype, this.node.shape);
  }

  /** Gives the elements, or the way to them, up for good. */
  dispose(): void {
    this.storage?.release();
    this.settle(new Storage(this.node.dtype, null, false));
  }
}
