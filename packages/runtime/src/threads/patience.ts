/** Every so many failures the full time is tried again, in case that others have left the machine. */
export const RETRY = 32;

/**
 * How long a thread spins before it sleeps. On a machine that is busy, or where threads share a core, spinning keeps the very
 * thread from running that is waited for. So a spin in vain halves the next, and one that is rewarded restores it. Workers do the
 * same.
 */
export class Patience {
  readonly #full: number;
  #milliseconds: number;
  #failures = 0;

  constructor(full: number) {
    this.#full = full;
    this.#milliseconds = full;
  }

  get milliseconds(): number {
    return this.#milliseconds;
  }

  reward(): void {
    this.#milliseconds = this.#full;
  }

  fail(): void {
    this.#milliseconds = ++this.#failures % RETRY === 0 ? this.#full : this.#milliseconds / 2;
  }
}
