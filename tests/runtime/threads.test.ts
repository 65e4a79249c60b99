import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { WorkerEvents } from "../../packages/runtime/src/threads/host.ts";
import type { WorkerPool } from "../../packages/runtime/src/threads/worker-pool.ts";
import { relay, relayFrame, relayKernel, roles, TestMemory } from "./threads-kernels.ts";
import { countingHost, countStep, newPool, node, ones, plain, startInNode } from "./threads-setup.ts";

describe("a step of many slices", () => {
  it.each([1, 2, 4, 8])("runs each work item exactly once on %i threads", async (threads) => {
    const memory = new TestMemory();
    const pool = newPool({ memory: memory.memory, threads });
    expect(await pool.prepare()).toBe(threads);
    const most = 2_000;
    const { step, counters } = countStep(memory, { workItems: most, slice: 1, threads });
    await fc.assert(
      fc.property(fc.integer({ min: 0, max: most }), fc.integer({ min: 1, max: 200 }), (workItems, slice) => {
        counters.fill(0);
        expect(pool.run([{ ...step, workItems, slice }])).toBeNull();
        expect(counters.subarray(0, workItems)).toEqual(ones(workItems));
        expect(counters.subarray(workItems)).toEqual(new Int32Array(most - workItems));
      }),
      { numRuns: 50 },
    );
  });

  it("runs on other threads too", async () => {
    const memory = new TestMemory();
    const pool = newPool({ memory: memory.memory, threads: 2 });
    await pool.prepare();
    // The main thread goes on only when another has come.
    const { step, counters } = countStep(memory, {
      workItems: 64,
      slice: 8,
      mainRole: roles.await,
      workerRole: roles.come,
    });
    expect(pool.run([step])).toBeNull();
    expect(counters).toEqual(ones(64));
  });

  it("runs on no more threads than it has frames for", async () => {
    const memory = new TestMemory();
    const pool = newPool({ memory: memory.memory, threads: 4 });
    await pool.prepare();
    const { step, counters, flag } = countStep(memory, {
      workItems: 5_000,
      slice: 1,
      threads: 1,
      workerRole: roles.come,
    });
    for (let k = 0; k < 20; k++) pool.run([step]);
    expect(counters).toEqual(new Int32Array(5_000).fill(20));
    expect(flag[0]).toBe(0);
  });

  it("stays on the main thread when it is sequential", async () => {
    const memory = new TestMemory();
    const pool = newPool({ memory: memory.memory, threads: 2 });
    await pool.prepare();
    const { step } = countStep(memory, { workItems: 100, slice: 7 });
    const slices: number[][] = [];
    const run = (...[, , begin, end]: number[]) => {
      slices.push([begin as number, end as number]);
      return 0;
    };
    pool.run([{ ...step, kernel: { ...step.kernel, run }, sequential: true }]);
    expect(slices).toEqual(Array.from({ length: 15 }, (_, k) => [k * 7, Math.min(k * 7 + 7, 100)]));
  });
});

describe("steps meet", () => {
  it.each([1, 2, 4, 8])("so that each reads what all threads wrote before: %i threads", async (threads) => {
    const memory = new TestMemory();
    const pool = newPool({ memory: memory.memory, threads });
    await pool.prepare();
    const [workItems, stride, phases] = [3_001, 1_237, 40];
    const rows = Array.from({ length: phases + 1 }, () => memory.block(workItems));
    const first = rows[0] as Int32Array;
    const frame = relayFrame(
      workItems,
      stride,
      rows.map(({ byteOffset }) => byteOffset),
    );
    const frames = Array.from({ length: threads }, () => memory.frame(frame));
    const kernel = memory.kernel(relayKernel);
    await fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 800 }), { minLength: phases, maxLength: phases }),
        (slices) => {
          for (const row of rows) row.fill(-1);
          first.forEach((_, k) => {
            first[k] = k * k;
          });
          const steps = slices.map((slice, phase) => ({ ...plain, kernel, frames, phase, workItems, slice }));
          expect(pool.run(steps)).toBeNull();
          expect(rows[phases]).toEqual(relay(first, phases, stride));
        },
      ),
      { numRuns: 30 },
    );
  });

  it("with steps of the main thread between", async () => {
    const memory = new TestMemory();
    const pool = newPool({ memory: memory.memory, threads: 4 });
    await pool.prepare();
    const [workItems, stride, phases] = [2_000, 7, 60];
    const rows = Array.from({ length: phases + 1 }, () => memory.block(workItems));
    (rows[0] as Int32Array).fill(5);
    const frame = relayFrame(
      workItems,
      stride,
      rows.map(({ byteOffset }) => byteOffset),
    );
    const frames = Array.from({ length: 4 }, () => memory.frame(frame));
    const kernel = memory.kernel(relayKernel);
    const steps = Array.from({ length: phases }, (_, phase) => {
      return {
        ...plain,
        kernel,
        frames,
        phase,
        workItems,
        slice: phase % 5 === 0 ? workItems : 64,
        sequential: phase % 3 === 0,
      };
    });
    pool.run(steps);
    expect(rows[phases]).toEqual(relay(rows[0] as Int32Array, phases, stride));
  });
});

