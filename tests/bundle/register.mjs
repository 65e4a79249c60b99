// In every process that runs tests, after tsx: the packages' modules come from what build.mjs made, where it has.
import { register } from "node:module";

const folder = process.env.FUSEAU_BUNDLE;
if (folder !== undefined) register("./hooks.mjs", import.meta.url, { data: folder });
