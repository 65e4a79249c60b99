// The types of methods in the published declarations. In src they follow from the functions (packages/runtime/src/members/declared.ts);
// what the compiler and the bundler write of that has to be said in another way.

/** rollup-plugin-dts reads `{ add: add }` where rollup writes getters, for the sake of circles that types have not. */
export const plainNamespaces = () => ({
  name: "plain-namespaces",
  /** @type {(code: string) => { code: string, map: null }} */
  renderChunk: (code) => ({
    code: code.replace(/get (\w+) \(\) \{ return (\w+); \}/g, "$1: $2"),
    map: null,
  }),
});

/**
 * A namespace stands for a file of declarations, and editors show no docstring of its members: it becomes an object, whose members
 * have those of what they name. The list of `methodOf` was spelled by the compiler, which loses what recursive types
 * say of type parameters: it is made anew of the functions' own types, with `this` for `input`. All of it stands at the end, so
 * that the lines before stay where the source map has them.
 *
 * @param {string} declarations
 */
export function withMethods(declarations) {
  const constants = constantsOf(declarations);
  /** @type {string[]} */
  const files = [];
  /** @type {string[]} */
  const irregular = [];
  const text = declarations
    .replace(/^declare namespace ([\w$]+) \{\n[\s\S]*?\n\}$/gm, (block, namespace) => {
      // What users import as a namespace, such as `func`, holds no methods.
      if (!declarations.includes(`Of<typeof ${namespace}>`)) return block;
      files.push(`declare const ${namespace}: {`);
      for (const [local, name] of exportsOf(block)) {
        const of = /^typeof ([\w$]+)$/.exec(constants.get(local)?.type ?? "")?.[1] ?? local;
        const { doc = "", type = "" } = constants.get(of) ?? {};
        files.push(`${doc}readonly ${name}: typeof ${of};`);
        const own = constants.get(/^typeof ([\w$]+)$/.exec(type)?.[1] ?? "")?.type ?? type;
        if (/^[<(]/.test(own)) irregular.push(`readonly ${name}: ${own.replace("(input: ", "(this: ")};`);
      }
      files.push("};");
      return blank(block);
    })
    .replace(/^declare const irregular: \{\n[\s\S]*?\n\};$/gm, (block) => {
      const made = new Set(irregular.map((line) => /^readonly (\w+)/.exec(line)?.[1]));
      const lost = [...block.matchAll(/^ {4}(\w+):/gm)]
        .map(([, name]) => name)
        .filter((name) => !made.has(name));
      if (lost.length > 0) throw new Error(`build: the declarations have no type of ${lost.join(", ")}`);
      return blank(block);
    });
  if (files.length === 0) return declarations;
  const end = text.lastIndexOf("//# sourceMappingURL");
  const methods = [...files, "declare const irregular: {", ...irregular, "};"].join("\n");
  return `${text.slice(0, end)}${methods}\n${text.slice(end)}`;
}

/**
 * What is declared as a constant: its docstring and its type.
 *
 * @param {string} declarations
 */
function constantsOf(declarations) {
  const constant =
    /((?:^\/\*\*[^\n]*\n(?: \*[^\n]*\n)*)?)^declare const ([\w$]+): ((?:[^\n]*\n)(?:[ })][^\n]*\n)*)/gm;
  return new Map(
    [...declarations.matchAll(constant)].map(([, doc = "", name = "", type = ""]) => [
      name,
      { doc, type: type.trimEnd().replace(/;$/, "") },
    ]),
  );
}

/**
 * The values that a namespace exports, each as its name in the file and its name outside.
 *
 * @param {string} block
 */
const exportsOf = (block) =>
  [...block.matchAll(/export \{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    [...list.matchAll(/([\w$]+)(?: as (\w+))?/g)].map(
      ([, local = "", name = local]) => /** @type {const} */ ([local, name]),
    ),
  );

/**
 * As many lines, with nothing in them.
 *
 * @param {string} block
 */
const blank = (block) => block.replace(/[^\n]/g, "");
