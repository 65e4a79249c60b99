/**
 * What a call promises in its type is what it gives: the type checker's shape and dtype of some two thousand expressions, held
 * against those of the tensors that they make.
 */
import { fileURLToPath } from "node:url";
import * as fuseau from "fuseau";
import { API, NodeBuilderFlags, type Project, type Type, TypeFlags } from "typescript/unstable/sync";
import { expect, test } from "vitest";
import { declared } from "../../packages/runtime/src/declare/declaration.ts";
import "../../packages/runtime/src/members/declared.ts";
import { irregular } from "./promises.ts";

const dtypes = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"] as const;
const shapes: Readonly<Record<string, readonly number[]>> = { m: [2, 3], v: [3], s: [] };

/** `m_int32` is a matrix of int32. */
const operands = Object.entries(shapes).flatMap(([name, shape]) =>
  dtypes.map((dtype) => ({
    name: `${name}_${dtype}`,
    text: `ones([${shape}], { dtype: "${dtype}" })`,
    dtype,
  })),
);

/** Every operation that takes a tensor alone, of every dtype; every one of two, of some pairs. */
function expressions(): string[] {
  const list = [...irregular];
  for (const { name, parameters } of declared()) {
    if (parameters === "" || parameters.startsWith("{")) {
      for (const dtype of dtypes) list.push(`m_${dtype}.${name}()`);
    } else if (/^(other|exponent|values|min|max)( ?,? ?\{.*)?$/.test(parameters)) {
      for (const [index, left] of dtypes.entries()) {
        const right = dtypes[(index * 4 + name.length) % dtypes.length];
        const others = [`v_${right}`, `s_${right}`, "2", "0.5", "true"];
        list.push(`m_${left}.${name}(${others[index % others.length]})`, `s_${left}.${name}(m_${right})`);
      }
    }
  }
  return list;
}

interface Promised {
  /** As an editor shows it. */
  readonly shown: string;
  /** Of a tensor: its shape and its dtype, `[2, 3]` and `"float32"`. */
  readonly shape: string;
  readonly dtype: string;
  readonly refusal: string | null;
}

function promisesOf(texts: readonly string[]): {
  readonly promised: readonly Promised[];
  /** Members of a tensor whose types say nothing. */
  readonly nameless: readonly string[];
  readonly members: readonly string[];
} {
  const [config = "", file = ""] = ["promised.json", "promised.ts"].map((name) =>
    fileURLToPath(new URL(name, import.meta.url)),
  );
  const results = texts.map((text, index) => `export const r${index} = ${text};`);
  const source = [
    `import { ${Object.keys(fuseau)
      .filter((name) => /^\w+$/.test(name))
      .join(", ")} } from "fuseau";`,
    ...operands.map(({ name, text }) => `const ${name} = ${text};`),
    ...results,
  ].join("\n");
  const placeOf = (declaration: string): number => source.indexOf(declaration) + "const ".length;
  const starts = results.map((line) => source.indexOf(line));
  const files = new Map([
    [config, JSON.stringify({ extends: "./tsconfig.json", files: ["promised.ts"], include: [] })],
    [file, source],
  ]);
  const api = new API({
    fs: { readFile: (path) => files.get(path), fileExists: (path) => files.has(path) || undefined },
  });
  try {
    const { program, checker } = api.updateSnapshot({ openProjects: [config] }).getProject(config) as Project;
    const refusals = program.getSemanticDiagnostics(file);
    const text = (one: Type): string => checker.typeToString(one, undefined, NodeBuilderFlags.NoTruncation);
    const types = checker.getTypeAtPosition(
      file,
      starts.map((start) => start + "export const ".length),
    );
    const promised = types.map((type, index): Promised => {
      const [start = 0, end = source.length] = [starts[index], starts[index + 1]];
      const refusal = refusals.find(({ pos }) => pos >= start && pos < end)?.text ?? null;
      const isTensor = type?.isTypeReference() === true && type.getSymbol()?.name === "Tensor";
      const [shape = "", dtype = ""] = isTensor ? checker.getTypeArguments(type).map(text) : [];
      return { shown: type === undefined ? "" : text(type), shape, dtype, refusal };
    });
    const matrix = checker.getTypeAtPosition(file, placeOf("const m_float32 ")) as Type;
    const members = [...checker.getPropertiesOfType(matrix)];
    const typed = checker.getTypeOfSymbol(members);
    return {
      promised,
      nameless: members.flatMap(({ name }, index) =>
        ((typed[index]?.flags ?? 0) & known) === 0 ? [name] : [],
      ),
      members: members.map(({ name }) => name),
    };
  } finally {
    api.close();
  }
}

const known = ~(TypeFlags.Any | TypeFlags.Unknown | TypeFlags.Never);

/** Null when the call is refused. What `!` says is for the type checker alone. */
function given(text: string): unknown {
  const named = new Set(text.match(/\w+/g));
  const tensors = operands
    .filter(({ name }) => named.has(name))
    .map(({ name, text }) => `const ${name} = ${text};`)
    .join("\n");
  const names = Object.keys(fuseau).filter((name) => named.has(name) || name === "ones");
  try {
    return new Function(...names, `${tensors}\nreturn ${text.replace(/!$/, "")};`)(
      ...names.map((name) => (fuseau as Readonly<Record<string, unknown>>)[name]),
    );
  } catch {
    return null;
  }
}

/** What the types leave open may be anything: `[2, number]`. */
function holds({ shape, dtype }: Promised, value: unknown): boolean {
  if (!(value instanceof fuseau.Tensor)) return true;
  const sizes = shape.startsWith("[") ? shape.slice(1, -1).split(", ").filter(Boolean) : null;
  const fits = (size: string, axis: number): boolean =>
    size.split(" | ").some((one) => one === "number" || Number(one) === value.shape[axis]);
  const hasShape = sizes === null ? shape === "number[]" : sizes.length === value.ndim && sizes.every(fits);
  return hasShape && dtype.split(" | ").includes(`"${value.dtype}"`);
}

const texts = expressions();
const { promised, nameless, members } = promisesOf(texts);

test("every member of a tensor has a type", () => {
  expect(nameless).toEqual([]);
});

test("a tensor has the members that its type has", () => {
  const x = fuseau.ones([2, 3]);
  expect(members.filter((name) => /^\w+$/.test(name) && !name.startsWith("__") && !(name in x))).toEqual([]);
});

test("a call gives what its type promises", () => {
  const broken: string[] = [];
  let compared = 0;
  for (const [index, text] of texts.entries()) {
    const promise = promised[index] as Promised;
    const value = given(text);
    if (value === null) {
      if (irregular.includes(text)) broken.push(`${text}: refused when it is called`);
      continue;
    }
    compared++;
    if (promise.refusal !== null) broken.push(`${text}: refused by the types: ${promise.refusal}`);
    else if (!holds(promise, value)) broken.push(`${text}: ${promise.shown}, but gave ${describe(value)}`);
  }
  expect(broken).toEqual([]);
  expect(compared).toBeGreaterThan(1300);
});

test("editors show values as they are", () => {
  const aliased = promised.filter(({ shown, shape }) => shape !== "" && !shown.startsWith("Tensor<"));
  expect(aliased.map(({ shown }) => shown)).toEqual([]);
});

const describe = (value: unknown): string =>
  value instanceof fuseau.Tensor ? `[${value.shape.join(", ")}] ${value.dtype}` : String(value);
