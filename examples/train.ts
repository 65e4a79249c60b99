/**
 * Examples that train on real data.
 *   npm run train -- perceptron      one of them; without a name, all
 *   npm run train -- --quick         a few steps of each, to see that they run
 */
import { commandLine } from "../scripts/command-line.ts";
import { outFolder } from "./shared/train.ts";
import { examples } from "./training/examples.ts";

const { values, positionals } = commandLine(import.meta.url, {
  options: { quick: { type: "boolean", default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !examples.has(name));
if (unknown.length > 0) {
  console.error(
    `train: no example named ${unknown.join(", ")}; there are ${[...examples.keys()].join(", ")}`,
  );
  process.exit(2);
}
for (const name of positionals.length > 0 ? positionals : examples.keys()) {
  const { lines } = await examples.get(name)!(values.quick, outFolder);
  console.log(`\n${name}\n${lines.join("\n")}`);
}
