/** After so many failures the full time is tried again, since the machine may be less busy by then. */
export const RETRY = 32;

/**
 * How long a thread spins before it sleeps. On a busy machine, or where threads share a core, spinning keeps the very thread from running
 * that is waited for. So a spin in vain halves the time of the next, and a successful one restores it. Workers do the same.
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
