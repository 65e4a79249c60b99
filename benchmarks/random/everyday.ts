/**
 * What users write beside the other forms: images of bytes, other kinds of convolution, windows, permutations, outer pairs, tables, masks,
 * moved and repeated rows, groups, bins and measures of likeness.
 */
import { cellsOf, type Draft } from "./draft.ts";
import type { Term } from "./expression.ts";
import type { Form } from "./forms.ts";

/** Two to four axes: what was made before, if it has so many, else something new. */
function withAxes(draft: Draft, rank: number, cells: number): Term {
  const x = draft.some();
  if (x.shape.length === rank) return x;
  const even = draft.magnitude(1e3, cells) ** (1 / rank);
  return draft.floats(
    Array.from({ length: rank }, () => Math.max(2, Math.round(draft.magnitude(even / 2, even * 2)))),
  );
}

function image(draft: Draft, cells: number): void {
  const side = Math.round(Math.sqrt(draft.magnitude(1e3, cells) / 3));
  const channels = draft.pick([3, 3, 4]);
  let pixels = draft.call("div", draft.cast("clone", draft.bytes([side, side, channels])), 255);
  if (draft.chance(0.7)) pixels = draft.call("mul", pixels, draft.floats([channels]));
  if (draft.chance(0.5)) draft.call("permute", pixels, [2, 0, 1]);
}

/** Grouped, depthwise, dilated, transposed or of one dimension. */
function convolution(draft: Draft, cells: number): void {
  const channels = draft.pick([4, 8, 16, 32]);
  const side = draft.between(8, Math.max(9, Math.round(Math.sqrt(cells / channels / 4))));
  const x = draft.floats([draft.between(1, 3), channels, side, side]);
  const width = draft.pick([3, 3, 5]);
  switch (draft.between(0, 4)) {
    case 0:
      draft.call("conv2d", x, draft.floats([channels, 1, width, width]), { groups: channels, padding: 1 });
      break;
    case 1:
      draft.call("conv2d", x, draft.floats([8, channels / 2, 3, 3]), { groups: 2, padding: 1 });
      break;
    case 2:
      draft.call("conv2d", x, draft.floats([8, channels, 3, 3]), { dilation: 2, padding: 2 });
      break;
    case 3:
      draft.call("convTranspose2d", x, draft.floats([channels, 4, 4, 4]), { stride: 2, padding: 1 });
      break;
    default:
      draft.call(
        "conv1d",
        draft.call("reshape", x, [x.shape[0]!, channels, -1]),
        draft.floats([8, channels, width]),
      );
  }
}

function resampled(draft: Draft, cells: number): void {
  const x = withAxes(draft, 4, cells / 4);
  const mode = draft.pick(["nearest", "bilinear", "bilinear"]);
  if (cellsOf(x) * 4 <= cells) draft.call("interpolate", x, { scaleFactor: 2, mode });
}

function windows(draft: Draft, cells: number): void {
  const x = draft.some();
  const axis = draft.axisOf(x);
  const size = x.shape[axis]!;
  if (size < 16) return;
  const width = draft.pick([3, 5, 8]);
  const step = draft.pick([1, 1, 2, width]);
  if ((cellsOf(x) / step) * width > 4 * cells) return;
  const view = draft.call("unfold", x, axis, width, step);
  draft.call(draft.pick(["mean", "amax", "std", "sum"]), view, -1);
}

function permuted(draft: Draft, cells: number): void {
  const x = withAxes(draft, draft.pick([3, 4]), cells);
  const axes = x.shape.map((_, axis) => axis);
  for (let k = axes.length - 1; k > 0; k--) {
    const other = draft.between(0, k);
    [axes[k], axes[other]] = [axes[other]!, axes[k]!];
  }
  const y = draft.call("permute", x, axes);
  if (draft.chance(0.3)) draft.call("contiguous", y);
}

/** All pairs of rows. */
function pairs(draft: Draft): void {
  const [m, n, features] = [draft.magnitude(8, 300), draft.magnitude(8, 300), draft.pick([1, 2, 3, 16])];
  const [x, y] = [draft.floats([m, 1, features]), draft.floats([n, features])];
  const difference = draft.call("sub", x, y);
  const size = draft.call("sum", draft.call(draft.pick(["abs", "square"]), difference), -1);
  if (draft.chance(0.5)) draft.call("exp", draft.call("neg", size));
}

function table(draft: Draft): void {
  const [rows, features] = [draft.magnitude(10, 5_000), draft.magnitude(2, 64)];
  const places = draft.positions([draft.between(1, 8), draft.magnitude(4, 500)], rows);
  const found = draft.call("embedding", places, draft.floats([rows, features]));
  if (draft.chance(0.5)) draft.call("mean", found, 1);
}

function masked(draft: Draft): void {
  const x = draft.some();
  switch (draft.between(0, 3)) {
    case 0:
      draft.call("maskedFill", x, draft.aside("lt", x, 0), 0);
      break;
    case 1:
      if (x.shape.length > 1) draft.call(draft.pick(["tril", "triu"]), x);
      break;
    case 2:
      draft.call("where", x, draft.aside("isfinite", x), draft.floats([]));
      break;
    default:
      draft.call("mul", x, draft.cast("ge", x, draft.call("mean", x, draft.axisOf(x), { keepdim: true })));
  }
}

