/**
 * Before every file: faults of the compiler's throw. Files of one worker share the package, in an order that depends on the clock: so what
 * one has set is set back, and what it has compiled and learned is forgotten.
 */
import fc from "fast-check";
import { backcompat, clearCaches, getOptions, setOptions } from "fuseau";
// Once for each worker, since Node loads it once.
import "./equality.ts";

// What is done while the host is idle depends on the clock.
const defaults = Object.fromEntries(Object.keys(getOptions()).map((name) => [name, undefined]));
setOptions({ ...defaults, warm: false, onFault: "throw" });
backcompat.broadcastWarning.enabled = false;
clearCaches();
// What is tried at random is the same in each run: FUSEAU_SEED=2 tries something else.
fc.configureGlobal({ seed: Number(process.env.FUSEAU_SEED ?? 1) });
