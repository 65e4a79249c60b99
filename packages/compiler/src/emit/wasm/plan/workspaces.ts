/** Memory that an emitted kernel wants beside the buffers of its loop IR. */
import { type DType, dtypes, type Integer, type LoopKernel } from "@fuseau/ir";
import { evaluateInteger } from "./evaluate.ts";

export interface Workspace {
  readonly dtype: DType;
  /** How many elements, given the kernel's sizes. */
  cells(sizes: readonly number[]): number;
}

/** Workspaces of a kernel, numbered behind its buffers, so that both are addressed alike. */
export class Workspaces {
  readonly #kernel: LoopKernel;
  readonly list: Workspace[] = [];

  constructor(kernel: LoopKernel) {
    this.#kernel = kernel;
  }

  add(dtype: DType, cells: Workspace["cells"]): number {
    this.list.push({ dtype, cells });
    return this.#kernel.buffers.length + this.list.length - 1;
  }

  /** `lanes` rows of so many cells. */
  addRows(dtype: DType, cells: Integer, lanes: number): number {
    return this.add(dtype, (sizes) => lanes * evaluateInteger(cells, sizes));
  }

  dtypeOf(slot: number): DType {
    const { buffers } = this.#kernel;
    return (buffers[slot] ?? this.list[slot - buffers.length]!).dtype;
  }
}

export const bytesOf = ({ dtype, cells }: Workspace, sizes: readonly number[]): number =>
  dtypes[dtype].bytes * cells(sizes);
