/** Runs one case through the public API and compares what it left behind. */
import { autograd, Tensor } from "fuseau";
import { argumentOf, numberOf, type Results, resultList } from "./adapter/argument.ts";
import { call } from "./adapter/call.ts";
import { readTensor, tensorOf } from "./adapter/element.ts";
import type { Case, Expected, Step } from "./case.ts";
import { compareTensor, sameShape } from "./compare.ts";
import { compareError } from "./errors.ts";

/** Why a case fails, or null when it passes. */
export function verdictOf(test: Case): string | null {
  const results: Results = new Map();
  let step = -1;
  try {
    for (const [name, stored] of Object.entries(test.inputs)) {
      const input = tensorOf(stored);
      results.set(name, test.grad?.wrt.includes(name) ? input.requiresGrad_() : input);
    }
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
  for (const [name, expected] of Object.entries(test.expect ?? {})) {
    const differs = compareResult(results.get(name), expected, test);
    if (differs !== null) return `${name}: ${differs}`;
  }
  try {
    return gradientsDiffer(test, results);
  } catch (error) {
    return `gradient: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
  }
}

/** Gradients are compared within the case's tolerance, though its results may have to be exact. */
function gradientsDiffer(test: Case, results: Results): string | null {
  if (test.grad === undefined) return null;
  const { loss, wrt, expect } = test.grad;
  const inputs = wrt.map((name) => results.get(name) as Tensor);
  const output = results.get(loss) as Tensor;
  const found = output.requiresGrad
    ? autograd.grad(output, inputs, { allowUnused: true })
    : inputs.map(() => null);
  const strictness = test.tol === undefined ? {} : { tol: test.tol };
  for (const [k, name] of wrt.entries()) {
    const expected = expect[name] ?? null;
    const gradient = found[k] ?? null;
    if (gradient === null) {
      if (expected !== null) return `gradient of ${name}: none`;
      continue;
    }
    const read = readTensor(gradient);
    const differs =
      expected !== null
        ? compareTensor(read, expected, strictness)
        : [...read.data].every((element) => Number(element) === 0)
          ? null
          : "is not 0 where there should be none";
    if (differs !== null) return `gradient of ${name}: ${differs}`;
  }
  return null;
}

/** Makes the call and names its results. */
function take({ op, args, kwargs = {}, out }: Step, results: Results): string | null {
  const keywords = Object.fromEntries(
    Object.entries(kwargs).map(([name, value]) => [name, argumentOf(value, results)]),
  );
  const result = call(
    op,
    args.map((value) => argumentOf(value, results)),
    keywords,
  );
  if (out === undefined) return null;
  if (typeof out === "string") {
    results.set(out, result);
    return null;
  }
  const list = resultList(result);
  if (list.length !== out.length) return `${op}: ${list.length} results, want ${out.length}`;
  for (const [i, name] of out.entries()) results.set(name, list[i]);
  return null;
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
