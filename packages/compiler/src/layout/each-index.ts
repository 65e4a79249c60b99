/** Every index of a kernel's block, for passes that rewrite them. */

import type { Index } from "../indexing/index-expression.ts";
import type { Accumulate, Block, Guard, Let, Store } from "../schedule/tree.ts";

/** Replaces every index in the block, and in the loops within, by what `change` gives for it. */
export function eachIndex(block: Block, change: (index: Index) => Index): void {
  for (const item of block.items) {
    switch (item.kind) {
      case "loop":
        eachIndex(item.body, change);
        break;
      case "let":
        changeLet(item, change);
        break;
      case "store":
        (item as Store).at = change(item.at);
        break;
      case "accumulate":
        (item as Accumulate).cell = change(item.cell);
        (item as Accumulate).position = change(item.position);
        break;
      case "lookup":
        item.place = change(item.place);
        break;
      case "sort":
        break;
      default:
        item satisfies never;
    }
  }
}

function changeLet(item: Let, change: (index: Index) => Index): void {
  const { definition } = item;
  const guarded = (guards: readonly Guard[]): Guard[] =>
    guards.map((guard) => ({ ...guard, at: change(guard.at) }));
  switch (definition.kind) {
    case "load":
      item.definition = { ...definition, at: change(definition.at), guards: guarded(definition.guards) };
      break;
    case "select": {
      const cases = definition.cases.map(({ guards, value }) => ({ guards: guarded(guards), value }));
      item.definition = { ...definition, cases };
      break;
    }
    case "index":
      item.definition = { ...definition, at: change(definition.at) };
      break;
    case "result":
      item.definition = { ...definition, cell: change(definition.cell) };
      break;
    case "pointwise":
      break;
    default:
      definition satisfies never;
  }
}
