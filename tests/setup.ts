/** For every test: faults of the compiler's throw. */
import { setOptions } from "fuseau";

setOptions({ onFault: "throw" });
