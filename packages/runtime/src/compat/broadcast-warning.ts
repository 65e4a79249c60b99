/**
 * The warning of PyTorch's broadcasting notes ("Backwards compatibility"). Two tensors of different shapes with equally many elements were
 * once treated as one-dimensional; now they are broadcast. Off by default.
 */
import { broadcastShapes, elementCount, ShapeError, showShape } from "@fuseau/ir";
import { warn } from "../messages/warning.ts";
import { watchOperands } from "../record.ts";
import type { Value } from "../value.ts";
import { callSite } from "./call-site.ts";

export interface BroadcastWarning {
  /** Default false: then nothing is checked. */
  enabled: boolean;
  /** Called with a warning; by default `console.warn`. */
  handler: (message: string) => void;
}

const seen = new Set<string>();
let enabled = false;

/** Settings for code that was written for older semantics. */
export const backcompat: { readonly broadcastWarning: BroadcastWarning } = {
  broadcastWarning: {
    get enabled() {
      return enabled;
    },
    set enabled(value: boolean) {
      enabled = value;
      seen.clear();
      watchOperands(value ? watch : null);
    },
    handler: warn,
  },
};

function watch(op: string, operands: readonly Value[]): void {
  for (let k = 1; k < operands.length; k++) check(op, operands[k - 1] as Value, operands[k] as Value);
}

function check(op: string, a: Value, b: Value): void {
  const [shapeA, shapeB] = [a.node.shape, b.node.shape];
  if (elementCount(shapeA) !== elementCount(shapeB) || !isUsers(a) || !isUsers(b)) return;
  if (showShape(shapeA) === showShape(shapeB)) return;
  const shape = broadcastOrNull(shapeA, shapeB);
  if (shape === null) return;
  const site = callSite();
  if (seen.has(site)) return;
  seen.add(site);
  backcompat.broadcastWarning.handler(
    `${op}: self and other do not have the same shape, but are broadcastable, and have the same number of elements.  Changing behavior in a backwards incompatible manner to broadcasting rather than viewing as 1-dimensional. (shapes ${showShape(shapeA)} and ${showShape(shapeB)} give ${showShape(shape)}; reshape one of them if that is not meant; at ${site})`,
  );
}

/** True for a tensor of the user's, perhaps cast or scaled since; false for one that an op made for itself. */
function isUsers({ handles, node, inputs }: Value): boolean {
  if (node.shape.length === 0) return false;
  if (handles > 0) return true;
  const large = inputs.filter((input) => input.node.shape.length > 0);
  return node.op === "pointwise" && large.length === 1 && isUsers(large[0] as Value);
}

function broadcastOrNull(a: readonly number[], b: readonly number[]): readonly number[] | null {
  try {
    return broadcastShapes(a, b);
  } catch (error) {
    if (error instanceof ShapeError) return null;
    throw error;
  }
}
