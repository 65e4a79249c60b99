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
import { whenIdle } from "./idle.ts";
import { getOptions } from "./options.ts";
import { unwrap } from "./tensor/handle.ts";

/** In milliseconds. A process that ends earlier, or computes at once, pays nothing. */
const PATIENCE = 10;

/** To be called once, when all backends are registered. */
export function warmWhenIdle(): void {
  const parts = partsOfWarming();
  const { misses } = programCounters();
  const next = (): void => {
    // A process that computes warms V8 by itself.
    if (getOptions().warm === false || programCounters().misses > misses) return;
    try {
      if (parts.next().done !== true) whenIdle(next, PATIENCE);
    } catch {
      // A host that is shutting down may lack what this needs. Then it is not needed.
    }
  };
  whenIdle(next, PATIENCE);
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
