/** Before every file: faults of the compiler's throw. Files of one worker share the package, so what one has set is set back. */
import { backcompat, getOptions, type Options, setOptions } from "fuseau";

const worker = globalThis as { fuseauOptions?: Options };
worker.fuseauOptions ??= getOptions();
setOptions({ ...worker.fuseauOptions, onFault: "throw" });
backcompat.broadcastWarning.enabled = false;
