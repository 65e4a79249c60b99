/** Lookups: integers that are read from data, and fail when they are out of range. */
import { type Integer, inline, mentionsOf, type Statement, someInteger, statementsIn } from "@fuseau/ir";
import { isFlattened } from "./lane-steps.ts";
import { type Polynomial, polynomialOf } from "./polynomial.ts";
import { isContiguous } from "./strides.ts";

/** The places that depend on a lookup among the statements, whose result may differ between iterations around it. */
export function gatheredIn(body: readonly Statement[]): (place: Polynomial) => boolean {
  const found = new Set(statementsIn(body).flatMap((each) => (each.kind === "index" ? [each.local] : [])));
  const isFound = (leaf: Integer): boolean => leaf.kind === "local" && found.has(leaf.local);
  return (place) =>
    found.size > 0 && place.some(({ factors }) => factors.some((each) => someInteger(each, isFound)));
}

/** True of a lookup whose result is not read, because the gathered axis is broadcast or empty: it remains for its failure. */
export function hasUnreadIndex(body: readonly Statement[]): boolean {
  const lookups = statementsIn(body).filter(({ kind }) => kind === "index");
  if (lookups.length === 0) return false;
  const { locals } = mentionsOf(body);
  return lookups.some((each) => each.kind === "index" && !locals.has(each.local));
}

/** The elements of a register. In rows of more, steps along the row save more than the elements that are left cost. */
const REGISTER = 4;

/**
 * True of a body that looks a row up and walks it in memory order, in a loop within, to store it or to fold it into columns. Unless ops are
 * expensive, or rows are transposed, elements of the row are better lanes than rows: those are anywhere, and each of their elements would be
 * loaded by itself.
 */
export function walksRowFound(body: readonly Statement[]): boolean {
  if (!body.some(({ kind }) => kind === "index")) return false;
  const isFound = gatheredIn(body);
  const integers = new Map<number, Integer>();
  for (const each of statementsIn(body)) if (each.kind === "integer") integers.set(each.local, each.value);
  const polynomial = (place: Integer): Polynomial =>
    polynomialOf(inline(place, (local) => integers.get(local)));
  return body.some((row) => {
    if (row.kind !== "for" || row.axis.extent.kind !== "literal" || row.axis.extent.value <= REGISTER)
      return false;
    const isCheap = (each: Statement): boolean =>
      each.kind === "integer" ||
      each.kind === "store" ||
      each.kind === "accumulate" ||
      (each.kind === "let" && !(each.value.kind === "pointwise" && isFlattened(each.value.fn)));
    const found = row.body.flatMap((each) =>
      each.kind === "let" && each.value.kind === "load" ? [polynomial(each.value.at)].filter(isFound) : [],
    );
    const stored = row.body.flatMap((each) => {
      const place = each.kind === "store" ? each.at : each.kind === "accumulate" ? each.cell : null;
      return place === null ? [] : [polynomial(place)];
    });
    const areInOrder = [...found, ...stored].every((place) => isContiguous(place, row.axis.axis));
    return found.length > 0 && areInOrder && row.body.every(isCheap);
  });
}
