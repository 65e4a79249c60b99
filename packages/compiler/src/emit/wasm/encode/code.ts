/** Instructions as bytes, without the numbers of the functions that they call: those are known when the module is complete. */
import { ByteWriter } from "./bytes.ts";
import { callCode, encodedIndex, type FunctionIndex, valueTypeCodes } from "./instruction.ts";
import type { ValueType } from "./operations.ts";

export class Code {
  readonly bytes: ByteWriter = new ByteWriter();
  /** Where the number of a callee is missing. */
  readonly #calls: { readonly at: number; readonly callee: FunctionIndex }[] = [];

  call(callee: FunctionIndex): void {
    this.bytes.byte(callCode);
    this.#calls.push({ at: this.bytes.length, callee });
  }

  /** Appends all of it, for a module that imports so many functions. */
  appendTo(out: ByteWriter, importedFunctions: number): void {
    let written = 0;
    for (const { at, callee } of this.#calls) {
      out.append(this.bytes, written, at);
      out.unsigned(encodedIndex(callee, importedFunctions));
      written = at;
    }
    out.append(this.bytes, written);
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
