/** Counts faults of the compiler, after which a program runs in another way. The first one is printed on the console. */
import type { InternalError } from "@fuseau/ir";
import { watchOptions } from "../../options.ts";

let count = 0;
let last: InternalError | null = null;

export const faultCounters = (): { readonly count: number; readonly last: InternalError | null } => ({
  count,
  last,
});

let isThrown = false;
let isSilent = false;
watchOptions(({ onFault }) => {
  isThrown = onFault === "throw";
  isSilent = onFault === "silent";
});

interface Host {
  readonly console?: { warn(message: string): void };
}
let isSaid = false;

/**
 * Counts a fault, and warns about it once in a process or page. What runs `instead` may be slower. With another emitter, last bits may
 * differ.
 * @throws the fault, if the option onFault says so.
 */
export function noteFault(fault: InternalError, instead: string): void {
  if (isThrown) throw fault;
  count++;
  last = fault;
  if (isSaid || isSilent) return;
  isSaid = true;
  (globalThis as unknown as Host).console?.warn(
    `${fault.message}\nfuseau: the program ${instead} instead, and may be slower. stats().faults counts such faults; setOptions({ onFault: "throw" }) throws them, and "silent" says nothing.`,
  );
}
