/** Every function and method refuses what its signature does not have; one that is added later cannot forget to. */
import * as fuseau from "fuseau";
import { describe, expect, test } from "vitest";

type Callable = (this: unknown, ...given: readonly unknown[]) => unknown;

const matrix = (): fuseau.AnyTensor =>
  fuseau.tensor([
    [1, 2],
    [3, 4],
  ]) as fuseau.AnyTensor;

/** Predicates of anything, and what takes a program to run. */
const others: ReadonlySet<string> = new Set(["isTensor", "tidy"]);
/** What throws whatever it is given; and toJSON, which is given a key by JSON.stringify. */
const elsewhere: ReadonlySet<string> = new Set([
  "toJSON",
  "numpy",
  "tolist",
  "astype",
  "cpu",
  "cuda",
  "backward",
]);
const isClass = (value: unknown): boolean => /^class\b/.test(String(value));

const functions = Object.entries(fuseau).filter(
  ([name, value]) => typeof value === "function" && !isClass(value) && !others.has(name),
);
const methods = Object.entries(Object.getOwnPropertyDescriptors(fuseau.Tensor.prototype)).filter(
  ([name, { value }]) => typeof value === "function" && name !== "constructor" && !elsewhere.has(name),
);
const entries: readonly (readonly [string, (...given: readonly unknown[]) => unknown])[] = [
  ...functions.map(([name, run]) => [name, run as Callable] as const),
  ...Object.entries(fuseau.func).map(([name, run]) => [`func.${name}`, run as Callable] as const),
  ...Object.entries(fuseau.linalg).map(([name, run]) => [`linalg.${name}`, run as Callable] as const),
  ...methods.map(
    ([name, { value }]) =>
      [
        `Tensor.${name}`,
        (...given: readonly unknown[]) => (value as Callable).apply(matrix(), [...given]),
      ] as const,
  ),
];

function errorOf(run: () => unknown): Error | null {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  return null;
}

/** Errors begin with the name that was called, whatever the operation is made of. */
const beginning = (name: string): RegExp => new RegExp(`^${name.replace("Tensor.", "")}: `);

const fromHere = /\n {4}at [^\n]*every-operation/;

test("there are many", () => {
  expect(functions.length).toBeGreaterThan(400);
  expect(methods.length).toBeGreaterThan(460);
});

describe("an option that does not exist", () => {
  test.each(entries)("of %s", (name, run) => {
    const said: string[] = [];
    const begins = beginning(name);
    for (let count = 0; count < 10; count++) {
      const given = Array.from({ length: count }, matrix);
      const error = errorOf(() => run(...given, { bogusOption: 1 }));
      if (error === null) expect.fail(`${name} with ${count} tensors and { bogusOption } throws nothing`);
      // An assertion for each of 30,000 errors takes longer than all calls: they are for what is wrong.
      if (!begins.test(error.message)) expect(error.message).toMatch(begins);
      if (!fromHere.test(error.stack ?? ""))
        expect(error.stack, "the stack begins at the caller's line").toMatch(fromHere);
      said.push(error.message);
    }
    expect(said.join("\n")).toMatch(
      /bogusOption|at most|takes no arguments|must be Tensor, not object|an object/,
    );
  });
});

/** Of which only the operation knows what they may be. */
const ownOptions: ReadonlySet<string> = new Set([
  "bins",
  "spacing",
  "padding",
  ...["fusion", "emitter", "limits", "profile"],
]);

describe("an option of the wrong kind", () => {
  const found = new Set<string>();
  test.each(entries)("of %s", (name, run) => {
    for (let count = 0; count < 10; count++) {
      const given = Array.from({ length: count }, matrix);
      const listed = /the options are ([\w, ]+)/.exec(
        errorOf(() => run(...given, { bogusOption: 1 }))?.message ?? "",
      );
      for (const option of listed?.[1]?.split(", ") ?? []) {
        const error = errorOf(() => run(...given, { [option]: Symbol("wrong") }));
        if (error === null) expect.fail(`${name} takes a symbol for ${option}`);
        if (!ownOptions.has(option)) expect(error.message).toMatch(new RegExp(`\\b${option}\\b`));
        found.add(`${name} ${option}`);
      }
    }
  });
  test("there are many", () => {
    expect(found.size).toBeGreaterThan(650);
  });
});

/** What JavaScript answers where nobody has looked at an argument. */
const ofEngine =
  /Cannot (read|convert|mix|use|destructure)|is not a function|is not iterable|of undefined|of null|no initial value/;
/** Takes any number of anything, or says in the user's words what it was given. */
const junk: readonly unknown[] = [
  undefined,
  null,
  "2",
  {},
  { dim: 0 },
  [],
  [null],
  ["a"],
  () => 1,
  NaN,
  1.5,
  -7,
  3n,
];

describe("an argument of the wrong kind is refused by name", () => {
  test.each(entries)("by %s", (name, run) => {
    const begins = beginning(name);
    for (const before of [[], [matrix()], [matrix(), matrix()], [matrix(), 0], [matrix(), 0, 1]]) {
      for (const argument of junk) {
        const error = errorOf(() => run(...before, argument));
        if (error === null) continue;
        if (begins.test(error.message) && !ofEngine.test(error.message)) continue;
        expect(error.message).toMatch(begins);
        expect(error.message).not.toMatch(ofEngine);
      }
    }
  });
});

describe("more arguments than there are", () => {
  test.each(entries)("for %s", (name, run) => {
    const error = errorOf(() => run(...Array.from({ length: 12 }, () => "surplus")));
    expect(error, `${name} takes twelve strings`).toBeInstanceOf(Error);
  });
});
