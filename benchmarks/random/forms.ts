/** What random expressions are put together from. A form reads some of the tensors made so far and makes another. */
import { cellsOf, type Draft } from "./draft.ts";
import type { Term } from "./expression.ts";

export interface Form {
  readonly name: string;
  /** How often it is taken, against the others. */
  readonly weight: number;
  /** `cells` is the most that a tensor may have. */
  readonly add: (draft: Draft, cells: number) => void;
}

/** Multiplications in one product of matrices. */
const MOST_PRODUCTS = 4e6;

const plain = ["neg", "abs", "relu", "square", "tanh", "sigmoid", "sin", "gelu", "silu"];

function unary(draft: Draft): void {
  const x = draft.some();
  switch (draft.between(0, 5)) {
    case 0:
      draft.call("exp", draft.call("clamp", x, -4, 4));
      break;
    case 1:
      draft.call("sqrt", draft.call("abs", x));
      break;
    case 2:
      draft.call("log1p", draft.call("square", x));
      break;
    case 3:
      draft.call("add", draft.call("mul", x, 0.5), 1);
      break;
    default:
      draft.call(draft.pick(plain), x);
  }
}

/** With one that broadcasts to it, made before or given: the same shape, some of its axes, or a single one. */
function binary(draft: Draft): void {
  const x = draft.some();
  const y = (draft.chance(0.6) && draft.someWithin(x.shape, x)) || draft.floats(broadcastShape(draft, x));
  const name = draft.pick(["add", "sub", "mul", "mul", "maximum", "div"]);
  if (name === "div") draft.call("div", x, draft.call("add", draft.call("abs", y), 1));
  else draft.call(name, x, y);
}

function broadcastShape(draft: Draft, { shape }: Term): readonly number[] {
  if (draft.chance(0.4)) return shape;
  if (draft.chance(0.4)) return shape.slice(-1);
  return shape.map((size) => (draft.chance(0.5) ? 1 : size));
}

/** Two pointwise calls that share an operand, or several in a row that read the first. */
function reused(draft: Draft): void {
  const x = draft.call(draft.pick(plain), draft.some());
  let y = draft.call("add", x, 0.25);
  const count = draft.between(1, 4);
  for (let k = 0; k < count; k++)
    y = draft.call(draft.pick(["add", "mul", "sub"]), y, draft.pick([x, draft.call("mul", x, 0.5 + k)]));
}

function selected(draft: Draft): void {
  const x = draft.some();
  const y = draft.someWithin(x.shape, x) ?? x;
  draft.call("where", x, draft.aside("gt", x, y === x ? 0 : y), y);
}

const keepdim = { keepdim: true };

/** Away from what is typical along some axis. */
function centred(draft: Draft): void {
  const x = draft.some();
  const name = draft.pick(["mean", "mean", "amax", "amin"]);
  draft.call("sub", x, draft.call(name, x, draft.axisOf(x), keepdim));
}

function scaled(draft: Draft): void {
  const x = draft.some();
  const size = draft.call("sum", draft.call("square", x), draft.axisOf(x), keepdim);
  draft.call("div", x, draft.call("sqrt", draft.call("add", size, 1)));
}

function softened(draft: Draft): void {
  const x = draft.some();
  draft.call(draft.pick(["softmax", "softmax", "logSoftmax"]), x, draft.axisOf(x));
}

function standardised(draft: Draft): void {
  const x = draft.some();
  const axis = draft.axisOf(x);
  if ((x.shape[axis] as number) < 2) return;
  const mean = draft.call("mean", x, axis, keepdim);
  const deviation = draft.call("std", x, axis, keepdim);
  draft.call("div", draft.call("sub", x, mean), draft.call("add", deviation, 0.1));
}

function normalised(draft: Draft): void {
  const x = draft.some();
  draft.call("layerNorm", x, x.shape.slice(-1));
}

/** Down to fewer axes, or to a number; sometimes two at once. */
function folded(draft: Draft): void {
  const x = draft.some();
  const names = ["sum", "mean", "amax", "logsumexp", "prod"];
  const count = draft.chance(0.3) ? 2 : 1;
  for (let k = 0; k < count; k++) {
    const name = draft.pick(names);
    if (name !== "logsumexp" && draft.chance(0.15)) draft.call(name, x);
    else draft.call(name, x, draft.axisOf(x));
  }
}

function positioned(draft: Draft): void {
  const x = draft.some();
  draft.cast(draft.pick(["argmax", "argmin"]), x, draft.axisOf(x));
}

/** Added to something that lies the other way round. */
function transposed(draft: Draft): void {
  const x = draft.some();
  if (x.shape.length < 2) return;
  const y = draft.call("transpose", x, -1, draft.between(0, x.shape.length - 2));
  const other = draft.someWithin(y.shape, y) ?? draft.floats(y.shape);
  draft.call(draft.pick(["add", "mul"]), y, other);
}

