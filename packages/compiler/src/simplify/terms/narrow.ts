/** int64 is a BigInt in JavaScript, twenty times as slow as a number. Positions and small constants fit a narrower dtype. */
import { fits } from "./range.ts";
import type { Term, Terms } from "./term.ts";

/** The most terms that are visited beneath one. */
const DEEPEST = 8;

/** An int32 term equal to the int64 one, when every intermediate value is known to fit. */
export const narrow = (term: Term, terms: Terms): Term | undefined =>
  isNarrow(term, DEEPEST) ? rebuilt(term, terms) : undefined;

function isNarrow({ fn, range, inputs }: Term, depth: number): boolean {
  if (depth === 0 || range === undefined || !fits("int32", range)) return false;
  switch (fn) {
    case "constant":
    case "iota":
      return true;
    case "cast":
      return inputs[0]?.range !== undefined && inputs[0].dtype !== "int64";
    case "reshape":
    case "expand":
    case "permute":
    case "slice":
    case "add":
    case "sub":
    case "mul":
    case "maximum":
    case "minimum":
      return inputs.every((input) => isNarrow(input, depth - 1));
    default:
      return false;
  }
}

function rebuilt(term: Term, terms: Terms): Term {
  switch (term.fn) {
    case "constant":
      return terms.constant("int32", Number(term.value));
    case "iota":
      return terms.iota("int32", term.node.shape[0] as number);
    case "cast":
      return terms.cast(term.inputs[0] as Term, "int32");
    default:
      return terms.make(
        { ...term.node, dtype: "int32" },
        term.inputs.map((input) => rebuilt(input, terms)),
      );
  }
}
