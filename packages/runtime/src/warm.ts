/**
 * What the first program of a process waits for is V8, which compiles each function of the passes and emitters at its first call. While the
 * host has nothing else to do, a small graph is recorded and compiled, a part at a time, and thrown away: no tensor is computed, and nothing is cached, counted or asked
 * of the host.
 */
import { compile, type Graph } from "@fuseau/compiler";
import { backends } from "./backends/backends.ts";
import { extract, forget, record } from "./execute/extract.ts";
import { programCounters } from "./execute/programs.ts";
import { mul } from "./functions/arithmetic.ts";
import { fromTypedArray } from "./functions/creation.ts";
import { softmax } from "./functions/normalization.ts";
import { getOptions } from "./options.ts";
import { unwrap } from "./tensor/handle.ts";

/** A process that ends before, or computes at once, pays nothing. Milliseconds. */
const PATIENCE = 10;

interface Timer {
  unref?(): void;
}

interface Host {
  readonly requestIdleCallback?: (run: () => void) => void;
  readonly setTimeout?: (run: () => void, ms: number) => Timer | number;
  readonly process?: { readonly env?: { readonly JEST_WORKER_ID?: string } };
}

/** Runs when the host is idle; never keeps a process alive. */
function whenIdle(run: () => void): void {
  const { requestIdleCallback, setTimeout } = globalThis as unknown as Host;
  try {
    if (requestIdleCallback !== undefined) requestIdleCallback(run);
    else {
      const timer = setTimeout?.(run, PATIENCE);
      if (typeof timer === "object") timer.unref?.();
    }
  } catch {
    // workerd has no timers while modules are loaded.
  }
}

/** Jest fails a run in which anything is loaded after its tests; who is idle there has often ended. */
function isInJest(): boolean {
  try {
    return (globalThis as unknown as Host).process?.env?.JEST_WORKER_ID !== undefined;
  } catch {
    // Deno refuses its environment to whom it is not granted.
    return false;
  }
}

/** To be called once, when all backends are there. */
export function warmWhenIdle(): void {
  if (isInJest()) return;
  const parts = partsOfWarming();
  const { misses } = programCounters();
  const next = (): void => {
    // Whoever computes has warmed it himself, or is about to.
    if (getOptions().warm === false || programCounters().misses > misses) return;
    try {
      if (parts.next().done !== true) whenIdle(next);
    } catch {
      // What a host that is being taken down has no more is not needed any more.
    }
  };
  whenIdle(next);
}

function* partsOfWarming(): Generator<void, void, void> {
  const graph = softmaxGraph();
  yield;
  for (const backend of backends) {
    const program = compile(graph, { target: () => backend.target });
    yield;
    backend.warm(program);
    yield;
  }
}

/** Recorded as users record it; its input is the only value that has elements. */
function softmaxGraph(): Graph {
  const x = fromTypedArray(new Float32Array(64 * 64), { shape: [64, 64] });
  const { nodes, inputs, outputs } = record(extract([unwrap(softmax(mul(x, x), -1))], new Set()));
  forget();
  return { nodes, inputs, outputs };
}
