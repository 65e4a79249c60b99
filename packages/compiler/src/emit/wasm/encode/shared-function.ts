/**
 * Functions that are the same in every module: matrix products, sorts, lane functions for rare operands. Each is written once in
 * a process. Later modules copy its bytes, except for the numbers of the functions that it calls.
 */
import { InternalError } from "@fuseau/ir";
import { ByteWriter } from "./bytes.ts";
import type { FunctionBuilder, FunctionType } from "./function.ts";
import { callCode, type FunctionIndex } from "./instruction.ts";
import type { ModuleBuilder } from "./module.ts";
import type { ValueType } from "./operations.ts";

/** What a module knows of each of its functions. */
export interface ModuleFunction {
  readonly module: ModuleBuilder;
  readonly index: FunctionIndex;
  /** The name in a listing; it need not be unique. */
  readonly name: string;
  readonly type: FunctionType;
  /** The types of locals, without the parameters. */
  readonly locals: readonly ValueType[];
  /** The function's entry in the code section. */
  encode(): ByteWriter;
}

/** A shared function as it was first written. */
interface SharedFunction {
  readonly name: string;
  readonly type: FunctionType;
  readonly locals: readonly ValueType[];
  /** The function's entry, split at its calls: the bytes in front of each call and the callee's key; null behind the last call. */
  readonly pieces: readonly { readonly bytes: Uint8Array; readonly callee: string | null }[];
  /** Keys of the shared functions that it asked for, in order. Every module has them behind it in this order. */
  readonly asked: readonly string[];
}

const written = new Map<string, SharedFunction>();

export const sharedFunction = (key: string): SharedFunction | undefined => written.get(key);

/** Keeps a function that a module wrote. `indexes` are the numbers of that module's shared functions, by key. */
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

/** A shared function in a module that copies it. */
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

  encode(): ByteWriter {
    const out = new ByteWriter();
    for (const { bytes, callee } of this.#shared.pieces) {
      out.appendBytes(bytes);
      if (callee !== null) out.coded(callCode, this.module.indexOf(callee));
    }
    return out;
  }
}
