// In every process that runs tests, after tsx: the packages' modules come from what build.mjs made, where it has.
import * as module from "node:module";
import { initialize, load, resolve } from "./hooks.mjs";

const folder = process.env.FUSEAU_BUNDLE;
if (folder !== undefined && module.registerHooks !== undefined) {
  initialize(folder);
  module.registerHooks({ resolve, load });
} else if (folder !== undefined) {
  module.register("./hooks.mjs", import.meta.url, { data: folder });
}
