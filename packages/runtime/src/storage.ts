/** Where elements live: one typed array on the JavaScript heap. Linear memory for Wasm will be a second kind. */
import type { DType, TypedArray } from "@fuseau/ir";
import { giveArray } from "./pool.ts";

export class Storage {
  readonly dtype: DType;
  /** Lent by the user (`fromTypedArray`): never written, never handed to the pool. */
  readonly borrowed: boolean;
  #array: TypedArray | null;
  /** How many values these are the elements of. */
  #owners = 1;

  /** Without an array: memory that was given back. */
  constructor(dtype: DType, array: TypedArray | null, borrowed: boolean) {
    this.dtype = dtype;
    this.#array = array;
    this.borrowed = borrowed;
  }

  /** @throws Error after the last owner has let go. */
  get array(): TypedArray {
    if (this.#array === null)
      throw new Error("compute: the tensor's memory was given back by dispose(); it cannot be read again");
    return this.#array;
  }

  /** One more value has these elements. */
  share(): this {
    this.#owners++;
    return this;
  }

  /** The last value to let go gives the array to the pool. */
  release(): void {
    if (--this.#owners > 0 || this.#array === null) return;
    if (!this.borrowed) giveArray(this.dtype, this.#array);
    this.#array = null;
  }
}
