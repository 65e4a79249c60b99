/** Reshaping as layers. Source: torch.nn.Flatten, Unflatten. */
import type { FlattenOrFail, UnflattenOrFail, UnknownRank } from "@fuseau/ir";
import { checkMade } from "../entry/made.ts";
import type { AnyTensor } from "../js.ts";
import type { DTypeIn, Flow, OfShape, ShapeIn } from "./flow.ts";
import { Layer } from "./layer.ts";

export interface FlattenFlow<A extends number, B extends number> extends Flow {
  readonly output: OfShape<FlattenOrFail<ShapeIn<this>, A, B>, DTypeIn<this>>;
}

/** Merges the axes from `startDim` to `endDim`; by default all except the first. */
export class Flatten<const A extends number = 1, const B extends number = -1> extends Layer<
  FlattenFlow<A, B>
> {
  readonly startDim: number;
  readonly endDim: number;

  constructor(startDim: A = 1 as A, endDim: B = -1 as B) {
    checkMade(new.target, arguments, { integer: { startDim, endDim } });
    super();
    this.startDim = startDim;
    this.endDim = endDim;
  }

  override get isFresh(): boolean {
    return false;
  }

  protected run(input: AnyTensor): AnyTensor {
    return input.flatten(this.startDim, this.endDim);
  }
}

export interface UnflattenFlow<A extends number, R extends readonly number[]> extends Flow {
  readonly output: OfShape<
    UnknownRank<ShapeIn<this>> extends true ? number[] : UnflattenOrFail<ShapeIn<this>, A, R>,
    DTypeIn<this>
  >;
}

/** Splits one axis into several. */
export class Unflatten<
  const A extends number = number,
  const R extends readonly number[] = readonly number[],
> extends Layer<UnflattenFlow<A, R>> {
  readonly dim: number;
  readonly sizes: readonly number[];

  constructor(dim: A, sizes: R) {
    checkMade(new.target, arguments, { integer: { dim }, integers: { sizes } });
    super();
    this.dim = dim;
    this.sizes = sizes;
  }

  override get isFresh(): boolean {
    return false;
  }

  protected run(input: AnyTensor): AnyTensor {
    return input.unflatten(this.dim, this.sizes);
  }
}
