/** Puts the items of every block in an order in which each comes after what it needs. */
import type { Block, Item } from "./tree.ts";

export function orderItems(block: Block): void {
  const ordered: Item[] = [];
  const done = new Set<Item>();
  // Producers were added last, so a walk backwards moves few items.
  for (let k = block.items.length - 1; k >= 0; k--) pull(block.items[k] as Item, ordered, done);
  block.items = ordered;
  for (const item of ordered) if (item.kind === "loop") orderItems(item.body);
}

/** Appends the item after everything it needs. It is iterative, since chains of needs grow with the kernel. */
function pull(start: Item, ordered: Item[], done: Set<Item>): void {
  const stack: { item: Item; needs: Iterator<Item> }[] = [];
  const enter = (item: Item): void => {
    if (done.has(item)) return;
    done.add(item);
    stack.push({ item, needs: item.needs.values() });
  };
  enter(start);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.needs.next();
    if (next.done) {
      ordered.push(top.item);
      stack.pop();
    } else enter(next.value);
  }
}
