/** Kernels for tests of threads, and memory that they share. Frames are words of 32 bits here. */
import type { FunctionBuilder } from "../../packages/compiler/src/emit/wasm/encode/function.ts";
import { ModuleBuilder } from "../../packages/compiler/src/emit/wasm/encode/module.ts";
import type { SharedKernel } from "../../packages/runtime/src/threads/workers.ts";

interface Memory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

interface WebAssembly {
  readonly Memory: new (limits: { initial: number; maximum: number; shared: true }) => Memory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env: { readonly memory: Memory } },
  ) => { readonly exports: { readonly run: SharedKernel["run"] } };
}

const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssembly };

const PAGE = 2 ** 16;
const MOST_PAGES = 1024;

/** Shared memory from which blocks are taken in order and never given back. It grows when it must, as the runtime's own does. */
export class TestMemory {
  readonly memory: Memory = new WebAssembly.Memory({ initial: 1, maximum: MOST_PAGES, shared: true });
  #end = 1024;

  /** Zeroed words. */
  block(length: number): Int32Array<SharedArrayBuffer> {
    const begin = this.#end;
    this.#end = Math.ceil((begin + 4 * length) / 64) * 64;
    const missing = this.#end - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    return new Int32Array(this.memory.buffer, begin, length);
  }

  /** A frame with these words; gives its address. */
  frame(words: readonly number[]): number {
    const frame = this.block(words.length);
    frame.set(words);
    return frame.byteOffset;
  }

  kernel(bytes: Uint8Array<ArrayBuffer>): SharedKernel {
    const module = new WebAssembly.Module(bytes);
    const { run } = new WebAssembly.Instance(module, { env: { memory: this.memory } }).exports;
    return { module, run };
  }
}

interface Parameters {
  readonly frame: number;
  readonly phase: number;
  readonly begin: number;
  readonly end: number;
}

function buildKernel(body: (f: FunctionBuilder, parameters: Parameters) => void): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder({
    module: "env",
    name: "memory",
    shared: true,
    initial: 1,
    maximum: MOST_PAGES,
  });
  const f = module.function("run", ["i32", "i32", "i32", "i32"], ["i32"]);
  body(f, { frame: 0, phase: 1, begin: 2, end: 3 });
  f.i32(0);
  module.exportFunction("run", f.index);
  return module.toBytes();
}

/** What a thread does before its slice. */
export const roles = {
  nothing: 0,
  /** Waits until a thread with another of the roles below has come. */
  await: 1,
  come: 2,
  comeAndTrap: 3,
  comeAndStay: 4,
} as const;

export interface CountFrame {
  readonly role: number;
  /** The address of a word that is 0 until somebody comes. */
  readonly flag: number;
  /** The address of one counter for each work item. */
  readonly counters: number;
  /** From this work item on the kernel fails. */
  readonly bad?: number;
}

/** The last word is the error record: the work item that failed. */
export const countFrame = ({ role, flag, counters, bad = 2 ** 31 - 1 }: CountFrame): number[] => [
  role,
  flag,
  counters,
  bad,
  -1,
];

/** Adds 1 to the counter of each work item. */
export const countKernel: Uint8Array<ArrayBuffer> = buildKernel((f, { frame, begin, end }) => {
  const word = (k: number) => f.get(frame).op("i32.load", 4 * k);
  const roleIs = (role: number, then: () => void) => word(0).i32(role).op("i32.eq").ifThen(then);
  roleIs(roles.await, () => f.loop((again) => word(1).op("i32.atomic.load").op("i32.eqz").brIf(again)));
  word(0)
    .i32(roles.come)
    .op("i32.ge_s")
    .ifThen(() => word(1).i32(1).op("i32.atomic.store"));
  roleIs(roles.comeAndTrap, () => f.unreachable());
  roleIs(roles.comeAndStay, () => f.loop((again) => f.br(again)));
  f.forRange(begin, end, 1, () => {
    f.get(begin);
    word(3)
      .op("i32.ge_s")
      .ifThen(() => f.get(frame).get(begin).op("i32.store", 16).i32(1).return());
    word(2).get(begin).i32(4).op("i32.mul").op("i32.add").i32(1).op("i32.atomic.rmw.add").drop();
  });
});

/** Words: number of work items, stride, then the addresses of rows. */
export const relayFrame = (workItems: number, stride: number, rows: readonly number[]): number[] => [
  workItems,
  stride,
  ...rows,
];

/** In phase p, row[p + 1][i] = 3 · row[p][(i · stride + p) mod workItems] + i: what other threads wrote the phase before. */
export const relayKernel: Uint8Array<ArrayBuffer> = buildKernel((f, { frame, phase, begin, end }) => {
  const [from, to] = [f.local("i32"), f.local("i32")];
  f.get(frame).get(phase).i32(4).op("i32.mul").op("i32.add").tee(to).op("i32.load", 8).set(from);
  f.get(to).op("i32.load", 12).set(to);
  f.forRange(begin, end, 1, () => {
    f.get(to).get(begin).i32(4).op("i32.mul").op("i32.add");
    f.get(begin).get(frame).op("i32.load", 4).op("i32.mul").get(phase).op("i32.add");
    f.get(frame).op("i32.load").op("i32.rem_u").i32(4).op("i32.mul").get(from).op("i32.add").op("i32.load");
    f.i32(3).op("i32.mul").get(begin).op("i32.add").op("i32.store");
  });
});

/** What the relay gives, computed here. */
export function relay(first: Int32Array, phases: number, stride: number): Int32Array {
  let row = first;
  for (let phase = 0; phase < phases; phase++) {
    const previous = row;
    row = previous.map(
      (_, i) => Math.imul(3, previous[(i * stride + phase) % previous.length] as number) + i,
    );
  }
  return row;
}
