/**
 * Forms that are expensive: products, convolutions, scans, sorts, lookups and random numbers, and what programs read them with:
 * reductions, losses, norms, pools and windows.
 */
import { cellsOf, type Draft } from "./draft.ts";
import type { Term } from "./expression.ts";
import type { Form } from "./forms.ts";

/** Multiplications in one product, for each cell that a tensor may have. */
const PRODUCTS_PER_CELL = 20;

/** A matrix, a stack of them or an image: what was made before, if it has so many axes, else something new. */
function withAxes(draft: Draft, rank: number, cells: number): Term {
  const x = draft.some();
  if (x.shape.length >= rank) return x;
  const some = Math.min(cells, draft.magnitude(1e3, 1e5));
  if (rank === 2) {
    const rows = draft.magnitude(4, some / 4);
    return draft.floats([rows, Math.ceil(some / rows)]);
  }
  const channels = draft.between(1, 16);
  const batch = draft.between(1, 4);
  const side = Math.max(6, Math.round((some / channels / batch) ** (rank === 4 ? 0.5 : 1)));
  return draft.floats(rank === 4 ? [batch, channels, side, side] : [batch, channels, side]);
}

/** With a given matrix or with itself, the other way round; the left operand may be computed. */
function product(draft: Draft, cells: number): void {
  const x = withAxes(draft, 2, cells);
  const inner = x.shape.at(-1)!;
  const rows = x.shape.at(-2)!;
  const most = Math.floor((cells * Math.min(PRODUCTS_PER_CELL, inner)) / cellsOf(x));
  const operand = draft.chance(0.3) ? draft.call(draft.pick(["tanh", "relu", "square"]), x) : x;
  if (draft.chance(0.25) && rows <= most) {
    draft.call("matmul", operand, draft.call("transpose", x, -1, -2));
    return;
  }
  if (most < 2) return;
  const width = draft.isNarrow ? Math.min(most, draft.few()) : draft.magnitude(1, Math.min(most, 1_000));
  if (draft.isNarrow && draft.chance(0.5)) {
    draft.call("matmul", operand, draft.floats([...x.shape.slice(0, -2), inner, width]));
    return;
  }
  if (draft.chance(0.4)) draft.call("linear", operand, draft.floats([width, inner]), draft.floats([width]));
  else draft.call("matmul", operand, draft.floats([inner, width]));
}

function einsum(draft: Draft): void {
  const [i, j, k] = [0, 1, 2].map(() => draft.magnitude(8, 200)) as [number, number, number];
  const [form, ...shapes] = draft.pick<readonly [string, number[], number[]]>([
    ["ij,kj->ik", [i, j], [k, j]],
    ["ji,jk->ik", [j, i], [j, k]],
    ["bij,bjk->bik", [3, i, j], [3, j, k]],
    ["bij,jk->bk", [2, i, j], [j, k]],
    ["ij,ij->i", [i, j], [i, j]],
    ["ij,jk->", [i, j], [j, k]],
  ]);
  draft.call("einsum", form, ...shapes.map((shape) => draft.floats(shape)));
}

function convolution(draft: Draft, cells: number): void {
  const rank = draft.chance(0.25) ? 3 : 4;
  const x = withAxes(draft, rank, cells);
  if (x.shape.length !== rank || x.shape.slice(2).some((size) => size < 6)) return;
  const channels = x.shape[1]!;
  const width = draft.pick([1, 3, 3, 5]);
  const taps = channels * width ** (rank - 2);
  const filters = Math.min(32, Math.floor((cells * PRODUCTS_PER_CELL * channels) / taps / cellsOf(x)));
  if (filters < 1 || taps > 5_000) return;
  const kernel = draft.floats([draft.between(1, filters), channels, ...x.shape.slice(2).map(() => width)]);
  const options = { padding: draft.pick([0, (width - 1) / 2]), stride: draft.pick([1, 1, 2]) };
  draft.call(rank === 4 ? "conv2d" : "conv1d", x, kernel, options);
}

function random(draft: Draft): void {
  const x = draft.some();
  const noise = draft.call(draft.pick(["randn", "rand", "randn"]), x.shape);
  if (draft.chance(0.5)) draft.call(draft.pick(["add", "mul"]), x, draft.call("mul", noise, 0.1));
  else if (draft.chance(0.3)) draft.call("dropout", x, 0.25);
}

function scan(draft: Draft): void {
  const x = draft.some();
  const name = draft.pick(["cumsum", "cumsum", "cumsum", "logcumsumexp", "cummax", "cumprod"]);
  draft.call(name, draft.chance(0.4) ? draft.call("mul", x, 0.01) : x, draft.axisOf(x));
}

function sort(draft: Draft): void {
  const x = draft.some();
  const axis = draft.axisOf(x);
  const size = x.shape[axis]!;
  switch (draft.between(0, 4)) {
    case 0:
      draft.call("topk", x, draft.between(1, Math.min(size, 10)), axis);
      break;
    case 1:
      draft.call("kthvalue", x, draft.between(1, size), axis);
      break;
    case 2:
      draft.call("median", x, axis);
      break;
    case 3:
      draft.cast("argsort", x, axis);
      break;
    default:
      draft.call("sort", x, axis);
  }
}

function lookUp(draft: Draft): void {
  const x = draft.some();
  const axis = draft.axisOf(x);
  const size = x.shape[axis]!;
  const count = draft.magnitude(1, size * 2);
  if (draft.chance(0.3)) draft.call("gather", x, axis, draft.positions(x.shape, size));
  else draft.call("indexSelect", x, axis, draft.positions([count], size));
}

