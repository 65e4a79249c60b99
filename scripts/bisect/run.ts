/** `npm run bisect -- FILE`. */
import { main } from "./main.ts";

process.exitCode = main(process.argv.slice(2), console.log, console.error);
