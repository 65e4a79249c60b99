/**
 * A script with options.
 *   --quick   less of it
 */
import { commandLine } from "../scripts/command-line.ts";

const { values } = commandLine(import.meta.url, { options: { quick: { type: "boolean", default: false } } });
console.log(`quick: ${values.quick}`);
