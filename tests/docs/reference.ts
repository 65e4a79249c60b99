/** The page that lists what can be imported and called: docs/reference.md, made of the declarations and their docstrings. */
import { readdirSync, readFileSync } from "node:fs";
import * as fuseau from "fuseau";
import * as data from "fuseau/data";
import * as nn from "fuseau/nn";
import * as optim from "fuseau/optim";
import * as testing from "fuseau/testing";
import { declarationOf } from "../../packages/runtime/src/declare/declaration.ts";
import { waysOf } from "../../packages/runtime/src/entry/operation.ts";
import { showCall } from "../../packages/runtime/src/entry/signature.ts";

type Exports = Readonly<Record<string, unknown>>;
interface Docstring {
  readonly file: string;
  readonly text: string;
  /** The arguments of a class's own constructor; null for what is not made with `new`. */
  readonly made: string | null;
}

const source = new URL("../../packages/runtime/src/", import.meta.url);

/** What stands between the marks of a docstring, as one line. */
const oneLine = (comment: string): string =>
  comment
    .replace(/^\s*\/\*\*|\*\/\s*$/g, "")
    .replaceAll(/\n *\* ?/g, " ")
    .trim();

/** The first sentence, without what marks a link. */
const firstSentence = (text: string): string =>
  (/^.*?\.(?=\s+[A-Z@`"'(]|$)/.exec(text)?.[0] ?? text)
    .replaceAll(/\{@link ([\w.]+)\}/g, "`$1`")
    .replaceAll("|", "\\|");

const filesOf = (path: string): string[] =>
  path.endsWith(".ts")
    ? [path]
    : readdirSync(new URL(path, source), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => path + file)
        .sort();

/** The docstrings of what a file, or those of a folder, declare, by name; of equal names, the first that is exported, else the first. */
function docstringsIn(path: string): ReadonlyMap<string, Docstring> {
  const found = new Map<string, Docstring>();
  const exported = new Set<string>();
  for (const file of filesOf(path)) {
    const text = readFileSync(new URL(file, source), "utf8");
    for (const [, comment, isExported, kind, name] of text.matchAll(
      /^(\/\*\*(?:(?!\*\/)[\s\S])*?\*\/)\n(?:\/[/*].*\n)?(export )?(const|function|class|abstract class) (\w+)/gm,
    ))
      if (isExported === undefined ? !found.has(name as string) : !exported.has(name as string)) {
        if (isExported !== undefined) exported.add(name as string);
        found.set(name as string, {
          file,
          text: oneLine(comment as string),
          made: kind === "class" ? madeOf(text, name as string) : null,
        });
      }
  }
  return found;
}

/** The names of a constructor's arguments; an argument that is an object of options keeps its name. */
function madeOf(text: string, name: string): string {
  const body = new RegExp(`class ${name}\\b(?!.*\\{\\}$)[\\s\\S]*?\\n}\\n`, "m").exec(text)?.[0];
  const parameters = /\n {2}constructor\(([\s\S]*?)\) \{\n/.exec(body ?? "")?.[1];
  // It is that of a class that it extends.
  if (parameters === undefined) return "…";
  const names: string[] = [];
  let depth = 0;
  for (const part of parameters.split(/(?=[,<>()[\]{}])/)) {
    const name = /^,?\s*(?:readonly )?(?:\.\.\.)?(\w+)[?:]? ?/.exec(part)?.[1];
    if (depth === 0 && name !== undefined) names.push(name);
    if (/^[<([{]/.test(part)) depth++;
    if (/^[>)\]}]/.test(part)) depth--;
  }
  return names.join(", ");
}

const isFunction = (value: unknown): value is (...given: never[]) => unknown => typeof value === "function";

/** `softplus(input, beta, threshold)`; several, where it can be called in several ways. */
function callOf(name: string, fn: object): string {
  const ways = waysOf(fn);
  return ways.length === 0 ? `\`${name}\`` : ways.map((way) => `\`${showCall(name, way)}\``).join(", ");
}

/** "m" if it is a method too, "_" if it has a form in place. */
function formsOf(fn: (...given: never[]) => unknown): string {
  const declaration = declarationOf(fn);
  if (declaration === undefined) return "";
  return declaration.written === null ? "m" : "m _";
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** The functions of an object, under a heading for each file that declares some. */
function functionsOf(exports: Exports, docstrings: ReadonlyMap<string, Docstring>): string {
  const byFile = new Map<string, string[]>();
  for (const [name, value] of Object.entries(exports).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const known = docstrings.get(name);
    if (known === undefined || !isFunction(value)) continue;
    const rows = byFile.get(known.file) ?? [];
    byFile.set(known.file, rows);
    rows.push(row([callOf(name, value), formsOf(value), firstSentence(known.text)]));
  }
  return [...byFile]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, rows]) =>
      [`### ${titleOf(file)}`, "", ...headed("call", "forms", ""), ...rows, ""].join("\n"),
    )
    .join("\n");
}

