/** The linear memory of one run. */
import { type DType, dtypes } from "@fuseau/ir";
import { type LinearBlock, linearBlocks } from "../memory/blocks.ts";
import { settleResult } from "../memory/results.ts";
import type { Storage } from "../storage.ts";
import type { ThreadError } from "../threads/thread-error.ts";
import type { Workspace } from "./backend.ts";

/** Closed by `using`, or once no thread can write any more. */
export class LinearWorkspace implements Workspace<LinearBlock> {
  readonly #taken: LinearBlock[] = [];
  /** Null once a result has its memory. */
  readonly #operands: (Storage | null)[] = [];
  readonly #held: LinearBlock[] = [];

  operand(storage: Storage): LinearBlock {
    const block = storage.hold(linearBlocks);
    this.#operands.push(storage);
    this.#held.push(block);
    return block;
  }

  take(dtype: DType, cells: number): LinearBlock {
    const block = linearBlocks.take(cells * dtypes[dtype].bytes);
    this.#taken.push(block);
    return block;
  }

  settle(block: LinearBlock, dtype: DType, cells: number): Storage {
    return settleResult(block, dtype, cells);
  }

  settleOver(k: number, block: LinearBlock, dtype: DType, cells: number): Storage {
    this.#operands[k]?.surrender(block);
    this.#operands[k] = null;
    block.assign("run");
    this.#taken.push(block);
    return settleResult(block, dtype, cells);
  }

  lose(k: number, loss: ThreadError): void {
    this.#operands[k]?.lose(this.#held[k] as LinearBlock, loss);
  }

  close(): void {
    for (const block of this.#taken) if (block.use === "run") block.give();
    for (let k = 0; k < this.#held.length; k++) this.#operands[k]?.endHold(this.#held[k] as LinearBlock);
    this.#taken.length = this.#operands.length = this.#held.length = 0;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
