/** A program of its own, for a test: it uses a worker and then has nothing more to do. */
import { findHost } from "../../packages/runtime/src/threads/host.ts";
import { WorkerPool } from "../../packages/runtime/src/threads/worker-pool.ts";
import { countFrame, countKernel, roles, TestMemory } from "./threads-kernels.ts";

const workItems = 100;
const memory = new TestMemory();
const flag = memory.block(1).byteOffset;
const counters = memory.block(workItems).byteOffset;
const workerRole = process.argv[2] === "stay" ? roles.comeAndStay : roles.come;
const frames = [roles.await, workerRole].map((role) => memory.frame(countFrame({ role, flag, counters })));

const pool = new WorkerPool({ memory: memory.memory, host: findHost(), threads: 2, timeLimit: 50 });
// Workers do not keep a process alive, not even until they are ready.
const alive = setInterval(() => {}, 1_000);
const threads = await pool.prepare();
clearInterval(alive);
pool.run([
  {
    kernel: memory.kernel(countKernel),
    frames,
    phase: 0,
    workItems,
    slice: 10,
    sequential: false,
    repeatable: true,
  },
]);
console.log(`${threads} threads`);
