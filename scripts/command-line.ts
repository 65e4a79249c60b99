/** The command lines of the scripts here. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ParseArgsConfig, parseArgs } from "node:util";

/** A file's first comment, without its stars. Nothing of a bundle, which begins otherwise. */
function firstComment(file: string): string {
  const [, text = ""] = /^\/\*\*(.*?)\*\//s.exec(readFileSync(fileURLToPath(file), "utf8")) ?? [];
  return text.replaceAll(/^ ?\* ?/gm, "").trim();
}

/**
 * Reads the command line as `parseArgs` does. With `--help` it prints the comment that the script begins with, and ends the process. What
 * `parseArgs` refuses is told with that comment, and the process ends with 2.
 *
 * @param script its `import.meta.url`.
 */
export function commandLine<const Config extends ParseArgsConfig>(
  script: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  if (process.argv.slice(2).some((word) => word === "--help" || word === "-h")) {
    console.log(firstComment(script));
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${firstComment(script)}`);
    process.exit(2);
  }
}
