/** Says, once for each line, that a recording grows from one computation to the next. */
import { callSite } from "../compat/call-site.ts";
import { Value } from "../value.ts";

const said = new Set<string>();
/** Where values were recorded, while it is watched for. */
const sites = new WeakMap<Value, string>();

/** From now on the lines that record are noted. It costs a stack for each value, so only a recording that grows is worth it. */
export function watchForGrowth(): void {
  Value.watch ??= (value) => sites.set(value, callSite());
}

/** The recording beneath `order` has grown over so many computations, and is cut. */
export function sayThatItGrows(order: readonly Value[], computations: number): void {
  const fresh = order.find(
    ({ storage, trace, inputs }) =>
      storage === null &&
      trace === null &&
      inputs.some((input) => input.storage === null && input.trace !== null),
  );
  const site = (fresh && sites.get(fresh)) ?? "a line that was not watched";
  Value.watch = null;
  if (said.has(site)) return;
  said.add(site);
  const { console } = globalThis as { readonly console?: { warn(message: string): void } };
  console?.warn(
    `compute: what is recorded at ${site} reads what was recorded and never computed before the last ${computations} computations, so that each of them computed more than the one before. It is cut here: the value is kept. Call compute() on it in each round.`,
  );
}
