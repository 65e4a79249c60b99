/** WebAssembly kernels: modules for the one linear memory. They are instantiated here once, and the pool sends them to workers. */
import {
  compileWasm,
  type KeptWasm,
  type KernelCall,
  keepWasm,
  reviveWasm,
  type WasmKernel,
  type WasmOptions,
} from "@fuseau/compiler";
import { type LinearMemory, linearMemory } from "../memory/linear.ts";
import type { SharedKernel } from "../threads/workers.ts";
import type { Kernel } from "./backend.ts";
import { hasRelaxedLanes } from "./host-lanes.ts";

export interface LinearKernel extends Kernel {
  readonly compiled: WasmKernel;
  /** The thread pool's handle of it. */
  readonly shared: SharedKernel;
}

interface HostWebAssembly {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env: Readonly<Record<string, unknown>> },
  ) => { readonly exports: { readonly run: SharedKernel["run"] } };
}

/** What modules are compiled for on this host. */
const optionsHere = (): WasmOptions => ({
  shared: (linearMemory() as LinearMemory).shared,
  relaxed: hasRelaxedLanes(),
});

/** @throws what the host throws where WebAssembly is missing, forbidden, or without 128-bit lanes. */
export const makeLinearKernel = ({ loop, name }: KernelCall): LinearKernel =>
  instantiate(compileWasm(loop, name, optionsHere()));

export const keepLinearKernel = ({ compiled }: LinearKernel, { sizes }: KernelCall): KeptWasm =>
  keepWasm(compiled, sizes, optionsHere());

export function reviveLinearKernel(kept: unknown, { loop, name }: KernelCall): LinearKernel | null {
  const found = kept as KeptWasm;
  const { shared, relaxed } = optionsHere();
  if (found.shared !== shared || found.relaxed !== relaxed) return null;
  return instantiate(reviveWasm(found, loop, name));
}

function instantiate(compiled: WasmKernel): LinearKernel {
  const { memory } = linearMemory() as LinearMemory;
  const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: HostWebAssembly })
    .WebAssembly;
  const module = new Module(compiled.bytes);
  const { run } = new Instance(module, { env: { memory } }).exports;
  return {
    get source() {
      return compiled.source();
    },
    compiled,
    shared: { module, run },
  };
}
