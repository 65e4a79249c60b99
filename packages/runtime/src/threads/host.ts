/** What threads need of their host: Node, a page, or a host without threads. */
import { builtin } from "../builtin.ts";

export interface Host {
  /** How many threads the machine runs at the same time. */
  readonly parallelism: number;
  /** True if this thread may block. A page's main thread may not. */
  readonly mayBlock: boolean;
  /**
   * Null where threads cannot share memory.
   * @throws whatever the host throws when it refuses.
   */
  readonly startWorker: ((text: string, events: WorkerEvents) => HostWorker) | null;
}

export interface WorkerEvents {
  ready(): void;
  /** Called when the worker could not be started, or has ended. */
  gone(): void;
}

export interface HostWorker {
  post(message: object): void;
  /** Resolves when none of its code can run any more; never in a host that does not say. */
  stop(): Promise<void>;
}

/** The present host. */
export function findHost(): Host {
  if (typeof SharedArrayBuffer !== "function") return oneThread;
  const node = builtin("node:worker_threads") as NodeThreads | undefined;
  if (node !== undefined) return nodeHost(node);
  const page = globalThis as unknown as Page;
  // Only threads of an isolated page may share memory.
  if (page.crossOriginIsolated === true && typeof page.Worker === "function") return pageHost(page);
  return oneThread;
}

const oneThread: Host = { parallelism: 1, mayBlock: false, startWorker: null };

function mayBlock(): boolean {
  try {
    // Returns at once, because the word is not 1.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
}

interface NodeThreads {
  readonly Worker: new (
    text: string,
    options: {
      readonly eval: true;
      readonly name: string;
      readonly env: object;
      readonly execArgv: readonly string[];
    },
  ) => NodeWorker;
}

interface NodeWorker {
  on(event: "message" | "error" | "exit", listener: () => void): void;
  postMessage(message: object): void;
  terminate(): Promise<unknown>;
  unref(): void;
}

function nodeHost({ Worker }: NodeThreads): Host {
  const { availableParallelism } = builtin("node:os") as { availableParallelism(): number };
  return {
    parallelism: availableParallelism(),
    mayBlock: mayBlock(),
    startWorker(text, { ready, gone }) {
      // The worker gets neither the program's loaders and hooks nor its environment, which may name more of them.
      const worker = new Worker(text, { eval: true, name: "fuseau", env: {}, execArgv: [] });
      worker.on("message", ready);
      worker.on("exit", gone);
      // Without a listener an error would end the process. An exit follows it.
      worker.on("error", () => {});
      // Workers do not keep a process alive, whether or not they sleep. It comes last, because adding a message listener undoes it.
      worker.unref();
      return {
        post: (message) => worker.postMessage(message),
        stop: async () => {
          await worker.terminate();
        },
      };
    },
  };
}

interface Page {
  readonly crossOriginIsolated?: boolean;
  readonly Worker: new (url: ScriptUrl, options: { readonly name: string }) => PageWorker;
  readonly Blob: new (parts: readonly string[], options: { readonly type: string }) => object;
  readonly URL: { createObjectURL(blob: object): string; revokeObjectURL(url: string): void };
  readonly crypto: { randomUUID(): string };
  readonly trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(url: string): string },
    ): {
      createScriptURL(url: string): ScriptUrl;
    };
  };
  readonly navigator: {
    readonly hardwareConcurrency?: number;
    readonly locks?: { request(name: string, granted: () => void): Promise<void> };
  };
}

/** A string, or a trusted object where a page requires Trusted Types. */
type ScriptUrl = string | object;

interface PageWorker {
  onmessage: () => void;
  onerror: (event: { preventDefault(): void }) => void;
  postMessage(message: object): void;
  terminate(): void;
}

/** Pages that require Trusted Types start workers only from URLs that a policy has made. `trusted-types fuseau` allows ours. */
function scriptUrls(trustedTypes: Page["trustedTypes"]): (url: string) => ScriptUrl {
  try {
    const policy = trustedTypes?.createPolicy("fuseau", { createScriptURL: (url) => url });
    if (policy !== undefined) return (url) => policy.createScriptURL(url);
  } catch {
    // The policy is not allowed, or another copy of this module has made it. The Worker's constructor decides then.
  }
  return (url) => url;
}

function pageHost({ Worker, Blob, URL, crypto, navigator, trustedTypes }: Page): Host {
  let scriptUrl: ((url: string) => ScriptUrl) | undefined;
  return {
    parallelism: navigator.hardwareConcurrency ?? 1,
    mayBlock: mayBlock(),
    startWorker(text, { ready, gone }) {
      const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
      const name = `fuseau ${crypto.randomUUID()}`;
      scriptUrl ??= scriptUrls(trustedTypes);
      let worker: PageWorker;
      try {
        worker = new Worker(scriptUrl(url), { name });
      } catch (error) {
        URL.revokeObjectURL(url);
        throw error;
      }
      worker.onmessage = () => {
        URL.revokeObjectURL(url);
        ready();
      };
      // If a Content-Security-Policy forbids the URL, the error is reported here, and not thrown.
      worker.onerror = (event) => {
        event.preventDefault();
        URL.revokeObjectURL(url);
        gone();
      };
      return {
        post: (message) => worker.postMessage(message),
        stop() {
          worker.terminate();
          // Chromium lets the worker run for two more seconds, and no event says when it has ended. But the lock that it holds is free
          // then.
          return navigator.locks?.request(name, () => {}) ?? new Promise(() => {});
        },
      };
    },
  };
}

interface Timers {
  setInterval(call: () => void, milliseconds: number): unknown;
  clearInterval(timer: unknown): void;
}

/** A timer's longest wait, in milliseconds. */
const LONGEST_WAIT = 2 ** 31 - 1;

/** Keeps the process from ending until the returned function is called. Workers and promises do not keep it alive. */
export function keepAlive(): () => void {
  const { setInterval, clearInterval } = globalThis as unknown as Timers;
  const timer = setInterval(() => {}, LONGEST_WAIT);
  return () => clearInterval(timer);
}

// Read when it is called: Node loads its `performance` module at first use.
const host = globalThis as unknown as { readonly performance: { now(): number } };

interface Timers {
  readonly setTimeout?: (run: () => void, ms: number) => { unref?(): void } | number;
  readonly Deno?: { readonly unrefTimer?: (timer: number) => void };
}

/** Calls a function after so many milliseconds, if the host has timers. It keeps no process alive. */
export function later(run: () => void, ms: number): void {
  try {
    const { setTimeout, Deno } = globalThis as unknown as Timers;
    const timer = setTimeout?.(run, ms);
    if (typeof timer === "object") timer.unref?.();
    else if (timer !== undefined) Deno?.unrefTimer?.(timer);
  } catch {
    // workerd has no timers while modules are loaded.
  }
}

/** Milliseconds of a clock that never goes back. */
export const now = (): number => host.performance.now();
