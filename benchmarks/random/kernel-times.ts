/** How long each kernel of a program takes, the others around it. */
import type { AnyTensor } from "fuseau";
import { extract, forget } from "../../packages/runtime/src/execute/extract.ts";
import { executableFor } from "../../packages/runtime/src/execute/programs.ts";
import { boundTo, run } from "../../packages/runtime/src/execute/run.ts";
import { unwrap } from "../../packages/runtime/src/tensor/handle.ts";
import { timeOf } from "./processor-time.ts";
import { optionsOf, type Path } from "./race.ts";

const WARM_RUNS = 20;
const RUNS = 60;

/** Milliseconds of processor time, the mean over some runs. */
export function kernelTimes(record: () => readonly AnyTensor[], path: Path): number[] {
  const times: number[] = [];
  for (let k = -WARM_RUNS; k < RUNS; k++) {
    const extraction = extract(record().map(unwrap));
    const executable = executableFor(extraction, optionsOf(path));
    let kernel = 0;
    const storages = run(executable, boundTo(extraction), (_call, work) => {
      const time = timeOf(work, 1);
      if (k >= 0) times[kernel] = (times[kernel] ?? 0) + time / RUNS;
      kernel++;
    });
    forget();
    for (const storage of storages) storage.release();
  }
  return times;
}
