/** Before every file: faults of the compiler's throw. Files of one worker share the package, so what one has set is set back. */
import { backcompat, getOptions, setOptions } from "fuseau";

const defaults = Object.fromEntries(Object.keys(getOptions()).map((name) => [name, undefined]));
setOptions({ ...defaults, onFault: "throw" });
backcompat.broadcastWarning.enabled = false;