function sliced(draft: Draft): void {
  const x = draft.some();
  const axis = draft.axisOf(x);
  const size = x.shape[axis] as number;
  if (size < 8) return;
  const start = draft.between(0, size >> 2);
  draft.call("narrow", x, axis, start, draft.between(size >> 1, size - start));
}

/** Neighbours along an axis. */
function stencil(draft: Draft): void {
  const x = draft.some();
  const axis = draft.axisOf(x);
  const size = x.shape[axis] as number;
  if (size < 8) return;
  const [left, middle, right] = [0, 1, 2].map((start) => draft.call("narrow", x, axis, start, size - 2));
  const sum = draft.call("add", left!, right!);
  draft.call("sub", sum, draft.call("mul", middle!, 2));
}

function joined(draft: Draft, cells: number): void {
  const x = draft.some();
  if (cellsOf(x) > cells / 2) return;
  draft.call("concat", [x, draft.call(draft.pick(plain), x)], draft.axisOf(x));
}

function padded(draft: Draft): void {
  draft.call("pad", draft.some(), [draft.between(0, 3), draft.between(1, 3)]);
}

function flipped(draft: Draft): void {
  const x = draft.some();
  draft.call("flip", x, [draft.axisOf(x)]);
}

function reshaped(draft: Draft): void {
  const x = draft.some();
  const [first, ...rest] = x.shape as [number, ...number[]];
  const halved = first % 2 === 0 && draft.chance(0.5);
  draft.call("reshape", x, halved ? [2, first / 2, ...rest] : [-1]);
}

/** A product of matrices, of what was computed, and computed with. */
function product(draft: Draft): void {
  const x = draft.some();
  if (x.shape.length < 2) return;
  const columns = Math.min(64, Math.floor(MOST_PRODUCTS / cellsOf(x)));
  if (columns < 2) return;
  const inner = x.shape.at(-1) as number;
  const width = draft.between(2, columns);
  const y = draft.call("matmul", draft.call("tanh", x), draft.floats([inner, width]));
  if (draft.chance(0.7)) draft.call("relu", draft.call("add", y, draft.floats([width])));
}

function attended(draft: Draft): void {
  const [length, features] = [draft.between(32, 128), draft.between(8, 32)];
  const [query, key, value] = [0, 1, 2].map(() => draft.floats([2, length, features]));
  const scores = draft.call("mul", draft.call("matmul", query!, draft.call("transpose", key!, -1, -2)), 0.25);
  draft.call("matmul", draft.call("softmax", scores, -1), value!);
}

function scanned(draft: Draft): void {
  const x = draft.some();
  draft.call("cumsum", x, draft.axisOf(x));
}

function lookedUp(draft: Draft): void {
  const x = draft.some();
  const axis = draft.axisOf(x);
  const size = x.shape[axis] as number;
  if (draft.chance(0.5)) draft.call("indexSelect", x, axis, draft.positions([size], size));
  else draft.call("gather", x, axis, draft.positions(x.shape, size));
}

/** Into few bins, or into as many places as there were. */
function scattered(draft: Draft): void {
  const x = draft.some();
  const axis = draft.axisOf(x);
  const bins = draft.chance(0.5) ? 16 : (x.shape[axis] as number);
  const target = draft.floats(x.shape.map((size, k) => (k === axis ? bins : size)));
  const index = draft.positions([x.shape[axis] as number], bins);
  draft.call("indexAdd", target, axis, index, x);
}

export const forms: readonly Form[] = [
  { name: "unary", weight: 8, add: unary },
  { name: "binary", weight: 10, add: binary },
  { name: "reused", weight: 3, add: reused },
  { name: "selected", weight: 2, add: selected },
  { name: "centred", weight: 3, add: centred },
  { name: "scaled", weight: 2, add: scaled },
  { name: "softened", weight: 3, add: softened },
  { name: "standardised", weight: 2, add: standardised },
  { name: "normalised", weight: 1, add: normalised },
  { name: "folded", weight: 3, add: folded },
  { name: "positioned", weight: 1, add: positioned },
  { name: "transposed", weight: 3, add: transposed },
  { name: "sliced", weight: 2, add: sliced },
  { name: "stencil", weight: 2, add: stencil },
  { name: "joined", weight: 2, add: joined },
  { name: "padded", weight: 1, add: padded },
  { name: "flipped", weight: 1, add: flipped },
  { name: "reshaped", weight: 2, add: reshaped },
  { name: "product", weight: 2, add: product },
  { name: "attended", weight: 1, add: attended },
  { name: "scanned", weight: 2, add: scanned },
  { name: "lookedUp", weight: 2, add: lookedUp },
  { name: "scattered", weight: 1, add: scattered },
];
