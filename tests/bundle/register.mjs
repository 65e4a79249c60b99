// In every process that runs tests, after tsx: the packages' modules come from what build.mjs made, where it has.
import * as module from "node:module";
import { initialize, load, resolve } from "./hooks.mjs";

const folder = process.env.FUSEAU_BUNDLE;
// Node 20 has none, nor have its types.
const { registerHooks } = /** @type {{ registerHooks?: (hooks: object) => void }} */ (module);
if (folder !== undefined && registerHooks !== undefined) {
  initialize(folder);
  registerHooks({ resolve, load });
} else if (folder !== undefined) {
  module.register("./hooks.mjs", import.meta.url, { data: folder });
}
