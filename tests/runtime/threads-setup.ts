/** Pools and steps for tests of threads. */
import { onTestFinished } from "vitest";
import { findHost, type Host, type WorkerEvents } from "../../packages/runtime/src/threads/host.ts";
import type { Step } from "../../packages/runtime/src/threads/step.ts";
import { WorkerPool, type WorkerPoolOptions } from "../../packages/runtime/src/threads/worker-pool.ts";
import { countFrame, countKernel, roles, type TestMemory } from "./threads-kernels.ts";

type StartWorker = NonNullable<Host["startWorker"]>;

export const node = findHost();
export const startInNode = node.startWorker as StartWorker;

/** A pool whose workers end with the test. */
export function newPool(
  options: Partial<WorkerPoolOptions> & Pick<WorkerPoolOptions, "memory" | "threads">,
): WorkerPool {
  const pool = new WorkerPool({ host: node, ...options });
  onTestFinished(() => pool.resize(1));
  return pool;
}

/** Node, counting the workers that it starts. */
export function countingHost(): { readonly host: Host; readonly started: () => number } {
  let started = 0;
  const startWorker = (text: string, events: WorkerEvents) => {
    started++;
    return startInNode(text, events);
  };
  return { host: { ...node, startWorker }, started: () => started };
}

export const plain = { phase: 0, sequential: false, repeatable: true };

export interface CountOptions {
  readonly workItems: number;
  readonly slice: number;
  readonly threads?: number;
  readonly mainRole?: number;
  readonly workerRole?: number;
  /** From this work item on the kernel fails. */
  readonly bad?: number;
}

/** A step that counts its work items; the frames differ in the threads' roles. */
export function countStep(
  memory: TestMemory,
  {
    workItems,
    slice,
    mainRole = roles.nothing,
    workerRole = roles.nothing,
    threads = 2,
    bad = 2 ** 31 - 1,
  }: CountOptions,
): { readonly step: Step; readonly counters: Int32Array; readonly flag: Int32Array } {
  const flag = memory.block(1);
  const counters = memory.block(workItems);
  const words = (role: number) =>
    countFrame({ role, flag: flag.byteOffset, counters: counters.byteOffset, bad });
  const frames = Array.from({ length: threads }, (_, k) =>
    memory.frame(words(k === 0 ? mainRole : workerRole)),
  );
  const step: Step = { ...plain, kernel: memory.kernel(countKernel), frames, workItems, slice };
  return { step, counters, flag };
}

export const ones = (length: number): Int32Array => new Int32Array(length).fill(1);