describe("workers", () => {
  it("are not started before they are asked for", () => {
    const memory = new TestMemory();
    const { host, started } = countingHost();
    const pool = newPool({ memory: memory.memory, threads: 4, host });
    const { step, counters } = countStep(memory, { workItems: 1_000, slice: 10, threads: 4 });
    pool.run([step]);
    expect(counters).toEqual(ones(1_000));
    expect(started()).toBe(0);
  });

  it("are not started for one thread", async () => {
    const { host, started } = countingHost();
    const pool = newPool({ memory: new TestMemory().memory, threads: 1, host });
    expect(await pool.prepare()).toBe(1);
    expect(started()).toBe(0);
  });

  it("are not waited for: programs run before they are ready, and are right while they come", async () => {
    const memory = new TestMemory();
    const pool = newPool({ memory: memory.memory, threads: 4 });
    let ready = false;
    const prepared = pool.prepare().then((threads) => {
      ready = true;
      return threads;
    });
    const { step, counters } = countStep(memory, { workItems: 2_000, slice: 10, threads: 4 });
    let runs = 0;
    do {
      // The event loop does not turn in here, but workers may come up.
      for (let k = 0; k < 50; k++, runs++) pool.run([step]);
      await new Promise((resolve) => setImmediate(resolve));
    } while (!ready);
    expect(await prepared).toBe(4);
    expect(counters).toEqual(new Int32Array(2_000).fill(runs));
  });

  it("learn of kernels that are made after them, and forget others", async () => {
    const memory = new TestMemory();
    const pool = newPool({ memory: memory.memory, threads: 2 });
    await pool.prepare();
    for (let k = 0; k < 20; k++) {
      const { step, counters } = countStep(memory, {
        workItems: 100,
        slice: 10,
        mainRole: roles.await,
        workerRole: roles.come,
      });
      pool.run([step]);
      expect(counters).toEqual(ones(100));
      pool.forget(step.kernel);
    }
  });

  it("grow and shrink in number", async () => {
    const memory = new TestMemory();
    const { host, started } = countingHost();
    const pool = newPool({ memory: memory.memory, threads: 4, host });
    await pool.prepare();
    pool.resize(2);
    expect(pool.readyThreads).toBe(2);
    pool.resize(3);
    expect(pool.readyThreads).toBe(2);
    expect(await pool.prepare()).toBe(3);
    expect(started()).toBe(4);
    pool.resize(1);
    expect(pool.readyThreads).toBe(1);
    const { step, counters } = countStep(memory, { workItems: 1_000, slice: 10, threads: 4 });
    pool.run([step]);
    expect(counters).toEqual(ones(1_000));
  });

  it("let the process end by itself while they sleep, and while they spin for ever", () => {
    for (const what of ["sleep", "stay"]) {
      const child = fileURLToPath(new URL("threads-child.ts", import.meta.url));
      const { status, stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, child, what], {
        encoding: "utf8",
        cwd: fileURLToPath(new URL("../..", import.meta.url)),
        timeout: 50_000,
      });
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "2 threads\n", stderr: "" });
    }
  });
});

describe("a host", () => {
  const count = (pool: WorkerPool, memory: TestMemory): void => {
    const { step, counters } = countStep(memory, { workItems: 1_000, slice: 10, threads: 4 });
    expect(pool.run([step])).toBeNull();
    expect(counters).toEqual(ones(1_000));
  };

  it("without workers has one thread", async () => {
    const memory = new TestMemory();
    const pool = newPool({ memory: memory.memory, threads: 4, host: { ...node, startWorker: null } });
    expect(await pool.prepare()).toBe(1);
    count(pool, memory);
  });

  it("that refuses to make them has one thread", async () => {
    const memory = new TestMemory();
    const onRefused = vi.fn();
    const startWorker = () => {
      throw new Error("forbidden by the Content-Security-Policy");
    };
    const pool = newPool({ memory: memory.memory, threads: 4, host: { ...node, startWorker }, onRefused });
    expect(await pool.prepare()).toBe(1);
    expect(await pool.prepare()).toBe(1);
    expect(onRefused).toHaveBeenCalledTimes(1);
    count(pool, memory);
  });

  it("whose workers end before they are ready has one thread", async () => {
    const memory = new TestMemory();
    const onRefused = vi.fn();
    const startWorker = (_: string, events: WorkerEvents) => startInNode("process.exit()", events);
    const pool = newPool({ memory: memory.memory, threads: 4, host: { ...node, startWorker }, onRefused });
    expect(await pool.prepare()).toBe(1);
    expect(onRefused).toHaveBeenCalled();
    count(pool, memory);
  });

  it("whose memory is not shared has one thread", async () => {
    const { host, started } = countingHost();
    const pool = newPool({ memory: { buffer: new ArrayBuffer(8) }, threads: 4, host });
    expect(await pool.prepare()).toBe(1);
    expect(started()).toBe(0);
  });
});
