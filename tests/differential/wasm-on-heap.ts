/**
 * A kernel in WebAssembly as a function of arrays on the JavaScript heap: they are copied into linear memory, and what was written is
 * copied back. One thread.
 */
import { type KernelFunction, throwRecorded, type WasmKernel } from "@fuseau/compiler";
import { dtypes, type LoopKernel, type TypedArray } from "@fuseau/ir";
import { instantiate, newMemory } from "../compiler/wasm/instantiate.ts";

const PAGE_BYTES = 65_536;
/** Nothing stands at the address 0, so that a pointer may lie a little in front of what it points to. */
const FIRST_ADDRESS = PAGE_BYTES;
/** Between blocks: a step may read past an end. */
const SLACK_BYTES = 64;

/** Of all kernels. It is grown as needed. */
const memory = newMemory(2);

type RunPhase = (frame: number, phase: number, begin: number, end: number) => number;

/** How many work items of a phase are run at once may be said at each run. */
export function wasmOnHeap(
  { buffers: parameters, scalars: dtypesOfScalars }: LoopKernel,
  kernel: WasmKernel,
): (...given: [...Parameters<KernelFunction>, itemsAtOnce?: number]) => void {
  let run: RunPhase | undefined;
  return (buffers, sizes, scalars, itemsAtOnce = Infinity) => {
    run ??= instantiate(kernel.bytes, { memory }).run as RunPhase;
    // What is read may be what is written over.
    const arrays = [...new Set(buffers)];
    const lengths = [
      kernel.frameBytes,
      ...kernel.workspaces.map((workspace) => dtypes[workspace.dtype].bytes * workspace.cells(sizes)),
      ...arrays.map(({ byteLength }) => byteLength),
    ];
    const [frame, ...rest] = layOut(lengths) as [number, ...number[]];
    const places = rest.slice(kernel.workspaces.length);
    const addresses = buffers.map((array) => places[arrays.indexOf(array)]!);
    const blocks = [...addresses, ...rest.slice(0, kernel.workspaces.length)];
    const bytes = new Uint8Array(memory.buffer);
    buffers.forEach((array, k) => {
      bytes.set(bytesIn(array), blocks[k]);
    });
    // A kernel without scalars may be given those of its program.
    const own = scalars.slice(0, dtypesOfScalars.length);
    fillFrame(new DataView(memory.buffer), frame, kernel, blocks, sizes, own);
    runPhases(run, frame, kernel, sizes, itemsAtOnce);
    buffers.forEach((array, k) => {
      if (parameters[k]!.access !== "write") return;
      bytesIn(array).set(bytes.subarray(blocks[k], blocks[k]! + array.byteLength));
    });
  };
}

const bytesIn = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Blocks of so many bytes, one after another. */
function layOut(lengths: readonly number[]): number[] {
  let end = FIRST_ADDRESS;
  const addresses = lengths.map((length) => {
    const start = end;
    end = Math.ceil((start + length + SLACK_BYTES) / 16) * 16;
    return start;
  });
  const missing = Math.ceil((end - memory.buffer.byteLength) / PAGE_BYTES);
  if (missing > 0) memory.grow(missing);
  return addresses;
}

function fillFrame(
  view: DataView,
  at: number,
  { frame, frameBytes, perThread }: WasmKernel,
  blocks: readonly number[],
  sizes: readonly number[],
  scalars: readonly (number | bigint)[],
): void {
  for (let byte = 0; byte < frameBytes; byte += 4) view.setUint32(at + byte, 0, true);
  const parameters = perThread.length;
  blocks.forEach((address, k) => {
    const slot = k < parameters ? frame.buffers + 8 * k : frame.workspaces + 8 * (k - parameters);
    view.setUint32(at + slot, address, true);
  });
  sizes.forEach((size, k) => {
    view.setInt32(at + frame.sizes + 8 * k, size, true);
  });
  scalars.forEach((scalar, k) => {
    const slot = at + frame.scalars + 8 * k;
    if (typeof scalar === "bigint") view.setBigInt64(slot, scalar, true);
    else view.setFloat64(slot, scalar, true);
  });
}

function runPhases(
  run: RunPhase,
  frame: number,
  kernel: WasmKernel,
  sizes: readonly number[],
  itemsAtOnce: number,
): void {
  kernel.phases.forEach((phase, k) => {
    const workItems = phase.workItems(sizes);
    const step = phase.sequential ? workItems : Math.min(workItems, itemsAtOnce);
    for (let begin = 0; begin < workItems; begin += step) {
      const failed = run(frame, k, begin, Math.min(begin + step, workItems));
      if (failed !== 0) throwRecorded(new DataView(memory.buffer), frame + kernel.frame.error);
    }
  });
}
