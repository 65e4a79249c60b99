/** Refuses unknown options. */
import { showArgument } from "@fuseau/ir";
import { isRecord } from "./given.ts";
import { didYouMean } from "./nearest.ts";

/** @throws TypeError unless it is an object of options, and for an option that is not in `names`. */
export function checkOptionNames(op: string, options: unknown, names: readonly string[]): void {
  if (!isRecord(options))
    throw new TypeError(
      `${op}: takes options as an object last (${names.join(", ")}), but got ${showArgument(options)}`,
    );
  const unknown = Object.keys(options as object).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new TypeError(
      `${op}: unknown option "${unknown}"${didYouMean(unknown, names)}; the options are ${names.join(", ")}`,
    );
}
