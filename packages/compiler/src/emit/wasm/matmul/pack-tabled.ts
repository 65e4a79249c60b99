/** Packs an operand whose elements stand where tables say: so far behind its begin for the lane, and so far for the place along k. */
import {
  add,
  advance,
  define,
  type Expression,
  forEach,
  min,
  mul,
  procedure,
  push,
  sub,
} from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import type { Kind } from "./kinds.ts";

/** pack(source, ofLane, ofDepth, lanes, depth, to): panels as `pack` makes them, unit by unit. A unit is an element as it is in memory. */
export function packTabled(module: ModuleBuilder, kind: Kind, width: number): FunctionIndex {
  const { loadElement, unitBytes } = kind;
  return procedure(
    module,
    `pack_tabled_${kind.name}_${width}`,
    "source ofLane ofDepth lanes depth to",
    (target, { source, ofLane, ofDepth, lanes, depth, to }) => {
      const entry = (table: Expression, k: Expression): Expression => ({
        op: "i32.load",
        args: [add(table, mul(k, 4))],
      });
      forEach(target, 0, lanes, width, (first) => {
        const last = define(target, sub(lanes, 1));
        // Where lanes end, the last is packed again.
        const sources = Array.from({ length: width }, (_, i) =>
          define(target, add(source, entry(ofLane, min(add(first, i), last)))),
        );
        forEach(target, 0, depth, 1, (k) => {
          const behind = define(target, entry(ofDepth, k));
          sources.forEach((from, i) => {
            target.get(to.local);
            push(target, add(from, behind));
            target.op(loadElement).op(unitBytes === 4 ? "i32.store" : "i64.store", i * unitBytes);
          });
          advance(target, to, width * unitBytes);
        });
      });
    },
  );
}
