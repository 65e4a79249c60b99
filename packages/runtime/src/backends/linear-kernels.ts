/** Kernels in WebAssembly: modules made for the one linear memory, instantiated here once, and posted to workers by the pool. */
import { compileWasm, importable, type KernelCall, type WasmKernel } from "@fuseau/compiler";
import { type LinearMemory, linearMemory } from "../memory/linear.ts";
import type { SharedKernel } from "../threads/workers.ts";
import type { Kernel } from "./backend.ts";
import { hasRelaxedLanes } from "./host-lanes.ts";

export interface LinearKernel extends Kernel {
  readonly compiled: WasmKernel;
  /** What the thread pool knows it by. */
  readonly shared: SharedKernel;
}

interface HostWebAssembly {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env: Readonly<Record<string, unknown>> },
  ) => { readonly exports: { readonly run: SharedKernel["run"] } };
}

/** @throws what the host throws where WebAssembly is missing, forbidden, or without 128-bit lanes. */
export function makeLinearKernel(call: KernelCall): LinearKernel {
  const { memory, shared } = linearMemory() as LinearMemory;
  const compiled = compileWasm(call.loop, call.name, { shared, relaxed: hasRelaxedLanes() });
  const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: HostWebAssembly })
    .WebAssembly;
  const module = new Module(compiled.bytes);
  const functions = Object.fromEntries(compiled.imports.map((name) => [name, importable[name]]));
  const { run } = new Instance(module, { env: { ...functions, memory } }).exports;
  return {
    get source() {
      return compiled.source();
    },
    compiled,
    shared: { module, run },
  };
}
