/** C as a contender: each measurement is a process of its own, which fills its arrays before the clock starts. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Contender, ContenderName } from "../wasm/contender.ts";
import type { Native } from "./compile.ts";

/** More than any result, as doubles. */
const MOST_BYTES = 2 ** 28;

export function nativeContender(
  name: ContenderName,
  native: Native,
  kernel: string,
  threads: number,
): Contender {
  const call = async (...args: string[]): Promise<Buffer> => {
    const options = { encoding: "buffer", maxBuffer: MOST_BYTES } as const;
    return (await promisify(execFile)(native.program, args, options)).stdout;
  };
  return {
    name,
    async result() {
      const bytes = await call("result", kernel, String(threads));
      return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    },
    async time(milliseconds) {
      const printed = String(await call("time", kernel, String(threads), String(milliseconds)));
      return (JSON.parse(printed) as { readonly milliseconds: number }).milliseconds;
    },
    dispose() {},
  };
}
