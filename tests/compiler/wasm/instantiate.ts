/** The little of the host's WebAssembly that tests of generated modules use; the types that Node's come without. */
export interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

type Exported = (...args: (number | bigint)[]) => number;

interface WebAssembly {
  readonly Memory: new (limits: { initial: number; maximum?: number; shared?: boolean }) => Memory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ) => { readonly exports: Readonly<Record<string, Exported>> };
  validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}

const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssembly };

export const newMemory = (pages: number): Memory => new WebAssembly.Memory({ initial: pages });

export const validate = (bytes: Uint8Array<ArrayBuffer>): boolean => WebAssembly.validate(bytes);

/** The exports of a module, which may import `env.memory`. */
export function instantiate(
  bytes: Uint8Array<ArrayBuffer>,
  env: { readonly memory?: Memory } = {},
): Readonly<Record<string, Exported>> {
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), { env }).exports;
}
