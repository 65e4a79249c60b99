/** How much a phase has to do, for whoever divides it among threads. */
import { evaluateInteger, type Integer, type Name, pointwiseOps, type Statement } from "@fuseau/ir";

/** What a sort does for each key, in elements of other loops. */
const SORT_COST = 8;

/** The elements that a body works on, each counted once for every four additions that it costs, given sizes. */
export function workOf(body: readonly Statement[], sizes: readonly number[], known: Known): number {
  let cost = 0;
  let work = 0;
  for (const statement of body) {
    switch (statement.kind) {
      case "let":
        cost += statement.value.kind === "pointwise" ? pointwiseOps[statement.value.fn].cost : 1;
        break;
      case "integer":
        known.set(statement.local, statement.value);
        break;
      case "for":
        work += extentOf(statement.axis.extent, sizes, known) * workOf(statement.body, sizes, known);
        break;
      case "reduce": {
        const times = statement.axes.reduce(
          (product, { extent }) => product * extentOf(extent, sizes, known),
          1,
        );
        work += times * workOf([...statement.row, ...statement.body], sizes, known);
        break;
      }
      case "sort":
        work += SORT_COST * extentOf(statement.length, sizes, known);
        break;
      default:
        cost++;
    }
  }
  return work + cost / 4;
}

/** What the integers around a body are. */
export type Known = Map<number, Integer>;

/** An extent, with every axis at its start: what a strip has that is not the last. */
export function extentOf(extent: Integer, sizes: readonly number[], known: Known): number {
  const atStart = (name: Name): number => {
    const value = name.kind === "local" ? known.get(name.local) : undefined;
    return value === undefined ? 0 : evaluateInteger(value, sizes, atStart);
  };
  return evaluateInteger(extent, sizes, atStart);
}
