/** Compiles loop IR to the bytes of a module. docs/wasm.md describes it. */
import type { LoopKernel } from "@fuseau/ir";
import { scheduleLoops } from "../../tactics/schedule-loops.ts";
import type { Phase } from "../../tactics/work.ts";
import { disassemble } from "./encode/disassemble.ts";
import { ModuleBuilder } from "./encode/module.ts";
import { frameBytes } from "./plan/frame.ts";
import type { WasmKernel } from "./plan/kernel.ts";
import { wasmTarget } from "./target.ts";
import { KernelWriter } from "./write-phases.ts";

export interface WasmOptions {
  /** The imported memory is shared. */
  readonly shared: boolean;
  /** The host has relaxed SIMD, which contractions may use. */
  readonly relaxed: boolean;
}

/** Pages of 64 KiB: all that 32-bit addresses reach. */
const MAXIMUM_PAGES = 65_536;

export function compileWasm(kernel: LoopKernel, name: string, options: WasmOptions): WasmKernel {
  const { module, writer, phases } = written(kernel, options);
  const workspaces = writer.workspaces();
  return {
    name,
    bytes: module.toBytes(),
    // Few ask for the text, and a kernel that kept its functions for it would hold some hundred kilobytes. So they are written again.
    source: () => sourceOf(kernel, options),
    frame: writer.frame,
    frameBytes: frameBytes(writer.frame, workspaces.length),
    perThread: writer.perThread(),
    workspaces,
    phases,
  };
}

const sourceOf = (kernel: LoopKernel, options: WasmOptions): string =>
  written(kernel, options).module.functions.map(disassemble).join("\n\n");

interface Written {
  readonly module: ModuleBuilder;
  readonly writer: KernelWriter;
  readonly phases: readonly Phase[];
}

function written(kernel: LoopKernel, { shared, relaxed }: WasmOptions): Written {
  const maximum = shared ? { maximum: MAXIMUM_PAGES } : {};
  const module = new ModuleBuilder({ module: "env", name: "memory", shared, initial: 0, ...maximum });
  const writer = new KernelWriter(module, scheduleLoops(kernel, wasmTarget), wasmTarget.machine, relaxed);
  const phases = writer.writePhases();
  const run = module.function("run", ["i32", "i32", "i32", "i32"], ["i32"]);
  phases.forEach(({ index }, k) => {
    run.get(1).i32(k).op("i32.eq");
    run.ifThen(() => run.get(0).get(2).get(3).call(index).return());
  });
  run.i32(0);
  module.exportFunction("run", run.index);
  return { module, writer, phases: phases.map(({ phase }) => phase) };
}
