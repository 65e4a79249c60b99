/** A worker is lost in the middle of a program. */
import { arange, ThreadError } from "fuseau";
import { expect, it, vi } from "vitest";
import { WorkerPool } from "../../packages/runtime/src/threads/worker-pool.ts";
import { startThreads } from "../many-threads.ts";

await startThreads(2);

/** The next program breaks off when part of its first step is done. */
function loseWorker(): void {
  vi.spyOn(WorkerPool.prototype, "run").mockImplementationOnce(([step]) => {
    step?.kernel.run(step.frames[0] as number, step.phase, 0, Math.ceil(step.workItems / 2));
    throw new ThreadError("a worker thread failed (for a test)");
  });
}

const WASM = { emitter: "wasm" } as const;
const numbers = () => arange(20_000, { dtype: "float32" }).compute(WASM);
const plain = Float32Array.from({ length: 20_000 }, (_, k) => k);

it("what writes over nothing is done again", () => {
  const x = numbers();
  loseWorker();
  expect(x.mul(2).compute(WASM).toTypedArray()).toEqual(plain.map((k) => 2 * k));
  expect(x.toTypedArray()).toEqual(plain);
});

it("what was being written over is lost, and every read says so; nothing else is", () => {
  const [x, other] = [numbers(), numbers()];
  x.add_(1);
  loseWorker();
  expect(() => x.compute(WASM)).toThrow(ThreadError);
  for (let read = 0; read < 2; read++) expect(() => x.toTypedArray()).toThrow(ThreadError);
  expect(() => x.mul(2).toTypedArray()).toThrow(/is lost; other tensors still compute/);
  expect(other.add(1).compute(WASM).toTypedArray()).toEqual(plain.map((k) => k + 1));
  x.dispose();
  expect(() => x.toTypedArray()).toThrow(/dispose/);
});

it("elements that have a home on the heap are as they were", () => {
  const x = numbers();
  expect(x.toTypedArray()).toEqual(plain);
  x.mul(3).compute({ emitter: "js" });
  x.add_(1);
  loseWorker();
  expect(x.compute(WASM).toTypedArray()).toEqual(plain.map((k) => k + 1));
});
