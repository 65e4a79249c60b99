/** Binds programs of many sizes to one size. */
import type { Program } from "@fuseau/compiler";
import type { Backend, Kernel, Loaded } from "../backends/backend.ts";
import type { Expected, Source } from "./expected.ts";
import type { Recorded } from "./extract.ts";
import {
  type Late,
  lateAt,
  type Purpose,
  programAtSize,
  recordedAt,
  type Sized,
  useExpected,
} from "./families.ts";
import type { Executable, LateExecutable } from "./programs.ts";

/** Bound programs that are kept for each line of sizes, by size modulo this number. To bind one anew is about as quick as to find it. */
const MOST_BOUND = 256;

/** A program of many sizes, bound to one of them. */
export function executableAt(late: Late, size: number): Executable {
  const { executables } = late.sized;
  const known = executables[size % MOST_BOUND];
  if (known?.late?.size === size) return known;
  const executable = new Bound(late, size);
  executables[size % MOST_BOUND] = executable;
  return executable;
}

/** A class, since thousands are made: V8 gives every object literal with a getter a hidden class of its own. */
class Bound implements Executable {
  readonly asked: Purpose["asked"];
  readonly fusion: Purpose["fusion"];
  readonly limits: Purpose["limits"];
  readonly donated: Purpose["donated"];
  readonly program: Program;
  readonly kernels: readonly Kernel[];
  readonly backend: Backend;
  readonly loaded: Loaded<unknown>;
  readonly reason: string;
  readonly begins = false;
  readonly late: LateExecutable;
  readonly expected: Expected;
  #recorded: Recorded | null = null;

  constructor(late: Late, size: number) {
    const { sized, kernels, choice, loaded } = late;
    const { asked, fusion, limits, donated } = sized.family.purpose;
    const { backend, reason } = choice;
    this.asked = asked;
    this.fusion = fusion;
    this.limits = limits;
    this.donated = donated;
    this.program = programAtSize(late, size);
    this.kernels = kernels;
    this.backend = backend;
    this.loaded = loaded.at(this.program);
    this.reason = reason;
    this.late = { of: late, size };
    this.expected = sized.expected;
  }

  get recorded(): Recorded {
    this.#recorded ??= recordedAt(this.late.of.sized, this.late.size);
    return this.#recorded;
  }
}

/** Where an expected program comes from, if it is one of a line of sizes. */
export const sourceOf = (sized: Sized): Source => ({
  purpose: sized.family.purpose,
  held: null,
  at: (size) => {
    const late = lateAt(sized, size);
    return late === null ? null : executableAt(late, size);
  },
  use: () => useExpected(sized),
});
