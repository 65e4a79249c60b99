/** Why a node is not computed in the kernels that read it, decided before their loops are known. */
import { dtypes, elementCount, type Node, pointwiseOps } from "@fuseau/ir";
import type { Index } from "../indexing/index-expression.ts";
import { mayFail } from "./facts.ts";
import { type MovementNode, moveIndex } from "./movement.ts";
import {
  axesOf,
  explainNotFused,
  factsAt,
  hoist,
  inputsAt,
  isStream,
  nodeAt,
  offsetIn,
  type Sweep,
} from "./sweep.ts";
import { commonBlock, evaluations, type Kernel, type NotFusedReason, type Value } from "./tree.ts";

/** The deepest nesting of divisions in an index. Beyond it a buffer is cheaper, and the generated text grows with every level. */
export const DEEPEST_INDEX = 4;

export function depthOf(values: readonly Value[]): number {
  let deepest = 0;
  for (const { index } of values) for (const { depth } of index) if (depth > deepest) deepest = depth;
  return deepest;
}

export const isTooDeep = (values: readonly Value[]): boolean => depthOf(values) > DEEPEST_INDEX;

/** Reasons that apply before the node's cost is considered. */
export function whyStored(sweep: Sweep, position: number, values: readonly Value[]): NotFusedReason | null {
  const { limits } = sweep;
  const [{ kernel }] = values as [Value, ...Value[]];
  const kernels = new Set(values.map((value) => value.kernel)).size;
  const { cost, reads } = factsAt(sweep, position);
  const tell = (reason: NotFusedReason, measured: number, limit: number): NotFusedReason => {
    explainNotFused(sweep, position, reason, measured, limit);
    return reason;
  };
  if (!sweep.fuse) return tell("fusion is off", 1, 0);
  const known = sweep.unfused.get(position);
  if (known !== undefined && !sweep.turned.has(position))
    return tell("costs more here than stored", known.fused, known.stored);
  if (sweep.apart.has(position)) return tell("reads what is overwritten", 1, 0);
  const kept = sweep.kept.get(position);
  if (kept !== undefined) return tell(kept.reason, kept.measured, kept.limit);
  if (isTooDeep(values)) return tell("index too deep", depthOf(values), DEEPEST_INDEX);
  if (kernels > 1) {
    // What reads no memory, such as masks and iotas, is computed anew, in however many kernels if that is as cheap as a load.
    const isMadeAnew = sweep.decide(
      reads
        ? isReadInPart(sweep, position, values) || isCheapOfInput(sweep, position, values, kernels)
        : cost <= CHEAP || (kernels - 1) * cost <= limits.recompute,
    );
    return isMadeAnew ? null : tell("read by several kernels", kernels, 1);
  }
  if (kernel.ops >= limits.ops) return tell("too many ops", kernel.ops, limits.ops);
  const streams = streamsWith(sweep, kernel, position);
  return streams > limits.streams ? tell("too many streams", streams, limits.streams) : null;
}

/**
 * True of a movement that turns the axes of a product, where readers take quotients of places in the product's own order: channels of a
 * convolution that are reshaped to groups, or heads of attention that are joined. In loops over quotients a product has no tiles. It is
 * stored turned, and read in order.
 */
export function turnsProduct(sweep: Sweep, position: number, values: readonly Value[]): boolean {
  const { table, turned, readers } = sweep;
  const { source } = factsAt(sweep, position);
  const node = nodeAt(sweep, position) as MovementNode;
  const product = nodeAt(sweep, source);
  if (product.op !== "contract" || turned.has(source)) return false;
  if (elementCount(node.shape) !== elementCount(product.shape)) return false;
  const [input] = inputsAt(sweep, position) as [number];
  const { shape } = nodeAt(sweep, input);
  const isTurned = values.some(
    ({ index }) =>
      !divides(offsetIn(sweep, node.shape, index)) &&
      divides(offsetIn(sweep, shape, moveIndex(table, node, index))),
  );
  if (!isTurned) return false;
  for (let read = input; ; read = inputsAt(sweep, read)[0] as number) {
    if ((readers[read] as number) > 1) return false;
    if (read === source) return true;
  }
}

const divides = ({ terms }: Index): boolean =>
  terms.some(({ atom }) => atom.kind === "div" || atom.kind === "mod");

/** How often the values are computed, in all of their kernels. */
const runsOf = (values: readonly Value[]): number =>
  values
    .map((value) => evaluations(hoist(commonBlock(value.users), axesOf(value.index, value.guards))))
    .reduce((sum, runs) => sum + runs, 0);

/** True if all kernels together read so few elements that computing those takes less than computing all once. */
function isReadInPart(sweep: Sweep, position: number, values: readonly Value[]): boolean {
  const node = nodeAt(sweep, position);
  if (node.op !== "pointwise" || mayFail(node)) return false;
  return (
    2 * runsOf(values) <= factsAt(sweep, position).size &&
    values.every(({ kernel }) => kernel.ops < sweep.limits.ops)
  );
}

/** Operations that cost no more than a load. */
const CHEAP = 2;

/** Bytes that are written and read in the time of one more kernel. */
const KERNEL_BYTES = 12_500;

/** The largest operand that does not count, as a part of the result: a row, or a mean of many elements, say. */
const BESIDE = 1 / 16;

/**
 * One cheap operation on an input of the program, read in several kernels. It is recomputed in each of them where reading its operand
 * takes no more bytes than writing and reading the result. Other operands are few enough not to count.
 */
function isCheapOfInput(sweep: Sweep, position: number, values: readonly Value[], kernels: number): boolean {
  const node = nodeAt(sweep, position);
  if (node.op !== "pointwise" || mayFail(node) || pointwiseOps[node.attributes.fn].cost > CHEAP) return false;
  const operands = inputsAt(sweep, position).filter((input) => factsAt(sweep, input).reads);
  const { size, cost } = factsAt(sweep, position);
  const [operand, ...others] = operands
    .map((input) => nodeAt(sweep, factsAt(sweep, input).source))
    .filter(({ shape }) => elementCount(shape) > size * BESIDE);
  if (operand?.op !== "input" || others.length > 0) return false;
  const bytes = (each: Node): number => size * dtypes[each.dtype].bytes;
  if ((kernels - 1) * bytes(operand) > (kernels + 1) * bytes(node) + KERNEL_BYTES) return false;
  const runsIn = (kernel: Kernel): number => runsOf(values.filter((value) => value.kernel === kernel));
  return [...new Set(values.map(({ kernel }) => kernel))].every(
    (kernel) => kernel.ops < sweep.limits.ops && (runsIn(kernel) / size - 1) * cost <= sweep.limits.recompute,
  );
}

/** How many full-size arrays the kernel reads, or may still have to read, once the node is computed in it. */
function streamsWith(sweep: Sweep, kernel: Kernel, position: number): number {
  const added = new Set<number>();
  for (const input of inputsAt(sweep, position)) {
    const { source } = factsAt(sweep, input);
    if (isStream(sweep, kernel, source) && !kernel.streams.has(source)) added.add(source);
  }
  return kernel.streams.size + added.size - (kernel.streams.has(position) ? 1 : 0);
}
