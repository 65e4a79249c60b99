/** What is kept of a call that was recorded: data, by which a later call of the same signature runs without being recorded. */
import type { Node, Shape, StridedView } from "@fuseau/ir";
import type { Executable } from "../execute/programs.ts";
import type { Options } from "../options.ts";
import type { Storage } from "../storage.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Direct } from "./direct.ts";
import type { Kind, Place } from "./signature.ts";
import type { Guard, Slot, Source, Thunk, Where } from "./trace.ts";

/** A tensor that the program reads or writes. */
export interface Known {
  readonly where: Where;
  /** Of a captured tensor itself. */
  readonly tensor: AnyTensor | null;
  /** Of the gradient of another: which one. */
  readonly of: number;
  readonly shape: Shape;
  readonly dtype: Node["dtype"];
  readonly kind: Kind;
  readonly window: StridedView | null;
  /** A view of anything that gives such elements: they are copied out before the program runs. */
  readonly isCopied: boolean;
  readonly leader: number;
}

/** Where the elements of a value come from. */
export type From =
  | { readonly is: "output"; readonly index: number; readonly node: Node; readonly isFreed: boolean }
  | ({ readonly is: "input"; readonly node: Node } & Source)
  | { readonly is: "constant"; readonly node: Node; readonly storage: Storage };

/** A tensor that the call gives, or leaves as a gradient. */
export type Made =
  | { readonly is: "input"; readonly input: number }
  /** A view of an input. */
  | { readonly is: "view"; readonly input: number; readonly window: StridedView }
  | { readonly is: "fresh"; readonly from: From }
  /** One of several that share elements, or a view of what is not given itself; a null window is that itself. */
  | { readonly is: "part"; readonly cell: number; readonly window: StridedView | null };

export type Tree =
  | { readonly is: "nothing"; readonly value: null | undefined }
  | { readonly is: "tensor"; readonly index: number }
  | { readonly is: "list"; readonly items: readonly Tree[] }
  | { readonly is: "object"; readonly names: readonly string[]; readonly items: readonly Tree[] };

export interface Gradient {
  readonly input: number;
  /** Among what is made; null where there is none afterwards. */
  readonly made: number | null;
  readonly isShown: boolean;
}

export interface Entry {
  readonly places: readonly Place[];
  readonly isGradOn: boolean;
  readonly options: Options;
  /** Why each call is recorded; all that follows is empty then. */
  readonly refusal: string | null;
  /** By tensor of the arguments, which input it is. */
  readonly order: readonly number[];
  readonly inputs: readonly Known[];
  /** Inputs that have a gradient, or have none, when the call begins. */
  readonly withoutGradient: readonly number[];
  readonly guards: readonly Guard[];
  readonly thunks: readonly Thunk[];
  /** Which inputs share elements is part of what was recorded. */
  readonly isAliasing: boolean;
  /** Null where nothing is computed. */
  readonly executable: Executable | null;
  readonly given: readonly (Source | Storage)[];
  /** All that must be stored when it runs. */
  readonly needed: readonly Source[];
  /** Sources whose elements are written over. */
  readonly donors: readonly Source[];
  readonly scalars: readonly (number | bigint | Slot)[];
  readonly numbers: readonly number[];
  readonly writes: readonly { readonly input: number; readonly from: From }[];
  readonly cells: readonly From[];
  readonly made: readonly Made[];
  readonly results: Tree;
  readonly gradients: readonly Gradient[];
  /** One tensor is computed and given, and that is all. */
  readonly isPlain: boolean;
  /** How such a call is run without more ado; null where there is more to it. */
  readonly direct: Direct | null;
  /** Outputs that nobody is given. */
  readonly unused: readonly number[];
}

/** An entry that says only that calls are recorded. */
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
