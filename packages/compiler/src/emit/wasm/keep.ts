/** A compiled kernel as plain data, so that a later process need not emit it again. */
import { type DType, type LoopKernel, sameNumbers } from "@fuseau/ir";
import { compileWasm, type WasmOptions } from "./compile.ts";
import type { Frame } from "./plan/frame.ts";
import type { WasmKernel } from "./plan/kernel.ts";

/** Numbers that depend on sizes are kept for the sizes of one call. */
export interface KeptWasm extends WasmOptions {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly frame: Frame;
  readonly frameBytes: number;
  readonly perThread: readonly boolean[];
  readonly sizes: readonly number[];
  readonly workspaces: readonly {
    readonly dtype: DType;
    readonly perThread: boolean;
    readonly cells: number;
  }[];
  readonly phases: readonly {
    readonly sequential: boolean;
    readonly workItems: number;
    readonly work: number;
  }[];
}

export function keepWasm(
  { bytes, frame, frameBytes, perThread, workspaces, phases }: WasmKernel,
  sizes: readonly number[],
  { shared, relaxed }: WasmOptions,
): KeptWasm {
  return {
    shared,
    relaxed,
    bytes,
    frame,
    frameBytes,
    perThread,
    sizes,
    workspaces: workspaces.map(({ cells, ...workspace }) => ({ ...workspace, cells: cells(sizes) })),
    phases: phases.map(({ sequential, workItems, work }) => ({
      sequential,
      workItems: workItems(sizes),
      work: work(sizes),
    })),
  };
}

/** The kernel that `loop` was compiled to. For sizes other than those kept, it compiles `loop` again to get the numbers. */
export function reviveWasm(kept: KeptWasm, loop: LoopKernel, name: string): WasmKernel {
  const { bytes, frame, frameBytes, perThread, sizes: known } = kept;
  let made: WasmKernel | undefined;
  const compiled = (): WasmKernel => {
    made ??= compileWasm(loop, name, kept);
    return made;
  };
  const at =
    (value: number, other: (kernel: WasmKernel) => (sizes: readonly number[]) => number) =>
    (sizes: readonly number[]): number =>
      sameNumbers(sizes, known) ? value : other(compiled())(sizes);
  return {
    name,
    bytes,
    source: () => compiled().source(),
    frame,
    frameBytes,
    perThread,
    workspaces: kept.workspaces.map(({ cells, ...workspace }, k) => ({
      ...workspace,
      cells: at(cells, ({ workspaces }) => (workspaces[k] as WasmKernel["workspaces"][number]).cells),
    })),
    phases: kept.phases.map(({ sequential, workItems, work }, k) => ({
      sequential,
      workItems: at(workItems, ({ phases }) => (phases[k] as WasmKernel["phases"][number]).workItems),
      work: at(work, ({ phases }) => (phases[k] as WasmKernel["phases"][number]).work),
    })),
  };
}
