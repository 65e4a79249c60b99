import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { API, type Diagnostic } from "typescript/unstable/sync";

/**
 * What tsc prints of a project's own files, relative to `folder`: `a.ts(3,7): error TS2345: …`. The packages that they import are not
 * checked, as `npm run check` does: tsc takes more than half of its time for them.
 */
export function checkTypes(config: string, folder: string): string {
  const api = new API({});
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`there is no ${config}`);
    const { program, rootFiles } = project;
    const found = [
      ...program.getConfigFileParsingDiagnostics(),
      ...program.getProgramDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...rootFiles.flatMap((file) => {
        const syntax = program.getSyntacticDiagnostics(file);
        return syntax.length > 0 ? syntax : program.getSemanticDiagnostics(file);
      }),
    ];
    return found.map((one) => `${placeOf(one, folder)}error TS${one.code}: ${textOf(one)}\n`).join("");
  } finally {
    api.close();
  }
}

function placeOf({ fileName, pos }: Diagnostic, folder: string): string {
  if (fileName === undefined) return "";
  const before = readFileSync(fileName, "utf8").slice(0, pos).split(/\r?\n/);
  const column = (before.at(-1) ?? "").length + 1;
  return `${relative(folder, fileName)}(${before.length},${column}): `;
}

const textOf = ({ text, messageChain = [] }: Diagnostic, indent = ""): string =>
  [`${indent}${text}`, ...messageChain.map((each) => textOf(each, `${indent}  `))].join("\n");
