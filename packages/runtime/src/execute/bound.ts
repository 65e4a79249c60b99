/** Programs of many sizes, bound to one of them. */
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

/** The programs of a line that are held bound to sizes: the last one of each remainder, which is as quick to find as to replace. */
const MOST_BOUND = 256;

/** A program of many sizes at one of them. */
export function executableAt(late: Late, size: number): Executable {
  const { executables } = late.sized;
  const known = executables[size % MOST_BOUND];
  if (known?.late?.size === size) return known;
  const executable = new Bound(late, size);
  executables[size % MOST_BOUND] = executable;
  return executable;
}

/** A class, as thousands are made: of an object with a getter V8 makes a class of its own. */
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

/** Where those of a line come from when one of them is expected. */
export const sourceOf = (sized: Sized): Source => ({
  purpose: sized.family.purpose,
  held: null,
  at: (size) => {
    const late = lateAt(sized, size);
    return late === null ? null : executableAt(late, size);
  },
  use: () => useExpected(sized),
});