function bins(draft: Draft): void {
  const x = draft.some();
  const axis = draft.axisOf(x);
  const places = draft.chance(0.5) ? 16 : x.shape[axis]!;
  const target = draft.floats(x.shape.map((size, k) => (k === axis ? places : size)));
  draft.call("indexAdd", target, axis, draft.positions([x.shape[axis]!], places), x);
}

function distances(draft: Draft): void {
  const features = draft.pick([2, 3, 8, 32]);
  const [m, n] = [draft.magnitude(10, 600), draft.magnitude(10, 600)];
  draft.call("cdist", draft.floats([m, features]), draft.floats([n, features]));
}

function attention(draft: Draft): void {
  const [length, features] = [draft.between(16, 128), draft.between(8, 64)];
  const [query, key, value] = [0, 1, 2].map(() => draft.floats([2, length, features]));
  draft.call("scaledDotProductAttention", query!, key!, value!);
}

/** Some of the axes, ascending. */
const someAxes = (draft: Draft, { shape }: Term): number[] => {
  const axes = shape.map((_, axis) => axis).filter(() => draft.chance(0.5));
  return axes.length === 0 ? [draft.between(0, shape.length - 1)] : axes;
};

function reduced(draft: Draft): void {
  const x = draft.some();
  const name = draft.pick([
    "sum",
    "mean",
    "amax",
    "amin",
    "var",
    "std",
    "norm",
    "logsumexp",
    "prod",
    "argmax",
  ]);
  if (name === "argmax") {
    if (draft.chance(0.3)) draft.cast(name, x);
    else draft.cast(name, x, draft.axisOf(x));
  } else if (name === "prod") draft.call(name, x, draft.axisOf(x));
  else if (name === "norm") draft.call(name, x, 2, someAxes(draft, x));
  else if (name !== "logsumexp" && draft.chance(0.4)) draft.call(name, x);
  else draft.call(name, x, someAxes(draft, x), { keepdim: draft.chance(0.3) });
}

function counted(draft: Draft): void {
  const x = draft.some();
  const mask = draft.aside("gt", x, 0.25);
  if (draft.chance(0.5)) draft.cast("sum", mask);
  else draft.cast("sum", mask, draft.axisOf(x));
}

function loss(draft: Draft): void {
  const x = draft.some();
  if (x.shape.length === 2 && draft.chance(0.4)) {
    draft.call("crossEntropy", x, draft.positions(x.shape.slice(0, 1), x.shape[1]!));
    return;
  }
  draft.call(draft.pick(["mseLoss", "l1Loss", "smoothL1Loss", "klDiv"]), x, draft.floats(x.shape));
}

function softened(draft: Draft): void {
  const x = draft.some();
  draft.call(draft.pick(["softmax", "logSoftmax"]), x, draft.axisOf(x));
}

function normed(draft: Draft): void {
  const x = draft.some();
  const [, channels, ...places] = x.shape;
  if (channels === undefined || places.length === 0 || draft.chance(0.2)) {
    draft.call("layerNorm", x, x.shape.slice(-1));
  } else if (draft.chance(0.5) && places.some((size) => size > 1)) draft.call("instanceNorm", x);
  else draft.call("groupNorm", x, channels % 4 === 0 ? 4 : 1);
}

function pool(draft: Draft, cells: number): void {
  const x = withAxes(draft, draft.chance(0.3) ? 3 : 4, cells);
  const rank = x.shape.length;
  if (rank > 4 || rank < 3 || x.shape.slice(2).some((size) => size < 6)) return;
  const name = draft.pick(rank === 4 ? ["maxPool2d", "maxPool2d", "avgPool2d"] : ["maxPool1d", "avgPool1d"]);
  draft.call(name, x, draft.pick([2, 2, 3]), { stride: draft.pick([1, 2, 2]) });
}

function windowed(draft: Draft): void {
  const x = draft.some();
  const axis = draft.axisOf(x);
  const size = x.shape[axis]!;
  if (size < 8) return;
  if (draft.chance(0.5))
    draft.call("sub", draft.call("narrow", x, axis, 1, size - 1), draft.call("narrow", x, axis, 0, size - 1));
  else draft.call("pad", x, [draft.between(0, 3), draft.between(1, 3)]);
}

function standardised(draft: Draft): void {
  const x = draft.some();
  const axes = someAxes(draft, x);
  const mean = draft.call("mean", x, axes, { keepdim: true });
  const deviation = draft.call("std", x, axes, { keepdim: true });
  draft.call("div", draft.call("sub", x, mean), draft.call("add", deviation, 0.1));
}

const made: readonly Form[] = [
  { name: "product", weight: 10, add: product },
  { name: "einsum", weight: 2, add: einsum },
  { name: "convolution", weight: 7, add: convolution },
  { name: "random", weight: 4, add: random },
  { name: "scan", weight: 6, add: scan },
  { name: "sort", weight: 4, add: sort },
  { name: "lookUp", weight: 4, add: lookUp },
  { name: "bins", weight: 1, add: bins },
  { name: "distances", weight: 2, add: distances },
  { name: "attention", weight: 1, add: attention },
];

const read: readonly Form[] = [
  { name: "reduced", weight: 12, add: reduced },
  { name: "counted", weight: 2, add: counted },
  { name: "loss", weight: 4, add: loss },
  { name: "softened", weight: 3, add: softened },
  { name: "normed", weight: 3, add: normed },
  { name: "standardised", weight: 3, add: standardised },
  { name: "pool", weight: 5, add: pool },
  { name: "windowed", weight: 3, add: windowed },
];

export const expensiveForms = { made, read };
