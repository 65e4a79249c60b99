/**
 * The code of a worker, as text. A function and its `toString` would not survive what bundlers, loaders and coverage tools do to functions:
 * helpers such as esbuild's `__name`, counters, renamed outer names. A separate file would have to be found after bundling. A string passes
 * through all of them unchanged. It is a classic script that imports nothing but Node's own ports.
 */
import { layout, states } from "./layout.ts";
import { RETRY } from "./patience.ts";

/** What the main thread sends. Every message except the first counts in `layout.mail`. */
export type WorkerMessage =
  | {
      readonly kind: "start";
      readonly control: SharedArrayBuffer;
      /** The `WebAssembly.Memory` that modules import as `env.memory`. */
      readonly memory: object;
      readonly slot: number;
      /** The most milliseconds that a worker looks for work before it sleeps. */
      readonly spin: number;
      /** How many messages had been sent to other workers before this one was made. */
      readonly received: number;
      readonly modules: readonly (readonly [id: number, module: object])[];
    }
  | { readonly kind: "module"; readonly id: number; readonly module: object }
  | { readonly kind: "forget"; readonly id: number };

export const workerText: string = `"use strict";
(() => {
const layout = ${JSON.stringify(layout)};
const states = ${JSON.stringify(states)};
const node = typeof require === "function" ? require("node:worker_threads") : undefined;
const port = node === undefined ? self : node.parentPort;
const pause = typeof Atomics.pause === "function" ? () => Atomics.pause() : () => {};
const modules = new Map();
const kernels = new Map();
let words, memory, slot, own, patience;
let received = 0;
let ready = false;

const load = (word) => Atomics.load(words, word);
const store = (word, value) => { Atomics.store(words, word, value); };

function kernel(id) {
  const known = kernels.get(id);
  if (known !== undefined) return known;
  const module = modules.get(id);
  if (module === undefined) return null;
  let run = null;
  try {
    run = new WebAssembly.Instance(module, { env: { memory } }).exports.run;
  } catch {
    // Left to the threads that have room for an instance.
  }
  kernels.set(id, run);
  return run;
}

// Runs slices until none is left to claim. Whether there were any.
function help() {
  let helped = false;
  while (load(own + layout.failed) === 0) {
    const ticket = load(layout.next);
    if (((load(layout.limit) - ticket) | 0) <= 0) break;
    const frame = load(layout.frames + slot);
    if (frame === 0) break;
    const run = kernel(load(layout.kernel));
    if (run === null) break;
    const phase = load(layout.phase);
    const workItems = load(layout.workItems) >>> 0;
    const slice = load(layout.slice) >>> 0;
    const begin = ((ticket - load(layout.first)) >>> 0) * slice;
    // Before the claim, so that no ticket is ever claimed by nobody knows whom.
    store(own + layout.ticket, ticket);
    store(own + layout.busy, 1);
    if (Atomics.compareExchange(words, layout.next, ticket, (ticket + 1) | 0) !== ticket) continue;
    helped = true;
    if (run(frame, phase, begin, Math.min(begin + slice, workItems)) !== 0) store(own + layout.failed, 1);
  }
  if (load(own + layout.busy) === 1) {
    store(own + layout.busy, 0);
    answer();
  }
  return helped;
}

function answer() {
  if (load(layout.waiting) === 0) return;
  Atomics.add(words, layout.answer, 1);
  Atomics.notify(words, layout.answer);
}

// The main thread's has a file of its own.
function newPatience(full) {
  let failures = 0;
  const patience = {
    milliseconds: full,
    reward() { patience.milliseconds = full; },
    fail() { patience.milliseconds = ++failures % ${RETRY} === 0 ? full : patience.milliseconds / 2; },
  };
  return patience;
}

// Looks for work, spins a while where there is none, then sleeps. Returns when messages have been sent: only the event loop takes them.
function serve() {
  let slept = true;
  let end = performance.now() + patience.milliseconds;
  for (let poll = 1; ; poll++) {
    const limit = load(layout.limit);
    if (load(layout.mail) !== received) return;
    if (help()) {
      if (!slept) patience.reward();
      slept = false;
      end = performance.now() + patience.milliseconds;
    } else if (poll % 16 !== 0 || performance.now() < end) pause();
    else {
      patience.fail();
      store(own + layout.asleep, 1);
      Atomics.wait(words, layout.limit, limit);
      store(own + layout.asleep, 0);
      slept = true;
      end = performance.now() + patience.milliseconds;
    }
  }
}

function giveUp(error) {
  ready = false;
  const reason = String(error).slice(0, layout.workerWords - layout.reason);
  for (let k = 0; k < reason.length; k++) store(own + layout.reason + k, reason.charCodeAt(k));
  store(own + layout.reasonLength, reason.length);
  store(own + layout.state, states.gaveUp);
  answer();
}

function begin() {
  ready = true;
  store(own + layout.state, states.ready);
  port.postMessage("ready");
  continueServing();
}

function continueServing() {
  try {
    if (ready) serve();
  } catch (error) {
    giveUp(error);
  }
}

function receive(message) {
  if (message.kind === "start") {
    ({ memory, slot, received } = message);
    patience = newPatience(message.spin);
    words = new Int32Array(message.control);
    own = layout.workers + slot * layout.workerWords;
    for (const [id, module] of message.modules) modules.set(id, module);
    // A lock under the worker's name tells a page when the worker is no more: then it is granted to the page.
    const locks = node === undefined && self.navigator.locks;
    if (locks) locks.request(self.name, () => new Promise(() => { setTimeout(begin); }));
    else begin();
    return;
  }
  received = (received + 1) | 0;
  if (message.kind === "module") modules.set(message.id, message.module);
  else {
    modules.delete(message.id);
    kernels.delete(message.id);
  }
  continueServing();
}

if (node === undefined) port.onmessage = (event) => receive(event.data);
else port.on("message", receive);
})();
`;
