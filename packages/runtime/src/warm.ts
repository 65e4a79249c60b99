/**
 * Warms V8 up. The first program of a process waits mostly for V8, which compiles each function of the passes and emitters at its first
 * call. So while the host is idle, a small graph is recorded and compiled, a part at a time, and dropped. No tensor is computed, nothing is
 * cached or counted, and the host is not touched.
 */
import { compile, type Graph } from "@fuseau/compiler";
import { backends } from "./backends/backends.ts";
import { extract, forget, record } from "./execute/extract/extract.ts";
import { programCounters } from "./execute/find-program.ts";
import { mul } from "./functions/arithmetic.ts";
import { fromTypedArray } from "./functions/creation.ts";
import { softmax } from "./functions/normalization.ts";
import { getOptions } from "./options.ts";
import { unwrap } from "./tensor/handle.ts";
import { later } from "./threads/host.ts";

/** In milliseconds. A process that ends earlier, or computes at once, pays nothing. */
const PATIENCE = 10;

interface Host {
  readonly requestIdleCallback?: (run: () => void) => void;
  readonly process?: { readonly env?: { readonly JEST_WORKER_ID?: string } };
}

/** Runs when the host is idle; never keeps a process alive. */
function whenIdle(run: () => void): void {
  const { requestIdleCallback } = globalThis as unknown as Host;
  if (requestIdleCallback === undefined) later(run, PATIENCE);
  else requestIdleCallback(run);
}

/** Jest fails a run in which a module is loaded after its tests, and an idle callback often comes after them. */
function isInJest(): boolean {
  try {
    return (globalThis as unknown as Host).process?.env?.JEST_WORKER_ID !== undefined;
  } catch {
    // Deno throws if it is not permitted to read the environment.
    return false;
  }
}

/** To be called once, when all backends are registered. */
export function warmWhenIdle(): void {
  if (isInJest()) return;
  const parts = partsOfWarming();
  const { misses } = programCounters();
  const next = (): void => {
    // A process that computes warms V8 by itself.
    if (getOptions().warm === false || programCounters().misses > misses) return;
    try {
      if (parts.next().done !== true) whenIdle(next);
    } catch {
      // A host that is shutting down may lack what this needs. Then it is not needed.
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
