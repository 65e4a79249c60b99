/**
 * Chooses the backend of a program. All its kernels run there, so that results do not change with a kernel's size in the middle of a
 * program.
 */
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

/**
 * What besides its work decides where a program runs. `asked` is the user's. `keptBy` is the backend of the programs that kept what this one
 * reads: where that was not kept it was computed there together with its reader, and whether it is kept must not change a bit.
 */
export interface Wish {
  readonly asked: Emitter | undefined;
  readonly keptBy: Emitter | null;
}

/** The backend that a program with so much work is scheduled for. It is the choice below, except for programs that turn out not to fit. */
export const backendFor = (work: number, { asked, keptBy }: Wish): Backend =>
  asked === undefined ? firstOf(backends, work, keptBy, [], () => null).backend : backendNamed(asked);

/** @throws Error if the user asked for a backend that this host does not have. */
export function choose(program: Program, { asked, keptBy }: Wish): Choice {
  if (asked === undefined)
    return firstOf(backends, program.work, keptBy, [], (backend) => backend.refuses(program));
  const backend = backendNamed(asked);
  const why = backend.missing();
  if (why !== null)
    throw new Error(`compute: emitter "${asked}": ${why} (leave emitter out to use what it has)`);
  return { backend, reason: "asked for" };
}

/** The choice among the backends after one that has failed; null after the last. */
export function chooseAfter(failed: Backend, why: string, program: Program): Choice | null {
  const rest = backends.slice(backends.indexOf(failed) + 1);
  return rest.length === 0
    ? null
    : firstOf(rest, program.work, null, [why], (backend) => backend.refuses(program));
}

/** The first backend that is worth it, is not missing, and does not refuse the program; the last, if there is none. */
function firstOf(
  candidates: readonly Backend[],
  work: number,
  keptBy: Emitter | null,
  refusals: string[],
  refuses: (backend: Backend) => string | null,
): Choice {
  const shown = (): string => `work of ${grouped(Math.round(work))} additions`;
  for (const [k, backend] of candidates.entries()) {
    const least = backend.name === keptBy ? 0 : leastWork(backend, candidates.slice(k + 1));
    // `missing` is tried only for programs worth the backend. So small programs never find out what the host forbids.
    if (work < least) {
      refusals.push(`${shown()} is small`);
      continue;
    }
    const why = backend.missing();
    if (why !== null) warnOfPolicy();
    const refusal = why ?? refuses(backend);
    if (refusal === null) {
      const reasons = [...refusals];
      if (least > 0) reasons.push(`${shown()}, at least ${grouped(least)}`);
      if (backend.name === keptBy) reasons.push("it reads what a larger program has kept");
      return { backend, reason: reasons.join(", and ") };
    }
    refusals.push(refusal);
  }
  return { backend: candidates.at(-1) as Backend, reason: refusals.join(", and ") };
}

/**
 * The least work, in additions of elements, from which a backend is worth it. It depends on the backend that would run the program
 * otherwise.
 */
function leastWork({ worthFrom }: Backend, others: readonly Backend[]): number {
  const other = others.find((each) => each.missing() === null);
  return other === undefined ? 0 : (worthFrom[other.name] ?? 0);
}

/** `keptBy` of what a program keeps: its backend, if only larger programs run there unless they were asked to. */
export const keptBy = ({
  asked,
  backend,
}: {
  asked: Emitter | undefined;
  backend: Backend;
}): Emitter | null =>
  asked === undefined && Object.values(backend.worthFrom).some((work) => work > 0) ? backend.name : null;
