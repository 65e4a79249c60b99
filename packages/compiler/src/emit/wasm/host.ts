/** The little of the host's WebAssembly that running a kernel takes; the standard library's types come without. */

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** `run(frame, phase, begin, end)`. */
export type RunPhase = (frame: number, phase: number, begin: number, end: number) => number;

interface HostWebAssembly {
  readonly Memory: new (limits: { readonly initial: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env: Readonly<Record<string, unknown>> },
  ) => { readonly exports: { readonly run: RunPhase } };
}

const host = (): HostWebAssembly =>
  (globalThis as unknown as { readonly WebAssembly: HostWebAssembly }).WebAssembly;

export const newMemory = (pages: number): WasmMemory => new (host().Memory)({ initial: pages });

export function instantiate(
  bytes: Uint8Array<ArrayBuffer>,
  memory: WasmMemory,
  functions: Readonly<Record<string, unknown>>,
): RunPhase {
  const { Module, Instance } = host();
  return new Instance(new Module(bytes), { env: { ...functions, memory } }).exports.run;
}
