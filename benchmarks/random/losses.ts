/** Losses of a batch: rows of classes or features, what is made of each row, and what is made of all rows. */
import type { Draft } from "./draft.ts";
import type { Term } from "./expression.ts";
import type { Range } from "./generate.ts";

export function addLoss(draft: Draft, { fewest, most }: Range): void {
  const classes = draft.chance(0.6) ? draft.between(2, 50) : draft.magnitude(50, 1_000);
  const rows = Math.max(2, Math.round(draft.magnitude(fewest, most) / classes));
  const shape = [rows, classes];
  const x = prepared(draft, draft.floats(shape));
  for (let count = draft.between(1, 2); count > 0; count--) {
    const ofRows = draft.pick(ROWS)(draft, x, draft.positions([rows], classes));
    if (ofRows !== null) combined(draft, ofRows);
  }
}

/** Logits as they are, or as a layer gives them. */
function prepared(draft: Draft, x: Term): Term {
  if (draft.chance(0.3)) return draft.call("mul", x, 0.25);
  if (draft.chance(0.2)) return draft.call(draft.pick(["gelu", "tanh", "relu"]), x);
  return draft.chance(0.2) ? draft.call("add", x, draft.floats(x.shape.slice(1))) : x;
}

type OfRows = (draft: Draft, x: Term, labels: Term) => Term | null;

/** What there is of each row; null if it is a loss of all of them. */
const ROWS: readonly OfRows[] = [
  (draft, x, labels) => whole(draft.call("crossEntropy", x, labels)),
  (draft, x, labels) => draft.call("crossEntropy", x, labels, { reduction: "none" }),
  (draft, x, labels) => whole(draft.call("crossEntropy", x, labels, { labelSmoothing: 0.1 })),
  (draft, x, labels) => whole(draft.call("nllLoss", draft.call("logSoftmax", x, 1), labels)),
  (draft, x) => draft.call("logsumexp", x, [1]),
  (draft, x) => {
    const [p, logs] = [draft.call("softmax", x, 1), draft.call("logSoftmax", x, 1)];
    return draft.call("sum", draft.call("mul", p, logs), [1]);
  },
  (draft, x) => whole(draft.call("klDiv", draft.call("logSoftmax", x, 1), probabilities(draft, x))),
  (draft, x) => draft.call("cosineSimilarity", x, draft.floats(x.shape), { dim: 1 }),
  (draft, x) => draft.call(draft.pick(["std", "var"]), x, [1]),
  (draft, x) => draft.call("amax", draft.call("softmax", x, 1), [1]),
  (draft, x) => draft.call("norm", draft.call("softplus", x), 2, [1]),
  (draft, x) => whole(draft.call(draft.pick(["huberLoss", "smoothL1Loss"]), x, draft.floats(x.shape))),
  (draft, x) => draft.call("sum", draft.call("square", draft.call("layerNorm", x, x.shape.slice(1))), [1]),
];

const whole = (_: Term): null => null;

const probabilities = (draft: Draft, x: Term): Term => draft.call("softmax", draft.floats(x.shape), 1);

/** One number of all rows, perhaps with something else of each. */
function combined(draft: Draft, ofRows: Term): void {
  let each = ofRows;
  if (draft.chance(0.3)) each = draft.call(draft.pick(["exp", "tanh", "square", "log1p"]), each);
  if (draft.chance(0.3)) each = draft.call("mul", each, draft.call("sigmoid", draft.floats(each.shape)));
  if (draft.chance(0.8)) draft.call(draft.pick(["mean", "sum", "amax"]), each);
}
