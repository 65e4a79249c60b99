/** Work that may wait is done while the host is idle: between the frames of a page, and the events of Node. */
import { later, now } from "./threads/host.ts";

/** Milliseconds for which a host without idle callbacks may be kept from its next event. */
const SLICE = 5;

/** How many milliseconds are left: whoever works on when none are makes a frame or an event late. */
export type Left = () => number;

interface IdleHost {
  readonly requestIdleCallback?: (run: (deadline?: { timeRemaining(): number }) => void) => void;
  readonly process?: { readonly env?: { readonly JEST_WORKER_ID?: string } };
}

/** Calls `run` when the host is idle, or after so many milliseconds where it cannot say when that is. It keeps no process alive. */
export function whenIdle(run: (left: Left) => void, patience: number): void {
  if (isInJest()) return;
  const slice = (): void => {
    const end = now() + SLICE;
    run(() => end - now());
  };
  const { requestIdleCallback } = globalThis as unknown as IdleHost;
  try {
    if (requestIdleCallback !== undefined) {
      requestIdleCallback((deadline) =>
        deadline === undefined ? slice() : run(() => deadline.timeRemaining()),
      );
      return;
    }
  } catch {
    // Who replaced it may refuse.
  }
  later(slice, patience);
}

/** Jest fails a run in which a module is loaded after its tests, and an idle callback often comes after them. */
function isInJest(): boolean {
  try {
    return (globalThis as unknown as IdleHost).process?.env?.JEST_WORKER_ID !== undefined;
  } catch {
    // Deno throws if it is not permitted to read the environment.
    return false;
  }
}
