/** Chooses the backend of a program, by its work. Where there is WebAssembly, all that are chosen compute its bits. */
import type { Emitter, Program } from "@fuseau/compiler";
import type { Backend } from "./backend.ts";
import { backendNamed, backends } from "./backends.ts";
import { grouped } from "./grouped.ts";
import { warnOfPolicy } from "./host-policy.ts";

export interface Choice {
  readonly backend: Backend;
  /** In words, for `explain()`. */
  readonly reason: string;
}

type Refuses = (backend: Backend) => string | null;

/** The backend that a program with so much work is scheduled for. It is the choice below, except for programs that turn out not to fit. */
export const backendFor = (work: number, asked: Emitter | undefined): Backend =>
  asked === undefined ? firstOf(backends, work, [], () => null).backend : backendNamed(asked);

/** @throws Error if the user asked for a backend that this host does not have. */
export function choose(program: Program, asked: Emitter | undefined): Choice {
  if (asked === undefined) return firstOf(backends, program.work, [], refusalOf(program));
  const backend = backendNamed(asked);
  const why = backend.missing();
  if (why !== null)
    throw new Error(`compute: emitter "${asked}": ${why} (leave emitter out to use what it has)`);
  return { backend, reason: "asked for" };
}

/** The choice among the backends after one that has failed; null after the last. */
export function chooseAfter(failed: Backend, why: string, program: Program): Choice | null {
  const rest = backends.slice(backends.indexOf(failed) + 1);
  return rest.length === 0 ? null : firstOf(rest, program.work, [why], refusalOf(program));
}

/** Asks each backend once. */
function refusalOf(program: Program): Refuses {
  const known = new Map<Backend, string | null>();
  return (backend) => {
    let refusal = known.get(backend);
    if (refusal === undefined) {
      refusal = backend.refuses(program);
      known.set(backend, refusal);
    }
    return refusal;
  };
}

/** The first backend that is worth it, is not missing, and does not refuse the program; the last, if there is none. */
function firstOf(candidates: readonly Backend[], work: number, refusals: string[], refuses: Refuses): Choice {
  const shown = (): string => `work of ${grouped(Math.round(work))} additions`;
  for (const [k, backend] of candidates.entries()) {
    const other = candidates.slice(k + 1).find((each) => each.missing() === null);
    const least = other === undefined ? 0 : (backend.worthFrom[other.name] ?? 0);
    const whyNotThere = other === undefined || work >= least ? null : refuses(other);
    if (other !== undefined && work < least && whyNotThere === null) {
      refusals.push(`${shown()} is small`);
      continue;
    }
    const why = backend.missing();
    const refusal = why ?? refuses(backend);
    if (refusal === null) {
      const reasons = [...refusals];
      if (whyNotThere !== null) reasons.push(whyNotThere);
      else if (least > 0) reasons.push(`${shown()}, at least ${grouped(least)}`);
      return { backend, reason: reasons.join(", and ") };
    }
    // What a backend in the lanes of another lacks, that other one lacks too, or is no reason for the next.
    if (backend.key !== backend.name) continue;
    if (why !== null) warnOfPolicy();
    refusals.push(refusal);
  }
  return { backend: candidates.at(-1) as Backend, reason: refusals.join(", and ") };
}
