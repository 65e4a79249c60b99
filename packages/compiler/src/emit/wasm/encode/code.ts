/** Encoded instructions. The numbers of called functions are left out, since they are known only when the module is complete. */
import { ByteWriter } from "./bytes.ts";
import { type FunctionIndex, valueTypeCodes } from "./instruction.ts";
import type { ValueType } from "./operations.ts";

export class Code {
  /** Where instructions are appended; a new writer follows each call. */
  bytes: ByteWriter = new ByteWriter();
  /** The calls, and the bytes in front of each. */
  readonly calls: { readonly before: ByteWriter; readonly callee: FunctionIndex }[] = [];

  call(callee: FunctionIndex): void {
    this.calls.push({ before: this.bytes, callee });
    this.bytes = new ByteWriter();
  }
}

/** Appends the declaration of locals: for each run of equal types, its length and the type. */
export function declareLocals(locals: readonly ValueType[], out: ByteWriter): void {
  const starts = [...locals.keys()].filter((i) => locals[i] !== locals[i - 1]);
  out.unsigned(starts.length);
  starts.forEach((start, k) => {
    out.unsigned((starts[k + 1] ?? locals.length) - start);
    out.byte(valueTypeCodes[locals[start]!]);
  });
}
