/** Runs one case through the public API and compares what it left behind. */
import { compute, Tensor } from "fuseau";
import { argumentOf, numberOf, type Results } from "./adapter/argument.ts";
import { readTensor, tensorOf } from "./adapter/element.ts";
import type { Case, Expected, Step } from "./case.ts";
import { compareTensor, sameShape } from "./compare.ts";
import { derivativesDiffer, runMapped } from "./derivatives.ts";
import { compareError } from "./errors.ts";
import { take } from "./program.ts";

/** Why a case fails, or null when it passes. */
export function verdictOf(test: Case): string | null {
  const results: Results = new Map();
  let step = -1;
  try {
    const differentiated = test.grad?.wrt ?? test.grad2?.wrt ?? [];
    for (const [name, stored] of Object.entries(test.inputs)) {
      const input = tensorOf(stored);
      results.set(name, differentiated.includes(name) ? input.requiresGrad_() : input);
    }
    if (test.vmap !== undefined) runMapped(test, results);
    else
      for (step = 0; step < test.program.length; step++) {
        const differs = take(test.program[step]!, results);
        if (differs !== null) return differs;
        if (test.error?.step === step) readAll(test.program[step]!, results);
      }
  } catch (error) {
    if (test.error?.step === step) return compareError(error, test.error);
    return `step ${step} threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
  }
  if (test.error) return `no error, want ${test.error.type}: ${test.error.message}`;
  const expected = Object.entries(test.expect ?? {});
  // As one program, which is how a user who wants several asks for them.
  compute(...expected.map(([name]) => results.get(name)).filter((value) => value instanceof Tensor));
  for (const [name, expectation] of expected) {
    const differs = compareResult(results.get(name), expectation, test);
    if (differs !== null) return `${name}: ${differs}`;
  }
  try {
    return derivativesDiffer(test, results);
  } catch (error) {
    return `gradient: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
  }
}

/** What only shows in the elements, such as an integer divided by zero, is thrown when they are read. */
function readAll({ out, args }: Step, results: Results): void {
  const touched =
    out === undefined ? [argumentOf(args[0]!, results)] : [out].flat().map((name) => results.get(name));
  for (const value of touched) if (value instanceof Tensor) readTensor(value);
}

function compareResult(actual: unknown, expected: Expected, test: Case): string | null {
  if ("dtype" in expected) {
    if (!(actual instanceof Tensor)) return `got ${show(actual)}, want a tensor`;
    return compareTensor(readTensor(actual), expected, test);
  }
  if ("size" in expected) {
    if (Array.isArray(actual) && sameShape(actual, expected.size)) return null;
    return `got ${show(actual)}, want [${expected.size}]`;
  }
  if ("dtypeValue" in expected) {
    return actual === expected.dtypeValue ? null : `got ${show(actual)}, want ${expected.dtypeValue}`;
  }
  const want = numberOf(argumentOf(expected.value, new Map()));
  return sameValue(actual, want) ? null : `got ${show(actual)}, want ${show(want)}`;
}

/** Numbers agree to one part in a million, lists item by item. */
function sameValue(actual: unknown, want: unknown): boolean {
  if (Array.isArray(actual) && Array.isArray(want)) {
    return actual.length === want.length && actual.every((item, i) => sameValue(item, want[i]));
  }
  const got = typeof actual === "bigint" ? Number(actual) : actual;
  if (Object.is(got, want)) return true;
  return typeof got === "number" && typeof want === "number" && Math.abs(got - want) <= 1e-6 * Math.abs(want);
}

const show = (value: unknown): string =>
  value instanceof Tensor ? `a tensor of shape [${value.shape}]` : String(value);
