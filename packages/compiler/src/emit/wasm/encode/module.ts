/** Builds a module: one imported memory, imported functions, own functions, exports. */
import { ByteWriter } from "./bytes.ts";
import { FunctionBuilder, type FunctionType } from "./function.ts";
import { encodedIndex, encodeInstruction, type FunctionIndex, valueTypeCodes } from "./instruction.ts";
import type { ValueType } from "./operations.ts";

export interface ImportedMemory {
  readonly module: string;
  readonly name: string;
  readonly shared: boolean;
  /** In pages of 64 KiB. */
  readonly initial: number;
  /** In pages. Shared memory must have one. */
  readonly maximum?: number;
}

interface ImportedFunction {
  readonly module: string;
  readonly name: string;
  readonly type: FunctionType;
}

export class ModuleBuilder {
  readonly #memory: ImportedMemory | null;
  readonly #imports: ImportedFunction[] = [];
  readonly #functions: FunctionBuilder[] = [];
  readonly #exports = new Map<string, FunctionIndex>();
  readonly #named = new Map<string, FunctionIndex>();

  constructor(memory: ImportedMemory | null) {
    this.#memory = memory;
  }

  /** The functions of the module's own, in their order. */
  get functions(): readonly FunctionBuilder[] {
    return this.#functions;
  }

  /** A function that the host provides. */
  importFunction(module: string, name: string, type: FunctionType): FunctionIndex {
    return this.#imports.push({ module, name, type }) * -1;
  }

  /** What a function is called in a listing. */
  nameOf(index: FunctionIndex): string {
    return index < 0 ? this.#imports[-1 - index]!.name : this.#functions[index]!.name;
  }

  /** An empty function. It may be called before it has a body. */
  function(
    name: string,
    parameters: readonly ValueType[],
    results: readonly ValueType[] = [],
  ): FunctionBuilder {
    const builder = new FunctionBuilder(this, this.#functions.length, name, { parameters, results });
    this.#functions.push(builder);
    return builder;
  }

  /** The function under a name that is the module's only one; `add` makes it when it is asked for first. */
  once(name: string, add: () => FunctionIndex): FunctionIndex {
    const known = this.#named.get(name);
    if (known !== undefined) return known;
    const index = add();
    this.#named.set(name, index);
    return index;
  }

  exportFunction(name: string, index: FunctionIndex): void {
    this.#exports.set(name, index);
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    const types = new TypeSection();
    const imported = this.#imports.map(({ type }) => types.index(type));
    const own = this.#functions.map(({ type }) => types.index(type));
    const imports = this.#imports.length;

    const out = new ByteWriter();
    out.bytes([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);
    section(out, 1, types.entries, (entry, inner) => inner.bytes(entry));
    const importEntries: ((inner: ByteWriter) => void)[] = [];
    const memory = this.#memory;
    if (memory !== null) importEntries.push((inner) => encodeMemory(memory, inner));
    this.#imports.forEach(({ module, name }, i) => {
      importEntries.push((inner) => {
        inner.name(module);
        inner.name(name);
        inner.byte(0x00);
        inner.unsigned(imported[i]!);
      });
    });
    section(out, 2, importEntries, (write, inner) => write(inner));
    section(out, 3, own, (type, inner) => inner.unsigned(type));
    section(out, 7, [...this.#exports], ([name, index], inner) => {
      inner.name(name);
      inner.byte(0x00);
      inner.unsigned(encodedIndex(index, imports));
    });
    section(out, 10, this.#functions, (builder, inner) => {
      inner.sized((body) => encodeBody(builder, imports, body));
    });
    return out.toBytes();
  }
}

/** Function types, each once, in the order in which they are first asked for. */
class TypeSection {
  readonly entries: Uint8Array[] = [];
  readonly #indexes = new Map<string, number>();

  index({ parameters, results }: FunctionType): number {
    const key = `${parameters.join(" ")} -> ${results.join(" ")}`;
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const entry = new ByteWriter();
    entry.byte(0x60);
    for (const list of [parameters, results]) {
      entry.unsigned(list.length);
      for (const type of list) entry.byte(valueTypeCodes[type]);
    }
    this.#indexes.set(key, this.entries.length);
    return this.entries.push(entry.toBytes()) - 1;
  }
}

/** A section that is a vector of entries; without entries it is left out. */
function section<T>(
  out: ByteWriter,
  id: number,
  entries: readonly T[],
  encode: (entry: T, inner: ByteWriter) => void,
): void {
  if (entries.length === 0) return;
  out.byte(id);
  out.sized((inner) => {
    inner.unsigned(entries.length);
    for (const entry of entries) encode(entry, inner);
  });
}

function encodeMemory({ module, name, shared, initial, maximum }: ImportedMemory, out: ByteWriter): void {
  out.name(module);
  out.name(name);
  out.byte(0x02);
  out.byte((shared ? 2 : 0) + (maximum === undefined ? 0 : 1));
  out.unsigned(initial);
  if (maximum !== undefined) out.unsigned(maximum);
}

function encodeBody(builder: FunctionBuilder, importedFunctions: number, out: ByteWriter): void {
  const { type, locals, instructions } = builder;
  const numbers = groupByType(type.parameters.length, locals, out);
  for (const instruction of instructions) {
    const encoded =
      instruction.kind === "local" && instruction.index >= type.parameters.length
        ? { ...instruction, index: numbers[instruction.index - type.parameters.length]! }
        : instruction;
    encodeInstruction(encoded, importedFunctions, out);
  }
  encodeInstruction({ kind: "plain", op: "end" }, importedFunctions, out);
}

/** Declares the locals, one group for each type, and gives the number that each has then. */
function groupByType(parameters: number, locals: readonly ValueType[], out: ByteWriter): number[] {
  const groups = (Object.keys(valueTypeCodes) as ValueType[])
    .map((type) => ({ type, members: [...locals.keys()].filter((i) => locals[i] === type) }))
    .filter(({ members }) => members.length > 0);
  const numbers: number[] = [];
  let next = parameters;
  out.unsigned(groups.length);
  for (const { type, members } of groups) {
    out.unsigned(members.length);
    out.byte(valueTypeCodes[type]);
    for (const member of members) numbers[member] = next++;
  }
  return numbers;
}