const headed = (...names: readonly string[]): string[] => [row(names), row(names.map(() => "---"))];

/** "Batch norm" for functions/batch-norm.ts. */
function titleOf(file: string): string {
  const name = file.replace(/^.*\//, "").replace(/\.ts$/, "").replaceAll("-", " ");
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** What objects have, as one table. */
function tableOf(prefix: string, exports: Exports, docstrings: ReadonlyMap<string, Docstring>): string {
  const rows = Object.entries(exports)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) => {
      if (!isFunction(value)) return [];
      const known = docstrings.get(name) ?? docstrings.get(value.name);
      const made = known?.made ?? null;
      const call = made === null ? callOf(prefix + name, value) : `\`new ${prefix}${name}(${made})\``;
      return [row([call, firstSentence(known?.text ?? "")])];
    });
  return [...headed("call", ""), ...rows, ""].join("\n");
}

/** Methods that are no functions. */
function methodsOf(
  prototype: object,
  functions: Exports,
  docstrings: ReadonlyMap<string, Docstring>,
): string {
  const rows = Object.getOwnPropertyNames(prototype)
    .filter((name) => !(name in functions) && docstrings.has(name))
    .sort()
    .map((name) => {
      const { value } = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
      const call = isFunction(value) ? callOf(`x.${name}`, value) : `\`x.${name}\``;
      return row([call, firstSentence((docstrings.get(name) as Docstring).text)]);
    });
  return [...headed("call", ""), ...rows, ""].join("\n");
}

/** What is read without a call. */
function properties(): string {
  const text = readFileSync(new URL("methods/properties.ts", source), "utf8");
  const rows = [...text.matchAll(/^ {2}(\/\*\*(?:(?!\*\/)[\s\S])*?\*\/)\n {2}readonly (\w+)/gm)].map(
    ([, comment, name]) => row([`\`x.${name}\``, firstSentence(oneLine(comment as string))]),
  );
  return [...headed("property", ""), ...rows, ""].join("\n");
}

export function reference(): string {
  const functions = docstringsIn("functions/");
  const methods = docstringsIn("methods/");
  const { linalg, special, func, autograd, Tensor, ...rest } = fuseau as Exports & typeof fuseau;
  const others = new Map(
    [
      "replay/",
      "methods/tidy.ts",
      "random/generator.ts",
      "tape/errors.ts",
      "threads/thread-error.ts",
      "../../ir/src/errors.ts",
    ]
      .flatMap((path) => [...docstringsIn(path)])
      .filter(([name]) => name in rest),
  );
  const named = Object.fromEntries(Object.entries(rest).filter(([name]) => others.has(name)));
  return `# Reference: what can be called

Every function, method and class, with the first sentence of its docstring; an editor shows the rest. Names in braces are options, given as one object that
comes last. This page is made of the declarations: \`npx vitest run tests/docs -u\` writes it anew.

## Functions

"m" says that the function is a method too, called on its first argument: \`softplus(x, 2)\` is \`x.softplus(2)\`. "_" says that the method has a form in place:
\`x.softplus_(2)\`. Every one of them is exported by \`fuseau\`.

${functionsOf(rest, functions)}
## \`linalg\`

${tableOf("linalg.", linalg, functions)}
## \`special\`

${tableOf("special.", special, functions)}
## \`func\`

${tableOf("func.", func, functions)}
## \`autograd\`

${tableOf("autograd.", autograd, functions)}
## Methods that are no functions

${methodsOf(Tensor.prototype, rest, methods)}
## Properties

${properties()}
## Classes, and what runs programs again

${tableOf("", named, others)}
## \`fuseau/nn\`

${tableOf("nn.", nn, docstringsIn("nn/"))}
### \`init\`

${tableOf("nn.init.", nn.init, docstringsIn("nn/"))}
### \`utils\`

${tableOf("nn.utils.", nn.utils, docstringsIn("nn/"))}
## \`fuseau/optim\`

${tableOf("optim.", optim, docstringsIn("optim/"))}
## \`fuseau/data\`

${tableOf("data.", data, docstringsIn("data/"))}
## \`fuseau/testing\`

${tableOf("", testing, docstringsIn("testing.ts"))}`;
}
