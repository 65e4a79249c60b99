/** How long each kernel of a program takes, the others around it. */
import type { AnyTensor } from "fuseau";
import { extract, forget } from "../../packages/runtime/src/execute/extract/extract.ts";
import { executableFor } from "../../packages/runtime/src/execute/find-program.ts";
import { boundTo, run } from "../../packages/runtime/src/execute/programs/run.ts";
import { unwrap } from "../../packages/runtime/src/tensor/handle.ts";
import { timeOf } from "../measure/processor-time.ts";
import { optionsOf, type Path } from "./race.ts";

const WARM_RUNS = 20;
const RUNS = 60;
/** Milliseconds, of either kind. */
const MOST_TIME = 500;

/** Milliseconds of processor time, the mean over some runs. */
export function kernelTimes(record: () => readonly AnyTensor[], path: Path): number[] {
  const times: number[] = [];
  const rounds = (most: number, note: (kernel: number, time: number) => void): number => {
    const start = performance.now();
    let count = 0;
    for (; count < most && (count === 0 || performance.now() - start < MOST_TIME); count++) round(note);
    return count;
  };
  const round = (note: (kernel: number, time: number) => void): void => {
    const extraction = extract(record().map(unwrap));
    const executable = executableFor(extraction, optionsOf(path));
    let kernel = 0;
    const storages = run(executable, boundTo(extraction), (_call, work) => {
      note(kernel++, timeOf(work, 1));
    });
    forget();
    for (const storage of storages) storage.release();
  };
  rounds(WARM_RUNS, () => undefined);
  const count = rounds(RUNS, (kernel, time) => {
    times[kernel] = (times[kernel] ?? 0) + time;
  });
  return times.map((time) => time / count);
}
