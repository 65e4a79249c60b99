/** The linear memory of one run. */
import type { DType } from "@fuseau/ir";
import { assign, type Block, giveBlock, takeBlock } from "../memory/blocks.ts";
import { bytesOf } from "../memory/copy.ts";
import { settleResult } from "../memory/results.ts";
import type { Storage } from "../storage.ts";
import type { Workspace } from "./backend.ts";

/** Closed by `using`, or once no thread can write any more. */
export class LinearWorkspace implements Workspace<Block> {
  readonly #taken: Block[] = [];
  /** Null where a result has its memory. */
  readonly #operands: (Storage | null)[] = [];
  readonly #held: Block[] = [];

  operand(storage: Storage): Block {
    const block = storage.hold();
    this.#operands.push(storage);
    this.#held.push(block);
    return block;
  }

  take(dtype: DType, cells: number): Block {
    const block = takeBlock(bytesOf(dtype, cells));
    this.#taken.push(block);
    return block;
  }

  settle(block: Block, dtype: DType, cells: number): Storage {
    return settleResult(block, dtype, cells);
  }

  settleOver(k: number, dtype: DType, cells: number): Storage {
    const block = this.#held[k] as Block;
    this.#operands[k]?.surrender(block);
    this.#operands[k] = null;
    assign(block, "run");
    this.#taken.push(block);
    return settleResult(block, dtype, cells);
  }

  close(): void {
    for (const block of this.#taken) if (block.use === "run") giveBlock(block);
    for (let k = 0; k < this.#held.length; k++) this.#operands[k]?.letGo(this.#held[k] as Block);
    this.#taken.length = this.#operands.length = this.#held.length = 0;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
