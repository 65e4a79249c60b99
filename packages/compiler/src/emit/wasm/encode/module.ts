/** Builds a module: one imported memory, functions, exports. */
import { ByteWriter } from "./bytes.ts";
import type { Variable, Words } from "./expression.ts";
import { FunctionBuilder, type FunctionType } from "./function.ts";
import { type FunctionIndex, valueTypeCodes } from "./instruction.ts";
import type { ValueType } from "./operations.ts";
import { CopiedFunction, keepShared, type ModuleFunction, sharedFunction } from "./shared-function.ts";

interface ImportedMemory {
  readonly module: string;
  readonly name: string;
  readonly shared: boolean;
  /** In pages of 64 KiB. */
  readonly initial: number;
  /** In pages. Shared memory must have a maximum. */
  readonly maximum?: number;
}

export class ModuleBuilder {
  readonly #memory: ImportedMemory | null;
  readonly #functions: ModuleFunction[] = [];
  readonly #exports = new Map<string, FunctionIndex>();
  readonly #shared = new Map<string, FunctionIndex>();
  /** Keys of the shared functions that the current shared function has asked for. */
  #asked = new Set<string>();

  constructor(memory: ImportedMemory | null) {
    this.#memory = memory;
  }

  /** The module's own functions, in order. */
  get functions(): readonly ModuleFunction[] {
    return this.#functions;
  }

  /** The function's name in a listing. */
  nameOf(index: FunctionIndex): string {
    return this.#functions[index]!.name;
  }

  /** Adds a function. It may be called before its body is written. */
  function(
    name: string,
    parameters: readonly ValueType[],
    results: readonly ValueType[] = [],
  ): FunctionBuilder {
    const builder = new FunctionBuilder(this, this.#functions.length, name, { parameters, results });
    this.#functions.push(builder);
    return builder;
  }

  /**
   * A function that is the same in every module, identified by a key. `write` writes its body, unless an earlier module had it.
   * It may call only shared functions.
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
   * A shared function with i32 parameters, whose names are listed in a string. Its name is its key. `body` leaves the `results`
   * on the stack.
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

  /** The number of a shared function of this module. */
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
    const functions = this.#functions;
    const types = new TypeSection();
    const own = functions.map(({ type }) => types.index(type));
    const memory = this.#memory;

    const out = new ByteWriter();
    out.bytes([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);
    section(out, 1, types.count, (inner) => inner.append(types.entries));
    section(out, 2, memory === null ? 0 : 1, (inner) => {
      if (memory !== null) encodeMemory(memory, inner);
    });
    section(out, 3, functions.length, (inner) => {
      for (const type of own) inner.unsigned(type);
    });
    section(out, 7, this.#exports.size, (inner) => {
      for (const [name, index] of this.#exports) {
        inner.name(name);
        inner.coded(0x00, index);
      }
    });
    section(out, 10, functions.length, (inner) => {
      for (const builder of functions) inner.sized(builder.encode());
    });
    return out.toBytes();
  }
}

/** Function types, each once, in the order in which they are first used. */
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

/** Appends a section that is a vector of `count` entries; without entries it is omitted. */
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
