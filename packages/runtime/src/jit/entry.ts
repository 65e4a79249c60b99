/** What is kept of a recorded call: plain data by which a later call of the same signature runs without being recorded. */
import type { Node, Shape, StridedView } from "@fuseau/ir";
import type { Executable } from "../execute/programs/executable.ts";
import type { Options } from "../options.ts";
import type { Storage } from "../storage.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Direct } from "./direct.ts";
import type { Kind, Place } from "./signature.ts";
import type { Guard, Slot, Source, Thunk, Where } from "./trace.ts";

/** A tensor that the program reads or writes. */
export interface Known {
  readonly where: Where;
  /** The tensor itself, if it was captured. */
  readonly tensor: AnyTensor | null;
  /** The input whose gradient it is, if it is one. */
  readonly of: number;
  readonly shape: Shape;
  readonly dtype: Node["dtype"];
  readonly kind: Kind;
  readonly window: StridedView | null;
  /** True for a view that stands for any view with such elements: they are copied before the program runs. */
  readonly isCopied: boolean;
  readonly leader: number;
}

/** Where the elements of a value come from. */
export type From =
  | { readonly is: "output"; readonly index: number; readonly node: Node; readonly isFreed: boolean }
  | ({ readonly is: "input"; readonly node: Node } & Source)
  | { readonly is: "constant"; readonly node: Node; readonly storage: Storage };

/** A view of a cell. If the window is null, it is the whole. No derivative flows through a detached one. */
export interface Part {
  readonly window: StridedView | null;
  readonly isDetached: boolean;
}

/** A tensor that the call returns, or leaves as a gradient. */
export type Made =
  | { readonly is: "input"; readonly input: number }
  /** A view of an input. */
  | ({ readonly is: "view"; readonly input: number } & Part)
  | { readonly is: "fresh"; readonly from: From }
  /** One of several results that share elements, or a view of something that is not returned. */
  | ({ readonly is: "part"; readonly cell: number } & Part);

export type Tree =
  | { readonly is: "nothing"; readonly value: null | undefined }
  | { readonly is: "tensor"; readonly index: number }
  | { readonly is: "list"; readonly items: readonly Tree[] }
  | { readonly is: "object"; readonly names: readonly string[]; readonly items: readonly Tree[] };

export interface Gradient {
  readonly input: number;
  /** The index in `made`; null if there is no gradient afterwards. */
  readonly made: number | null;
  readonly isShown: boolean;
}

export interface Entry {
  readonly places: readonly Place[];
  readonly isGradOn: boolean;
  readonly options: Options;
  /** Why each call is recorded. Then everything below is empty. */
  readonly refusal: string | null;
  /** By tensor among the arguments: which input it is. */
  readonly order: readonly number[];
  readonly inputs: readonly Known[];
  /** Inputs that have no gradient when the call begins. */
  readonly withoutGradient: readonly number[];
  readonly guards: readonly Guard[];
  readonly thunks: readonly Thunk[];
  /** True if it matters which inputs share elements. */
  readonly isAliasing: boolean;
  /** Null if nothing is computed. */
  readonly executable: Executable | null;
  readonly given: readonly (Source | Storage)[];
  /** All sources that must be stored before it runs. */
  readonly needed: readonly Source[];
  /** Sources that are donated. */
  readonly donors: readonly Source[];
  readonly scalars: readonly (number | bigint | Slot)[];
  readonly numbers: readonly number[];
  readonly writes: readonly { readonly input: number; readonly from: From }[];
  readonly cells: readonly From[];
  readonly made: readonly Made[];
  readonly results: Tree;
  readonly gradients: readonly Gradient[];
  /** True if one tensor is computed and returned, and nothing else is done. */
  readonly isPlain: boolean;
  /** The direct path for such a call; null if it needs more. */
  readonly direct: Direct | null;
  /** Outputs that nobody gets. */
  readonly unused: readonly number[];
}

/** An entry that only says that calls are recorded. */
export const refused = (
  places: readonly Place[],
  isGradOn: boolean,
  options: Options,
  refusal: string,
): Entry => ({
  places,
  isGradOn,
  options,
  refusal,
  order: [],
  inputs: [],
  withoutGradient: [],
  guards: [],
  thunks: [],
  isAliasing: false,
  executable: null,
  given: [],
  needed: [],
  donors: [],
  scalars: [],
  numbers: [],
  writes: [],
  cells: [],
  made: [],
  results: { is: "nothing", value: undefined },
  gradients: [],
  isPlain: false,
  direct: null,
  unused: [],
});
