/** What became of the cases of one file, run in one way. */
import type { Case } from "./case.ts";
import { type Combination, showCombination, withCombination } from "./combination.ts";
import { verdictOf } from "./verdict.ts";

export interface Failure {
  readonly test: Case;
  readonly why: string;
}

export interface Outcome {
  readonly file: string;
  readonly combination: string;
  readonly cases: readonly Case[];
  readonly failures: readonly Failure[];
}

export function runCases(file: string, cases: readonly Case[], combination: Combination): Outcome {
  const failures = withCombination(combination, () =>
    cases.flatMap((test) => {
      const why = verdictOf(test);
      return why === null ? [] : [{ test, why }];
    }),
  );
  return { file, combination: showCombination(combination), cases, failures };
}
