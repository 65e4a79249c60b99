/**
 * The main job: how far apart the airports of the United States are.
 *   npm start              as text
 *   npm start -- --json    as JSON
 */
import { commandLine } from "../scripts/command-line.ts";
import { describe } from "./airports/describe.ts";
import { loadAirports } from "./airports/load.ts";
import { study } from "./airports/study.ts";

const { values } = commandLine(import.meta.url, { options: { json: { type: "boolean", default: false } } });
const result = study(loadAirports(), (text) => console.error(`… ${text}`));
console.log(values.json ? JSON.stringify(result, null, 2) : `\n${describe(result)}`);
