/** Faults of the compiler's own, after which a program runs another way: each is counted, and the first is said on the console. */
import type { InternalError } from "@fuseau/ir";
import { watchOptions } from "../options.ts";

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
 * Notes a fault, and says so once in a process or page: what runs `instead` may be slower and, on another emitter, differ in the last bit.
 * @throws the fault, where onFault asks for it.
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
