/** Finds out what the host's WebAssembly can do, with modules of one function. */
import { noteNoWebAssembly } from "./host-policy.ts";

interface HostWebAssembly {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly validate: (bytes: Uint8Array) => boolean;
}

const host = (): HostWebAssembly | undefined =>
  (globalThis as unknown as { readonly WebAssembly?: HostWebAssembly }).WebAssembly;

/** A module with one function that has this code and returns a v128. */
const moduleOf = (code: readonly number[]): Uint8Array =>
  // biome-ignore format: sections
  new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0,
    1, 5, 1, 96, 0, 1, 123,
    3, 2, 1, 0,
    10, code.length + 4, 1, code.length + 2, 0, ...code, 11,
  ]);

/** i32.const 0, i32x4.splat */
const ZEROS = [65, 0, 253, 17];
/** f32x4.relaxed_madd */
const MADD = [253, 133, 2];

let lanes: boolean | undefined;
/** Whether modules with 128-bit lanes may be made here. Some hosts have WebAssembly and forbid it. */
export function canMakeLanes(): boolean {
  lanes ??= triesLanes();
  return lanes;
}

function triesLanes(): boolean {
  const found = host();
  if (found === undefined) return false;
  try {
    new found.Module(moduleOf(ZEROS));
    return true;
  } catch {
    // Policies that forbid compiling still allow validating. So if the module is valid, a policy has refused it.
    if (found.validate(moduleOf(ZEROS))) noteNoWebAssembly();
    return false;
  }
}

let relaxed: boolean | undefined;
/** Whether the host has relaxed SIMD, whose results may differ between machines. Contractions use it. */
export function hasRelaxedLanes(): boolean {
  relaxed ??= host()?.validate(moduleOf([...ZEROS, ...ZEROS, ...ZEROS, ...MADD])) ?? false;
  return relaxed;
}
