/** A row of the matrix: one host, in which the packed packages are installed and a small real program is run. */

export interface Row {
  readonly group: string;
  readonly name: string;
  /** The packages of the host, names in `hosts.json`. */
  readonly packages: readonly string[];
  /** Whether `--quick` runs it too. */
  readonly quick?: true;
  /** @throws Skipped where the host cannot be had here, and any other error where the packages fail in it. */
  run(place: Place): Promise<Outcome>;
}

/** A fresh project that the packages are installed in. */
export interface Place {
  /** The row's own folder. */
  readonly folder: string;
  /** The folder of the hosts' packages. */
  readonly hosts: string;
}

/** What `program.js` gives, or a sentence where it is not what was run. */
export type Outcome = Ran | string;

export interface Ran {
  readonly small: Emitted;
  readonly large: Emitted;
  readonly threads: number;
}

interface Emitted {
  readonly emitter: string;
  readonly reason: string;
}

export class Skipped extends Error {}

/** In one line, for the table. */
export function show(outcome: Outcome): string {
  if (typeof outcome === "string") return outcome;
  const { small, large, threads } = outcome;
  const emitters = small.emitter === large.emitter ? small.emitter : `${small.emitter}, ${large.emitter}`;
  return `${emitters}; ${threads === 1 ? "1 thread" : `${threads} threads`}`;
}

/** @throws Error unless the large and the small program ran on these. */
export function expectEmitters(outcome: Outcome, small: string, large: string): void {
  if (typeof outcome === "string") throw new Error(outcome);
  if (outcome.small.emitter !== small || outcome.large.emitter !== large)
    throw new Error(
      `small programs ran on ${outcome.small.emitter} (${outcome.small.reason}) and not ${small}, ` +
        `or large ones on ${outcome.large.emitter} (${outcome.large.reason}) and not ${large}`,
    );
}
