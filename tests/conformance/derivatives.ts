/** What a case says of derivatives: gradients, gradients of gradients, directional derivatives, and vmap. */
import { type AnyTensor, autograd, compute, func, Tensor } from "fuseau";
import type { Results } from "./adapter/argument.ts";
import { readTensor, tensorOf } from "./adapter/element.ts";
import type { Case, StoredTensor } from "./case.ts";
import { compareTensor } from "./compare.ts";
import { take } from "./program.ts";

/** How a derivative differs from PyTorch's, or null. */
export function derivativesDiffer(test: Case, results: Results): string | null {
  return gradientsDiffer(test, results) ?? secondDiffer(test, results) ?? tangentsDiffer(test);
}

const tensors = (names: readonly string[], results: Results): AnyTensor[] =>
  names.map((name) => results.get(name) as AnyTensor);

function gradientsDiffer(test: Case, results: Results): string | null {
  if (test.grad === undefined) return null;
  const { loss, wrt, expect } = test.grad;
  const output = results.get(loss) as AnyTensor;
  const found = output.requiresGrad
    ? autograd.grad(output, tensors(wrt, results), { allowUnused: true, retainGraph: true })
    : [];
  return eachDiffers("gradient of", wrt, found, expect, test);
}

function secondDiffer(test: Case, results: Results): string | null {
  if (test.grad2 === undefined) return null;
  const { loss, wrt, v, expect } = test.grad2;
  const inputs = tensors(wrt, results);
  const options = { allowUnused: true, createGraph: true } as const;
  const first = autograd.grad(results.get(loss) as AnyTensor, inputs, options);
  const products = wrt.flatMap((name, k) => {
    const gradient = first[k];
    const weights = v[name] === undefined ? undefined : (results.get(v[name]) as AnyTensor);
    return gradient && weights ? [gradient.mul(weights as never).sum() as AnyTensor] : [];
  });
  const sum = products.reduce((a, b) => a.add(b as never));
  const found = sum.requiresGrad ? autograd.grad(sum, inputs, { allowUnused: true }) : [];
  return eachDiffers("second gradient of", wrt, found, expect, test);
}

/** The program as a function of those inputs that have a tangent. */
function tangentsDiffer(test: Case): string | null {
  if (test.jvp === undefined) return null;
  const { t, expect } = test.jvp;
  const names = Object.keys(t);
  const outputs = Object.keys(expect);
  const inputs = new Map(Object.entries(test.inputs).map(([name, stored]) => [name, tensorOf(stored)]));
  const primals = names.map((name) => inputs.get(name) as AnyTensor);
  const tangents = names.map((name) => inputs.get(t[name]!) as AnyTensor);
  const [, found] = func.jvp(
    (...given: AnyTensor[]) => runWith(test, names, given, outputs),
    primals,
    tangents,
  );
  return eachDiffers("tangent of", outputs, found, expect, test);
}

/** The named results of the program, with `given` in the place of the named inputs. */
function runWith(
  test: Case,
  names: readonly string[],
  given: readonly AnyTensor[],
  outputs: readonly string[],
): AnyTensor[] {
  const results: Results = new Map();
  for (const [name, stored] of Object.entries(test.inputs)) {
    const place = names.indexOf(name);
    results.set(name, place < 0 ? tensorOf(stored) : given[place]);
  }
  for (const step of test.program) {
    const differs = take(step, results);
    if (differs !== null) throw new Error(differs);
  }
  return tensors(outputs, results);
}

/** Runs the program for all examples of its batch; the results have their names. */
export function runMapped(test: Case, results: Results): void {
  if (test.vmap === undefined) return;
  const { in: axes, out } = test.vmap;
  const names = Object.keys(axes);
  const outputs = Object.keys(test.expect ?? {});
  const run = func.vmap(
    (...given: AnyTensor[]) => runWith(test, names, given, outputs),
    names.map((name) => axes[name] ?? null),
    out,
  );
  const made = run(...names.map((name) => tensorOf(test.inputs[name]!)));
  outputs.forEach((name, k) => {
    results.set(name, made[k]);
  });
}

/** Derivatives are compared within the case's tolerance, though its results may have to be exact. */
function eachDiffers(
  what: string,
  names: readonly string[],
  found: readonly (AnyTensor | null | undefined)[],
  expect: Readonly<Record<string, StoredTensor | null>>,
  { tol }: Case,
): string | null {
  const strictness = tol === undefined ? {} : { tol };
  compute(...found.filter((derivative) => derivative instanceof Tensor));
  for (const [k, name] of names.entries()) {
    const expected = expect[name] ?? null;
    const derivative = found[k] ?? null;
    if (!(derivative instanceof Tensor)) {
      if (expected?.data.some((element) => element !== 0)) return `${what} ${name}: none`;
      continue;
    }
    const read = readTensor(derivative);
    const differs =
      expected !== null
        ? compareTensor(read, expected, strictness)
        : [...read.data].every((element) => Number(element) === 0)
          ? null
          : "is not 0 where there should be none";
    if (differs !== null) return `${what} ${name}: ${differs}`;
  }
  return null;
}
