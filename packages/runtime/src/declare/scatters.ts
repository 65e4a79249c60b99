/** Families of operations that write where an index says, along one axis. */
import type { Accept, IndexSelectOrFail } from "@fuseau/ir";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { CheckScatter, PlacesOf } from "../tensor/indexing-types.ts";
import type { AnyTensor, Operand } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { declareAs, type inPlace, type method } from "./declaration.ts";

type Arguments = readonly unknown[];

/** What may be written. Tensor itself cannot be a type argument here, because its members are being declared. */
interface Sources {
  readonly tensor: AnyTensor;
  readonly operand: Operand;
}

/** Element by element: the index has a place for each element of the source that is written. A is the tuple of the other arguments. */
export interface Scatter<S extends keyof Sources, A extends Arguments = []> {
  <T extends AnyTensor, const D extends number, I extends AnyTensor, const B extends Sources[S]>(
    input: T,
    dim: D,
    index: PlacesOf<I>,
    source: CheckScatter<T, D, I, B>,
    ...rest: A
  ): Tensor<T[ShapeKey], T["dtype"]>;
  readonly [method]: <
    T extends AnyTensor,
    const D extends number,
    I extends AnyTensor,
    const B extends Sources[S],
  >(
    this: T,
    dim: D,
    index: PlacesOf<I>,
    source: CheckScatter<T, D, I, B>,
    ...rest: A
  ) => Tensor<T[ShapeKey], T["dtype"]>;
  readonly [inPlace]: <
    T extends AnyTensor,
    const D extends number,
    I extends AnyTensor,
    const B extends Sources[S],
  >(
    this: T,
    dim: D,
    index: PlacesOf<I>,
    source: CheckScatter<T, D, I, B>,
    ...rest: A
  ) => T;
}

/** Whole slices, selected by a list of places. A is the tuple of the arguments beside that list, the source first. */
export interface SliceScatter<A extends Arguments> {
  <T extends AnyTensor, const D extends number, I extends AnyTensor>(
    input: T,
    dim: Accept<IndexSelectOrFail<T[ShapeKey], D, I[ShapeKey]>, D>,
    index: PlacesOf<I, "int32" | "int64">,
    ...rest: A
  ): Tensor<T[ShapeKey], T["dtype"]>;
  readonly [method]: <T extends AnyTensor, const D extends number, I extends AnyTensor>(
    this: T,
    dim: Accept<IndexSelectOrFail<T[ShapeKey], D, I[ShapeKey]>, D>,
    index: PlacesOf<I, "int32" | "int64">,
    ...rest: A
  ) => Tensor<T[ShapeKey], T["dtype"]>;
  readonly [inPlace]: <T extends AnyTensor, const D extends number, I extends AnyTensor>(
    this: T,
    dim: Accept<IndexSelectOrFail<T[ShapeKey], D, I[ShapeKey]>, D>,
    index: PlacesOf<I, "int32" | "int64">,
    ...rest: A
  ) => T;
}

function declareScatter<F extends (...given: never[]) => unknown, A extends Arguments>(
  call: string,
  record: (x: Value, dim: number, index: Value, ...rest: A) => Value,
): F {
  const run = (input: AnyTensor, dim: number, index: AnyTensor, ...rest: A): Tensor => {
    const x = unwrap(input);
    return wrap(record(x, dim, unwrap(index), ...rest));
  };
  return declareAs(call, run, run);
}

export const scatterOf = <S extends keyof Sources, A extends Arguments = []>(
  call: string,
  record: (x: Value, dim: number, index: Value, source: Sources[S], ...rest: A) => Value,
): Scatter<S, A> => declareScatter(call, record);

export const sliceScatterOf = <A extends Arguments>(
  call: string,
  record: (x: Value, dim: number, index: Value, ...rest: A) => Value,
): SliceScatter<A> => declareScatter(call, record);
