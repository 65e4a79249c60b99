import { availableParallelism } from "node:os";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  getThreads,
  refuseThreads,
  setThreads,
  watchThreads,
} from "../../packages/runtime/src/threads/thread-count.ts";
import { loadAgain } from "../load-again.ts";

// These settings are the process's: the order matters.
describe("the number of threads", () => {
  it("is by default what the machine runs at once, up to 8", () => {
    expect(getThreads()).toBe(Math.min(availableParallelism(), 8));
  });

  it("can be set, beyond the machine's own too, and is watched", () => {
    const watcher = vi.fn();
    watchThreads(watcher);
    expect(watcher).toHaveBeenLastCalledWith(getThreads());
    for (const threads of [1, 5, 32]) {
      setThreads(threads);
      expect(getThreads()).toBe(threads);
      expect(watcher).toHaveBeenLastCalledWith(threads);
    }
  });

  it.each([0, -1, 1.5, 33, Number.NaN, "4" as never])("cannot be %s", (threads) => {
    setThreads(3);
    expect(() => setThreads(threads)).toThrow(
      new RangeError(
        `setThreads: threads must be a whole number from 1 to 32, not ${typeof threads === "string" ? `"${threads}"` : threads}`,
      ),
    );
    expect(getThreads()).toBe(3);
  });

  it("is 1 in a host that cannot share memory", async () => {
    const file = "../../packages/runtime/src/threads/thread-count.ts";
    const fresh: typeof import("../../packages/runtime/src/threads/thread-count.ts") = await loadAgain(
      file,
      import.meta.url,
    );
    // Not before: what loads modules may need it.
    vi.stubGlobal("SharedArrayBuffer", undefined);
    onTestFinished(() => {
      vi.unstubAllGlobals();
    });
    expect(fresh.getThreads()).toBe(1);
    fresh.setThreads(4);
    expect(fresh.getThreads()).toBe(1);
  });

  it("is 1 from when the host refuses a worker", () => {
    const watcher = vi.fn();
    watchThreads(watcher);
    refuseThreads();
    expect(getThreads()).toBe(1);
    expect(watcher).toHaveBeenLastCalledWith(1);
    setThreads(4);
    expect(getThreads()).toBe(1);
  });
});
