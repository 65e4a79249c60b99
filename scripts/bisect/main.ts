/** The command line of the bisection (docs/debugging.md). */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { emitters } from "../../packages/compiler/src/index.ts";
import { bisect } from "./bisect.ts";
import type { BisectOptions } from "./judge.ts";
import type { Tools } from "./specimen.ts";

const USAGE = `npm run bisect -- FILE [options]
  --emitter E           the emitter at fault, in place of the dump's: ${emitters.join(", ")}
  --reference E         the emitter of the reference (default one that another bears out; with --slow the fastest)
  --reference-fusion F  on or none (default none)
  --reference-rules R   on or none (default none)
  --tolerance T         by which floats may differ, in parts of the largest (default 1e-4 of float32)
  --slow                what makes it slow, in processor time
  --ratio R             what is slow: more than so many times the reference (default 1.5)`;

function asked(args: readonly string[]): { readonly file: string; readonly options: BisectOptions } {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      emitter: { type: "string" },
      reference: { type: "string" },
      "reference-fusion": { type: "string" },
      "reference-rules": { type: "string" },
      tolerance: { type: "string" },
      slow: { type: "boolean", default: false },
      ratio: { type: "string" },
    },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new Error("asks for one file");
  const oneOf = <T extends string>(name: keyof typeof values, of: readonly T[]): T | undefined => {
    const found = of.find((value) => value === values[name]);
    if (values[name] !== undefined && found === undefined)
      throw new Error(`--${name} is one of ${of.join(", ")}`);
    return found;
  };
  const number = (name: "tolerance" | "ratio"): number | undefined => {
    const value = values[name];
    if (value === undefined) return undefined;
    if (value.trim() === "" || !(Number(value) >= 0)) throw new Error(`--${name} is a number of at least 0`);
    return Number(value);
  };
  const options = {
    emitter: oneOf("emitter", emitters),
    reference: oneOf("reference", emitters),
    referenceFusion: oneOf("reference-fusion", ["on", "none"]),
    referenceRules: oneOf("reference-rules", ["on", "none"]),
    tolerance: number("tolerance"),
    ratio: number("ratio"),
    slow: values.slow,
  };
  return { file, options };
}

/**
 * 0 where something is found that is to blame, 1 where nothing is, and 2 where the dump cannot be read.
 *
 * @param print is handed the verdict, a text of some lines.
 * @param say is told of progress, and of what it cannot read.
 */
export function main(
  args: readonly string[],
  print: (text: string) => void,
  say: (text: string) => void,
  tools?: Tools,
): 0 | 1 | 2 {
  try {
    const { file, options } = asked(args);
    const verdict = bisect(readFileSync(file, "utf8"), options, (line) => say(`… ${line}`), tools);
    const nothing = `Nothing is wrong: it ${options.slow ? "is not slower" : "gives what the reference gives"}.`;
    print(verdict?.text ?? nothing);
    return verdict !== null && verdict.blames.length > 0 ? 0 : 1;
  } catch (error) {
    say(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return 2;
  }
}
