/** The calls of a case's program. */
import { argumentOf, type Results, resultList } from "./adapter/argument.ts";
import { call } from "./adapter/call.ts";
import type { Step } from "./case.ts";

/** Makes the call and names its results. */
export function take({ op, args, kwargs = {}, out }: Step, results: Results): string | null {
  const keywords = Object.fromEntries(
    Object.entries(kwargs).map(([name, value]) => [name, argumentOf(value, results)]),
  );
  const result = call(
    op,
    args.map((value) => argumentOf(value, results)),
    keywords,
  );
  if (out === undefined) return null;
  if (typeof out === "string") {
    results.set(out, result);
    return null;
  }
  const list = resultList(result);
  if (list.length !== out.length) return `${op}: ${list.length} results, want ${out.length}`;
  for (const [i, name] of out.entries()) results.set(name, list[i]);
  return null;
}
