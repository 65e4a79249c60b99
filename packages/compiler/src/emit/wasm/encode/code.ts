/** Instructions as bytes, without the numbers of the functions that they call: those are known when the module is complete. */
import { ByteWriter } from "./bytes.ts";
import { type FunctionIndex, valueTypeCodes } from "./instruction.ts";
import type { ValueType } from "./operations.ts";

export class Code {
  /** Where instructions are appended; another one behind each call. */
  bytes: ByteWriter = new ByteWriter();
  /** What stands in front of them. */
  readonly calls: { readonly before: ByteWriter; readonly callee: FunctionIndex }[] = [];

  call(callee: FunctionIndex): void {
    this.calls.push({ before: this.bytes, callee });
    this.bytes = new ByteWriter();
  }
}

/** Appends how many locals there are of a type, again and again, in the order of their numbers. */
export function declareLocals(locals: readonly ValueType[], out: ByteWriter): void {
  const starts = [...locals.keys()].filter((i) => locals[i] !== locals[i - 1]);
  out.unsigned(starts.length);
  starts.forEach((start, k) => {
    out.unsigned((starts[k + 1] ?? locals.length) - start);
    out.byte(valueTypeCodes[locals[start]!]);
  });
}
