/** Inputs that are the same in every run. */

/** `count` float32 numbers in [low, high), by a linear congruential generator. */
export function randomFloats(count: number, seed: number, low = 0, high = 1): Float32Array {
  const floats = new Float32Array(count);
  const next = generator(seed);
  for (let k = 0; k < count; k++) floats[k] = low + (high - low) * next();
  return floats;
}

/** `count` bytes. */
export function randomBytes(count: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(count);
  const next = generator(seed);
  for (let k = 0; k < count; k++) bytes[k] = 256 * next();
  return bytes;
}

/** Numbers in [0, 1). Source of the constants: Numerical Recipes. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
