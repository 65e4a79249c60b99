/** int64 is a BigInt in JavaScript, twenty times dearer than a number; positions and small constants need not be. */
import type { Term, Terms } from "./term.ts";

const LOWEST = -(2 ** 31);
const HIGHEST = 2 ** 31 - 1;

/** An int32 term of the same values as the int64 one, when every value on the way is known to fit. */
export function narrow(term: Term, terms: Terms): Term | undefined {
  return rangeOf(term, 8) === undefined ? undefined : rebuilt(term, terms);
}

/** The values that a term can take, when int32 holds them and everything beneath; looks `depth` terms down. */
function rangeOf(term: Term, depth: number): readonly [number, number] | undefined {
  if (depth === 0) return undefined;
  const within = (low: number, high: number): readonly [number, number] | undefined =>
    low >= LOWEST && high <= HIGHEST ? [low, high] : undefined;
  const operands = (): (readonly [number, number])[] | undefined => {
    const ranges = term.inputs.map((input) => rangeOf(input, depth - 1));
    return ranges.every((range) => range !== undefined) ? ranges : undefined;
  };
  switch (term.fn) {
    case "constant":
      return within(Number(term.value), Number(term.value));
    case "iota":
      return within(0, (term.node.shape[0] as number) - 1);
    case "cast": {
      const [source] = term.inputs as [Term];
      return ["bool", "uint8", "int8", "int16", "int32"].includes(source.dtype)
        ? [LOWEST, HIGHEST]
        : undefined;
    }
    case "reshape":
    case "expand":
    case "permute":
    case "slice":
      return operands()?.[0];
    case "add":
    case "sub": {
      const [a, b] = operands() ?? [];
      if (a === undefined || b === undefined) return undefined;
      return term.fn === "add" ? within(a[0] + b[0], a[1] + b[1]) : within(a[0] - b[1], a[1] - b[0]);
    }
    case "mul": {
      const [a, b] = operands() ?? [];
      if (a === undefined || b === undefined) return undefined;
      const corners = [a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]];
      return within(Math.min(...corners), Math.max(...corners));
    }
    default:
      return undefined;
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
