import { Worker as NodeWorker } from "node:worker_threads";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { findHost, type Host } from "../../packages/runtime/src/threads/host.ts";
import { WorkerPool } from "../../packages/runtime/src/threads/worker-pool.ts";
import { countFrame, countKernel, roles, TestMemory } from "./threads-kernels.ts";

/** What makes a worker of Node look like one of a page: no `require`, but `self`, with a lock that lasts as long as it does. */
const prelude = `
{
  const { parentPort, workerData: name } = require("node:worker_threads");
  globalThis.require = undefined;
  globalThis.self = {
    name,
    navigator: {
      locks: {
        request(wanted, granted) {
          parentPort.postMessage({ locked: wanted });
          granted();
        },
      },
    },
    postMessage: (message) => parentPort.postMessage(message),
    set onmessage(listener) {
      parentPort.on("message", (data) => listener({ data }));
    },
  };
}
`;

/** A page, as far as threads can tell: workers by URL, locks that are free when who held them has ended, no process. */
class FakePage {
  readonly texts = new Map<string, string>();
  readonly locks = new Map<string, Promise<void>>();
  /** What a Content-Security-Policy forbids. */
  forbidden = false;
  /** Whether it requires Trusted Types; the policies that it allows. */
  requiresTypes = false;
  allowedPolicies: readonly string[] = [];

  enter(isolated: boolean): void {
    const page = this;
    vi.stubGlobal("crossOriginIsolated", isolated);
    vi.stubGlobal(
      "Blob",
      class {
        readonly text: string;
        constructor(parts: readonly string[]) {
          this.text = parts.join("");
        }
      },
    );
    vi.stubGlobal("trustedTypes", {
      createPolicy(name: string, { createScriptURL }: { createScriptURL(url: string): string }) {
        if (!page.allowedPolicies.includes(name)) throw new TypeError(`policy ${name} is not allowed`);
        return { createScriptURL: (url: string) => ({ toString: () => createScriptURL(url) }) };
      },
    });
    vi.stubGlobal("URL", {
      createObjectURL({ text }: { readonly text: string }) {
        const url = `blob:${page.texts.size}`;
        page.texts.set(url, text);
        return url;
      },
      revokeObjectURL: (url: string) => page.texts.delete(url),
    });
    vi.stubGlobal("navigator", {
      hardwareConcurrency: 6,
      locks: { request: async (name: string) => page.locks.get(name) },
    });
    vi.stubGlobal(
      "Worker",
      class {
        onmessage = () => {};
        onerror = (_: { preventDefault(): void }) => {};
        readonly #worker: NodeWorker;

        constructor(url: string | object, { name }: { readonly name: string }) {
          if (page.requiresTypes && typeof url === "string")
            throw new TypeError("a TrustedScriptURL is wanted");
          const text = page.forbidden ? "process.exit()" : prelude + page.texts.get(String(url));
          this.#worker = new NodeWorker(text, { eval: true, workerData: name, execArgv: [] });
          const ended = new Promise<void>((resolve) => {
            this.#worker.on("exit", () => resolve());
          });
          if (page.forbidden) void ended.then(() => this.onerror({ preventDefault() {} }));
          this.#worker.on("message", (message: "ready" | { readonly locked: string }) => {
            if (message === "ready") this.onmessage();
            else page.locks.set(message.locked, ended);
          });
        }

        postMessage(message: object) {
          this.#worker.postMessage(message);
        }

        terminate() {
          void this.#worker.terminate();
        }
      },
    );
    vi.stubGlobal("process", undefined);
  }
}

/** The host that a page would be. Blocking is forbidden there. */
function pageHost(page: FakePage, isolated = true): Host {
  const { process } = globalThis;
  page.enter(isolated);
  const host = findHost();
  vi.stubGlobal("process", process);
  return { ...host, mayBlock: false };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

const stepIn = (memory: TestMemory, workerRole: number) => {
  const [flag, counters] = [memory.block(1).byteOffset, memory.block(100)];
  const frames = [roles.await, workerRole].map((role) =>
    memory.frame(countFrame({ role, flag, counters: counters.byteOffset })),
  );
  const kernel = memory.kernel(countKernel);
  const step = { kernel, frames, phase: 0, workItems: 100, slice: 10, sequential: false, repeatable: true };
  return { step, counters };
};

describe("in a page", () => {
  it("that is not cross-origin isolated there are no workers", () => {
    expect(pageHost(new FakePage(), false).startWorker).toBeNull();
  });

  it("workers come from a Blob and do their part", async () => {
    const memory = new TestMemory();
    const page = new FakePage();
    const host = pageHost(page);
    expect(host.parallelism).toBe(6);
    const pool = new WorkerPool({ memory: memory.memory, threads: 2, host });
    onTestFinished(() => pool.resize(1));
    expect(await pool.prepare()).toBe(2);
    expect(page.texts.size).toBe(0);
    for (let k = 0; k < 10; k++) {
      const { step, counters } = stepIn(memory, roles.come);
      expect(pool.run([step])).toBeNull();
      expect(counters).toEqual(new Int32Array(100).fill(1));
    }
  });

  it("a silent worker's lock tells when it has ended", async () => {
    const memory = new TestMemory();
    const pool = new WorkerPool({
      memory: memory.memory,
      threads: 2,
      host: pageHost(new FakePage()),
      timeLimit: 50,
    });
    await pool.prepare();
    const { step, counters } = stepIn(memory, roles.comeAndStay);
    expect(pool.run([step])).toBeNull();
    expect(counters).toEqual(new Int32Array(100).fill(1));
    expect(pool.quarantined).toBe(true);
    await vi.waitFor(() => expect(pool.quarantined).toBe(false), 30_000);
  });

  it("whose Content-Security-Policy forbids workers there is one thread", async () => {
    const page = new FakePage();
    page.forbidden = true;
    const onRefused = vi.fn();
    const pool = new WorkerPool({
      memory: new TestMemory().memory,
      threads: 3,
      host: pageHost(page),
      onRefused,
    });
    expect(await pool.prepare()).toBe(1);
    expect(onRefused).toHaveBeenCalled();
    expect(page.texts.size).toBe(0);
  });

  it.each([
    { allowedPolicies: ["fuseau"], threads: 2 },
    { allowedPolicies: [], threads: 1 },
  ])(
    "that requires Trusted Types and allows $allowedPolicies there are $threads",
    async ({ allowedPolicies, threads }) => {
      const page = new FakePage();
      page.requiresTypes = true;
      page.allowedPolicies = allowedPolicies;
      const pool = new WorkerPool({ memory: new TestMemory().memory, threads: 2, host: pageHost(page) });
      onTestFinished(() => pool.resize(1));
      expect(await pool.prepare()).toBe(threads);
      expect(page.texts.size).toBe(0);
    },
  );
});
