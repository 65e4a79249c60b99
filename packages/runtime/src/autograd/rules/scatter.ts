/** Derivatives of gather and of the five scatters, with PyTorch's conventions for ties and zeros. */
import { sameNumbers } from "@fuseau/ir";
import { and, div, eq, mul, where } from "../../ops/pointwise.ts";
import * as record from "../../record.ts";
import { filled, zerosOf } from "../../tape/constants.ts";
import type { Value } from "../../value.ts";
import type { NodeOf } from "./linear.ts";

export const ungather = (g: Value, node: NodeOf<"gather">, x: Value, index: Value): Value =>
  record.scatter(zerosOf(x), node.attributes.axis, index, g, "sum");

/** Gradients of the base and of the source. */
export function unscatter(
  g: Value,
  node: NodeOf<"scatter">,
  [base, index, source]: readonly [Value, Value, Value],
  result: Value,
): [Value, Value] {
  const { axis, combine } = node.attributes;
  const shown = (x: Value): Value => record.pick(x, axis, index);
  const { shape } = index.node;
  const part = record.slice(
    source,
    shape.map(() => 0),
    shape.map(() => 1),
    shape,
  );
  /** The source may be larger than the index. Elements that are not scattered have gradient 0. */
  const whole = (x: Value): Value =>
    sameNumbers(shape, source.node.shape)
      ? x
      : record.pad(
          x,
          shape.map(() => 0),
          shape.map((size, other) => (source.node.shape[other] as number) - size),
          filled(x.node.dtype, [], 0),
        );
  const scattered = (into: Value, values: Value): Value =>
    record.scatter(into, axis, index, values, combine === "set" ? "set" : "sum");
  switch (combine) {
    case "set":
      return [record.scatter(g, axis, index, filled(g.node.dtype, shape, 0), "set"), whole(shown(g))];
    case "sum":
      return [g, whole(shown(g))];
    case "max":
    case "min": {
      const { dtype } = base.node;
      const isBase = record.cast(eq(base, result), dtype);
      const isSource = record.cast(eq(part, shown(result)), dtype);
      const shares = div(g, scattered(isBase, isSource));
      return [mul(isBase, shares), whole(mul(isSource, shown(shares)))];
    }
    case "prod": {
      const { dtype } = base.node;
      const nonzero = where(eq(base, 0), 1, base);
      const others = record.scatter(nonzero, axis, index, part, "prod");
      const isZero = eq(part, 0);
      const zeros = shown(scattered(zerosOf(base), record.cast(isZero, dtype)));
      const isOnlyZero = and(isZero, eq(zeros, 1));
      const withoutIt = record.scatter(base, axis, index, where(isOnlyZero, 1, part), "prod");
      const share = where(
        isOnlyZero,
        shown(mul(g, withoutIt)),
        div(shown(mul(g, result)), where(isZero, 1, part)),
      );
      return [div(mul(g, others), nonzero), whole(share)];
    }
    default:
      return combine satisfies never;
  }
}
