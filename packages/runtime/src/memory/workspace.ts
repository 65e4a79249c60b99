/** The linear memory of one run: what it reads, what it computes in, and what it leaves. */
import type { DType } from "@fuseau/ir";
import type { Storage } from "../storage.ts";
import { assign, type Block, giveBlock, takeBlock } from "./blocks.ts";
import { settleResult } from "./results.ts";

/**
 * Until it is closed, nothing that the run uses moves or is used again, whatever is disposed of meanwhile. Closed by
 * `using`, or once no thread can write any more.
 */
export class Workspace {
  readonly #taken: Block[] = [];
  readonly #operands: Storage[] = [];
  readonly #held: Block[] = [];

  /** The address of an operand's elements, which are copied into linear memory first if need be. @throws RangeError */
  operand(storage: Storage): number {
    const block = storage.hold();
    this.#operands.push(storage);
    this.#held.push(block);
    return block.pointer;
  }

  /** A block with undefined contents, given back when the run ends unless it is settled. @throws RangeError */
  take(bytes: number): Block {
    const block = takeBlock(bytes);
    this.#taken.push(block);
    return block;
  }

  /** The storage of a result that was computed in a block taken here. @throws RangeError */
  settle(block: Block, dtype: DType, cells: number): Storage {
    return settleResult(block, dtype, cells);
  }

  /**
   * The storage of a result that was written over the k-th operand, which is gone: nobody else has it. @throws RangeError
   */
  settleOver(k: number, dtype: DType, cells: number): Storage {
    const block = this.#held[k] as Block;
    (this.#operands[k] as Storage).surrender(block);
    this.#operands.splice(k, 1);
    this.#held.splice(k, 1);
    assign(block, "run");
    this.#taken.push(block);
    return settleResult(block, dtype, cells);
  }

  close(): void {
    for (const block of this.#taken) if (block.use === "run") giveBlock(block);
    for (let k = 0; k < this.#held.length; k++) this.#operands[k]!.letGo(this.#held[k]!);
    this.#taken.length = this.#operands.length = this.#held.length = 0;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
