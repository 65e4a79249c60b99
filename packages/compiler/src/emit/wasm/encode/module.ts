/** Builds a module: one imported memory, imported functions, own functions, exports. */
import { ByteWriter } from "./bytes.ts";
import type { Variable, Words } from "./expression.ts";
import { FunctionBuilder, type FunctionType } from "./function.ts";
import { encodedIndex, type FunctionIndex, valueTypeCodes } from "./instruction.ts";
import type { ValueType } from "./operations.ts";
import { CopiedFunction, keepShared, type ModuleFunction, sharedFunction } from "./shared-function.ts";

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
  readonly #functions: ModuleFunction[] = [];
  readonly #exports = new Map<string, FunctionIndex>();
  readonly #named = new Map<string, FunctionIndex>();
  readonly #shared = new Map<string, FunctionIndex>();
  /** What the shared function that is being written has asked for. */
  #asked = new Set<string>();

  constructor(memory: ImportedMemory | null) {
    this.#memory = memory;
  }

  /** The functions of the module's own, in their order. */
  get functions(): readonly ModuleFunction[] {
    return this.#functions;
  }

  /** The functions that the host provides, in their order. */
  get imports(): readonly ImportedFunction[] {
    return this.#imports;
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

  /**
   * A function that is the same in every module that has it, by its key: `write` fills it where no module had it before. It may call
   * only such functions.
   */
  shared(
    key: string,
    name: string,
    type: FunctionType,
    write: (target: FunctionBuilder) => void,
  ): FunctionIndex {
    this.#asked.add(key);
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const { parameters, results } = type;
    if (sharedFunction(key) !== undefined) return this.#copy(key);
    const outer = this.#asked;
    this.#asked = new Set();
    const target = this.function(name, parameters, results);
    this.#shared.set(key, target.index);
    write(target);
    keepShared(key, target, this.#asked, this.#shared);
    this.#asked = outer;
    return target.index;
  }

  /**
   * Such a function of i32 parameters, which a text names, by its name: with what `body` leaves on the stack as `results`.
   */
  procedure<Names extends string>(
    name: string,
    parameters: Names,
    body: (target: FunctionBuilder, variables: Readonly<Record<Words<Names>, Variable>>) => void,
    results: readonly ValueType[] = [],
  ): FunctionIndex {
    const names = parameters.split(" ") as Words<Names>[];
    const type = { parameters: names.map(() => "i32" as const), results };
    return this.shared(name, name, type, (target) => {
      const variables = names.map((parameter, local): [Words<Names>, Variable] => [parameter, { local }]);
      body(target, Object.fromEntries(variables) as Record<Words<Names>, Variable>);
    });
  }

  /** The number of a shared function that is here. */
  indexOf(key: string): FunctionIndex {
    return this.#shared.get(key)!;
  }

  #copy(key: string): FunctionIndex {
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const shared = sharedFunction(key)!;
    const copy = new CopiedFunction(this, this.#functions.length, shared);
    this.#functions.push(copy);
    this.#shared.set(key, copy.index);
    for (const callee of shared.asked) this.#copy(callee);
    return copy.index;
  }

  exportFunction(name: string, index: FunctionIndex): void {
    this.#exports.set(name, index);
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    const imports = this.#imports;
    const functions = this.#functions;
    const types = new TypeSection();
    const imported = imports.map(({ type }) => types.index(type));
    const own = functions.map(({ type }) => types.index(type));
    const memory = this.#memory;

    const out = new ByteWriter();
    out.bytes([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);
    section(out, 1, types.count, (inner) => inner.append(types.entries));
    section(out, 2, imports.length + (memory === null ? 0 : 1), (inner) => {
      if (memory !== null) encodeMemory(memory, inner);
      imports.forEach(({ module, name }, i) => {
        inner.name(module);
        inner.name(name);
        inner.coded(0x00, imported[i]!);
      });
    });
    section(out, 3, functions.length, (inner) => {
      for (const type of own) inner.unsigned(type);
    });
    section(out, 7, this.#exports.size, (inner) => {
      for (const [name, index] of this.#exports) {
        inner.name(name);
        inner.coded(0x00, encodedIndex(index, imports.length));
      }
    });
    section(out, 10, functions.length, (inner) => {
      for (const builder of functions) inner.sized(builder.encode(imports.length));
    });
    return out.toBytes();
  }
}

/** Function types, each once, in the order in which they are first asked for. */
class TypeSection {
  readonly entries: ByteWriter = new ByteWriter();
  readonly #indexes = new Map<string, number>();

  get count(): number {
    return this.#indexes.size;
  }

  index({ parameters, results }: FunctionType): number {
    const key = `${parameters.join(" ")} -> ${results.join(" ")}`;
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    this.entries.byte(0x60);
    for (const list of [parameters, results]) {
      this.entries.unsigned(list.length);
      for (const type of list) this.entries.byte(valueTypeCodes[type]);
    }
    const index = this.#indexes.size;
    this.#indexes.set(key, index);
    return index;
  }
}

/** A section that is a vector of so many entries; without entries it is left out. */
function section(out: ByteWriter, id: number, count: number, encode: (inner: ByteWriter) => void): void {
  if (count === 0) return;
  const inner = new ByteWriter();
  inner.unsigned(count);
  encode(inner);
  out.byte(id);
  out.sized(inner);
}

function encodeMemory({ module, name, shared, initial, maximum }: ImportedMemory, out: ByteWriter): void {
  out.name(module);
  out.name(name);
  out.byte(0x02);
  out.byte((shared ? 2 : 0) + (maximum === undefined ? 0 : 1));
  out.unsigned(initial);
  if (maximum !== undefined) out.unsigned(maximum);
}
