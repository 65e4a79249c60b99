/** Memory that an emitted kernel needs beside the buffers of its loop IR. */
import {
  type BufferParameter,
  type DType,
  type Integer,
  integerOfSizes,
  type LoopKernel,
  type OfSizes,
} from "@fuseau/ir";
import { scaled } from "../../../tactics/of-sizes.ts";

interface Workspace {
  readonly dtype: DType;
  /** The number of elements, given the kernel's sizes. */
  readonly cells: OfSizes;
}

/**
 * The workspaces of a kernel; its private buffers are the first. They are numbered behind the buffers that the caller binds, so
 * that both are addressed alike.
 */
export class Workspaces {
  readonly #bound: readonly BufferParameter[];
  readonly list: Workspace[];

  constructor({ buffers }: LoopKernel) {
    this.#bound = buffers.filter(({ access }) => access !== "private");
    this.list = buffers.flatMap((buffer) =>
      buffer.access === "private" ? [{ dtype: buffer.dtype, cells: integerOfSizes(buffer.cells) }] : [],
    );
  }

  /** The number of buffers that the caller binds, which is the number of the first workspace. */
  get bound(): number {
    return this.#bound.length;
  }

  add(dtype: DType, cells: Workspace["cells"]): number {
    this.list.push({ dtype, cells });
    return this.bound + this.list.length - 1;
  }

  /** Adds a workspace of `lanes` rows of `cells`. */
  addRows(dtype: DType, cells: Integer, lanes: number): number {
    return this.add(dtype, scaled(integerOfSizes(cells), lanes));
  }

  dtypeOf(slot: number): DType {
    return (this.#bound[slot] ?? this.list[slot - this.bound]!).dtype;
  }
}
