/**
 * Functions that are the same in every module, by their names: matrix products, sorts, lane functions for rare operands. They are
 * written once for all modules. From then on their bytes are copied, and only the numbers of what they call are a module's own.
 */
import { InternalError } from "@fuseau/ir";
import { ByteWriter } from "./bytes.ts";
import type { FunctionBuilder, FunctionType } from "./function.ts";
import { callCode, encodedIndex, type FunctionIndex } from "./instruction.ts";
import type { ModuleBuilder } from "./module.ts";
import type { ValueType } from "./operations.ts";

/** What a module has of each of its functions. */
export interface ModuleFunction {
  readonly module: ModuleBuilder;
  readonly index: FunctionIndex;
  /** What others may call it in a listing. */
  readonly name: string;
  readonly type: FunctionType;
  /** The types of locals, without the parameters. */
  readonly locals: readonly ValueType[];
  /** The function's entry in a module that imports so many functions. */
  encode(importedFunctions: number): ByteWriter;
}

/** A function as it was written first. */
export interface SharedFunction {
  readonly name: string;
  readonly type: FunctionType;
  readonly locals: readonly ValueType[];
  /** Its entry, cut at its calls: the bytes in front of one, and the key of what is called; of the last piece null. */
  readonly pieces: readonly { readonly bytes: Uint8Array; readonly callee: string | null }[];
  /** Keys of the shared functions that it asked for, in their order: so they stand behind it in every module. */
  readonly asked: readonly string[];
}

const written = new Map<string, SharedFunction>();

export const sharedFunction = (key: string): SharedFunction | undefined => written.get(key);

/** Keeps what a module wrote. `indexes` are those of its shared functions, by key. */
export function keepShared(
  key: string,
  builder: FunctionBuilder,
  asked: ReadonlySet<string>,
  indexes: ReadonlyMap<string, FunctionIndex>,
): void {
  const { name, type, locals } = builder;
  const pieces = builder.pieces().map(({ bytes, callee }) => {
    if (callee === null) return { bytes: bytes.toBytes(), callee };
    const called = [...asked].find((each) => indexes.get(each) === callee);
    if (called === undefined) throw new InternalError(`${name} calls what not every module has`);
    return { bytes: bytes.toBytes(), callee: called };
  });
  written.set(key, { name, type, locals, pieces, asked: [...asked] });
}

/** A shared function in a module that did not write it. */
export class CopiedFunction implements ModuleFunction {
  readonly module: ModuleBuilder;
  readonly index: FunctionIndex;
  readonly #shared: SharedFunction;

  constructor(module: ModuleBuilder, index: FunctionIndex, shared: SharedFunction) {
    this.module = module;
    this.index = index;
    this.#shared = shared;
  }

  get name(): string {
    return this.#shared.name;
  }

  get type(): FunctionType {
    return this.#shared.type;
  }

  get locals(): readonly ValueType[] {
    return this.#shared.locals;
  }

  encode(importedFunctions: number): ByteWriter {
    const out = new ByteWriter();
    for (const { bytes, callee } of this.#shared.pieces) {
      out.appendBytes(bytes);
      if (callee !== null) out.coded(callCode, encodedIndex(this.module.indexOf(callee), importedFunctions));
    }
    return out;
  }
}