function moved(draft: Draft, cells: number): void {
  const x = draft.some();
  const axis = draft.axisOf(x);
  const size = x.shape[axis]!;
  switch (draft.between(0, 5)) {
    case 0:
      draft.call("roll", x, draft.between(-size, size), axis);
      break;
    case 1:
      if (cellsOf(x) * 2 <= cells) draft.call("repeatInterleave", x, 2, axis);
      break;
    case 2:
      if (size > 1) draft.call("diff", x, 1, axis);
      break;
    case 3:
      if (cellsOf(x) * 2 <= cells) draft.call("stack", [x, draft.call("neg", x)], axis);
      break;
    case 4:
      if (cellsOf(x) * 3 <= cells) draft.call("tile", x, [3, ...x.shape.map(() => 1)]);
      break;
    default:
      if (size > 2) draft.call("slice", x, ...x.shape.map((end, k) => (k === axis ? [0, end, 2] : [0, end])));
  }
}

/** Sums, means or extremes of groups of rows. */
function grouped(draft: Draft): void {
  const x = draft.some();
  const axis = draft.axisOf(x);
  const groups = draft.magnitude(2, 200);
  const target = draft.floats(x.shape.map((size, k) => (k === axis ? groups : size)));
  const places = draft.positions(x.shape, groups);
  draft.call("scatterReduce", target, axis, places, x, draft.pick(["sum", "amax", "mean"]));
}

function binned(draft: Draft): void {
  const x = draft.some();
  if (draft.chance(0.5)) draft.cast("bucketize", x, draft.call("linspace", -1, 1, draft.pick([5, 17, 65])));
  else draft.call("histc", x, { bins: draft.pick([10, 64]), min: -1, max: 1 });
}

/** Of three operands. */
function contracted(draft: Draft): void {
  const [b, i, j, d] = [
    draft.between(1, 8),
    draft.between(4, 48),
    draft.between(4, 48),
    draft.between(4, 32),
  ];
  const [form, ...shapes] = draft.pick<readonly [string, ...number[][]]>([
    ["bid,bjd,j->bij", [b, i, d], [b, j, d], [j]],
    ["bhid,bhjd->bhij", [b, 2, i, d], [b, 2, j, d]],
    ["ijk,k->ij", [i, j, d], [d]],
    ["i,j,k->ijk", [i], [j], [d]],
    ["bij,jk,bk->bi", [b, i, j], [j, d], [b, d]],
  ]);
  draft.call("einsum", form, ...shapes.map((shape) => draft.floats(shape)));
}

function compared(draft: Draft): void {
  const x = draft.some();
  const y = draft.floats(x.shape);
  const name = draft.pick([
    "cosineSimilarity",
    "pairwiseDistance",
    "huberLoss",
    "binaryCrossEntropyWithLogits",
    "lerp",
    "hypot",
    "atan2",
    "fmod",
  ]);
  if (name === "lerp") draft.call(name, x, y, 0.25);
  else if (name === "binaryCrossEntropyWithLogits") draft.call(name, x, draft.call("sigmoid", y));
  else if (name === "cosineSimilarity") draft.call(name, x, y, { dim: draft.axisOf(x) });
  else if (name === "fmod") draft.call(name, x, draft.call("add", draft.call("abs", y), 0.5));
  else draft.call(name, x, y);
}

function described(draft: Draft, cells: number): void {
  const x = withAxes(draft, 2, cells);
  const [rows, columns] = x.shape as [number, number];
  switch (draft.between(0, 3)) {
    case 0:
      if (rows <= 200) draft.call("cov", x);
      break;
    case 1:
      draft.call("quantile", x, 0.25, draft.axisOf(x));
      break;
    case 2:
      draft.call("trapezoid", x);
      break;
    default: {
      const scale = draft.call("amax", draft.call("abs", x), 0, { keepdim: true });
      draft.call("matmul", draft.call("div", x, draft.call("add", scale, 1)), draft.floats([columns, 4]));
    }
  }
}

function normed(draft: Draft, cells: number): void {
  const x = withAxes(draft, draft.pick([2, 4]), cells);
  const channels = x.shape[1]!;
  if (draft.chance(0.4)) draft.call("rmsNorm", x, x.shape.slice(-1));
  else {
    const axes = x.shape.map((_, axis) => axis).filter((axis) => axis !== 1);
    const mean = draft.call("mean", x, axes);
    const variance = draft.call("add", draft.call("square", draft.floats([channels])), 0.5);
    draft.call("relu", draft.call("batchNorm", x, mean, variance));
  }
}

export const everydayForms: readonly Form[] = [
  { name: "image", weight: 3, add: image },
  { name: "convolution", weight: 4, add: convolution },
  { name: "resampled", weight: 3, add: resampled },
  { name: "windows", weight: 3, add: windows },
  { name: "permuted", weight: 4, add: permuted },
  { name: "pairs", weight: 2, add: pairs },
  { name: "table", weight: 3, add: table },
  { name: "masked", weight: 3, add: masked },
  { name: "moved", weight: 6, add: moved },
  { name: "grouped", weight: 3, add: grouped },
  { name: "binned", weight: 2, add: binned },
  { name: "contracted", weight: 2, add: contracted },
  { name: "compared", weight: 4, add: compared },
  { name: "described", weight: 3, add: described },
  { name: "normed", weight: 3, add: normed },
];
