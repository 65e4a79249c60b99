import { describe, expect, it, vi } from "vitest";
import type { WorkerEvents } from "../../packages/runtime/src/threads/host.ts";
import { ThreadError } from "../../packages/runtime/src/threads/thread-error.ts";
import { roles, TestMemory } from "./threads-kernels.ts";
import { countingHost, countStep, newPool, node, ones, startInNode } from "./threads-setup.ts";

describe("a kernel that fails", () => {
  it("ends the program, and its first failing slice is found on any number of threads", async () => {
    const memory = new TestMemory();
    for (const threads of [1, 2, 4]) {
      const pool = newPool({ memory: memory.memory, threads });
      await pool.prepare();
      for (const bad of [0, 1, 63, 64, 500, 998]) {
        const { step } = countStep(memory, { workItems: 1_000, slice: 3, threads, bad });
        const after = countStep(memory, { workItems: 1_000, slice: 3, threads });
        const failure = pool.run([step, after.step]);
        const record = new Int32Array(memory.memory.buffer, failure?.frame, 5)[4];
        expect({ threads, bad, record }).toEqual({ threads, bad, record: bad });
        expect(failure?.step).toBe(step);
        expect(after.counters).toEqual(new Int32Array(1_000));
        // … and the next program runs.
        pool.run([after.step]);
        expect(after.counters).toEqual(ones(1_000));
      }
    }
  });

  it("on a worker, leaves its record in the worker's frame", async () => {
    const memory = new TestMemory();
    const pool = newPool({ memory: memory.memory, threads: 2 });
    await pool.prepare();
    // The main thread has slice 0 and waits in it until the worker has slice 1.
    const { step } = countStep(memory, {
      workItems: 1_000,
      slice: 10,
      mainRole: roles.await,
      workerRole: roles.come,
      bad: 12,
    });
    expect(pool.run([step])?.frame).toBe(step.frames[1]);
    expect(new Int32Array(memory.memory.buffer, step.frames[1], 5)[4]).toBe(12);
  });

  it("with an exception on the main thread, throws it when the others are at rest", async () => {
    const memory = new TestMemory();
    const pool = newPool({ memory: memory.memory, threads: 4 });
    await pool.prepare();
    const { step, counters } = countStep(memory, { workItems: 1_000, slice: 10, threads: 4 });
    const run = () => {
      throw new RangeError("out of paper");
    };
    expect(() => pool.run([{ ...step, kernel: { ...step.kernel, run } }])).toThrow("out of paper");
    const [...before] = counters;
    expect(pool.readyThreads).toBe(4);
    pool.run([step]);
    expect([...counters]).toEqual(before.map((count) => count + 1));
  });
});

describe("a worker that traps", () => {
  const trapping = { workItems: 100, slice: 10, mainRole: roles.await, workerRole: roles.comeAndTrap };

  it("is let go, and the main thread runs its slice", async () => {
    const memory = new TestMemory();
    const pool = newPool({ memory: memory.memory, threads: 2 });
    await pool.prepare();
    const { step, counters } = countStep(memory, trapping);
    expect(pool.run([step])).toBeNull();
    expect(counters).toEqual(ones(100));
    expect(pool.readyThreads).toBe(1);
    // It said so itself, outside of all kernels.
    expect(pool.quarantined).toBe(false);
  });

  it("is replaced by the next prepare", async () => {
    const memory = new TestMemory();
    const pool = newPool({ memory: memory.memory, threads: 2 });
    await pool.prepare();
    pool.run([countStep(memory, trapping).step]);
    expect(await pool.prepare()).toBe(2);
    const { step, counters } = countStep(memory, { ...trapping, workerRole: roles.come });
    pool.run([step]);
    expect(counters).toEqual(ones(100));
  });

  it("is an error where its slice cannot be run again", async () => {
    const memory = new TestMemory();
    const pool = newPool({ memory: memory.memory, threads: 2 });
    await pool.prepare();
    const { step } = countStep(memory, trapping);
    const run = () => pool.run([{ ...step, repeatable: false }]);
    expect(run).toThrow(ThreadError);
    expect(run).not.toThrow();
    expect(await pool.prepare()).toBe(2);
    const again = countStep(memory, trapping);
    expect(() => pool.run([{ ...again.step, repeatable: false }])).toThrow(
      /^compute: a worker thread failed \(RuntimeError: unreachable\), and its part of the work cannot be run again/,
    );
  });

  it("again and again, is replaced no more", async () => {
    const memory = new TestMemory();
    const { host, started } = countingHost();
    const pool = newPool({ memory: memory.memory, threads: 2, host });
    for (let k = 0; k < 12; k++) {
      if ((await pool.prepare()) > 1) pool.run([countStep(memory, trapping).step]);
    }
    expect(started()).toBe(8);
    const { step, counters } = countStep(memory, { workItems: 100, slice: 10 });
    pool.run([step]);
    expect(counters).toEqual(ones(100));
  });
});

describe("a worker that never comes back", () => {
  const staying = { workItems: 100, slice: 10, mainRole: roles.await, workerRole: roles.comeAndStay };

  it.each([true, false])("is given up after the time limit (main thread may block: %s)", async (mayBlock) => {
    const memory = new TestMemory();
    const onReleased = vi.fn();
    const host = { ...node, mayBlock };
    const pool = newPool({ memory: memory.memory, threads: 2, timeLimit: 50, host, onReleased });
    await pool.prepare();
    const { step, counters } = countStep(memory, staying);
    expect(pool.run([step])).toBeNull();
    expect(counters).toEqual(ones(100));
    expect(pool.readyThreads).toBe(1);
    // Its end shows only when the event loop turns.
    expect(pool.quarantined).toBe(true);
    expect(onReleased).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(pool.quarantined).toBe(false), 30_000);
    expect(onReleased).toHaveBeenCalledTimes(1);
    expect(await pool.prepare()).toBe(2);
  });

  it("is an error where its slice cannot be run again", async () => {
    const memory = new TestMemory();
    const pool = newPool({ memory: memory.memory, threads: 2, timeLimit: 50 });
    await pool.prepare();
    const { step } = countStep(memory, staying);
    expect(() => pool.run([{ ...step, repeatable: false }])).toThrow(
      /^compute: a worker thread gave no answer for [\d.]+ s, and its part of the work cannot be run again/,
    );
    const after = countStep(memory, { workItems: 100, slice: 10 });
    pool.run([after.step]);
    expect(after.counters).toEqual(ones(100));
  });
});

describe("a worker that is killed in the middle of a slice", () => {
  it("is given up after the time limit, and nothing is lost", async () => {
    const memory = new TestMemory();
    let kill = () => {};
    const startWorker = (text: string, events: WorkerEvents) => {
      const worker = startInNode(text, events);
      kill = () => void worker.stop();
      return worker;
    };
    const pool = newPool({
      memory: memory.memory,
      threads: 2,
      timeLimit: 50,
      host: { ...node, startWorker },
    });
    await pool.prepare();
    const { step, counters } = countStep(memory, {
      workItems: 100,
      slice: 10,
      mainRole: roles.await,
      workerRole: roles.comeAndStay,
    });
    const run = (...slice: [number, number, number, number]) => {
      const status = step.kernel.run(...slice);
      kill();
      kill = () => {};
      return status;
    };
    expect(pool.run([{ ...step, kernel: { ...step.kernel, run } }])).toBeNull();
    expect(counters).toEqual(ones(100));
    await vi.waitFor(() => expect(pool.quarantined).toBe(false), 30_000);
    expect(await pool.prepare()).toBe(2);
  });
});
