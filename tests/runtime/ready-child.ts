/** A program of its own, for a test: it waits for threads, uses them, and then has nothing more to do. */
import { arange, ready, setOptions, setThreads } from "fuseau";

setThreads(Number(process.argv[2]));
setOptions({ slice: 16, emitter: "wasm" });
const threads = await ready();
console.log(`${threads} threads, ${arange(10_000).mul(2).sum().item()}`);
