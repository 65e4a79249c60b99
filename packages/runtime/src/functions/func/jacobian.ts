/** Matrices of derivatives. */
import { build, elementCount } from "@fuseau/ir";
import { batch } from "../../autograd/batch.ts";
import { forward } from "../../autograd/forward.ts";
import { withLeaves } from "../../autograd/tree.ts";
import { declareFunction } from "../../declare/declaration.ts";
import { handedOut } from "../../entry/operation.ts";
import { mappingOf, withMapping } from "../../random/mapping.ts";
import * as record from "../../record.ts";
import { withRecording } from "../../tape/step.ts";
import { type ShapeKey, Tensor } from "../../tensor/handle.ts";
import type { AnyTensor } from "../../tensor/types.ts";
import { Value } from "../../value.ts";
import {
  type AnyFunction,
  type Argument,
  called,
  checkFunction,
  closed,
  type FuncGradOptions,
  gradients,
  orZeros,
  type ResultOf,
  type WithAux,
} from "./called.ts";
import { moved } from "./move.ts";

/**
 * For each tensor of the result R the form of X, where each tensor has the axes of the result's in front of its own. Its dtype is the argument's,
 * or the result's.
 */
type Jacobian<R, X, D extends "argument" | "result" = "argument"> = R extends AnyTensor
  ? DerivativeOf<R, X, D>
  : { -readonly [K in keyof R]: Jacobian<R[K], X, D> };

type DerivativeOf<R extends AnyTensor, X, D> = X extends AnyTensor
  ? Tensor<[...R[ShapeKey], ...X[ShapeKey]], (D extends "result" ? R : X)["dtype"]>
  : { -readonly [K in keyof X]: DerivativeOf<R, X[K], D> };

/**
 * The Jacobian of `fn` with respect to its first argument (or `argnums`), by reverse mode, with a backward pass for each element of the
 * result. Its shape is the result's followed by the argument's. If these are trees, each tensor of the result becomes a tree of the
 * argument's form.
 */
export const jacrev = declareFunction(
  "func.jacrev(fn, { argnums, hasAux })",
  <A extends readonly unknown[], R, const O extends FuncGradOptions = FuncGradOptions>(
    fn: (...args: A) => R,
    options?: O,
  ): ((...args: A) => WithAux<Jacobian<ResultOf<R, O>, Argument<A, O>>, R, O>) => {
    checkFunction("func.jacrev", fn);
    return byRows("func.jacrev", fn as AnyFunction, options ?? {}) as never;
  },
);

/** {@link jacrev}'s result by forward mode: cheaper where the argument has fewer elements than the result. */
export const jacfwd = declareFunction(
  "func.jacfwd(fn, { argnums, hasAux })",
  <A extends readonly unknown[], R, const O extends FuncGradOptions = FuncGradOptions>(
    fn: (...args: A) => R,
    options?: O,
  ): ((...args: A) => WithAux<Jacobian<ResultOf<R, O>, Argument<A, O>, "result">, R, O>) => {
    checkFunction("func.jacfwd", fn);
    return byColumns("func.jacfwd", fn as AnyFunction, options ?? {}) as never;
  },
);

/** The Jacobian by reverse mode; errors name it `op`. */
function byRows(op: string, fn: AnyFunction, options: FuncGradOptions): AnyFunction {
  return handedOut(op, (...args) => {
    const call = called(op, fn, args, options);
    const rows = call.roots.map((root) => {
      const { dtype, shape } = root.node;
      const count = elementCount(shape);
      const seed = new Value(build.input(dtype, shape), [], null);
      const mapping = mappingOf("same", count, [seed], [unitsOf(root)]);
      const found = withMapping(mapping, () => gradients(op, { ...call, roots: [root] }, [seed], true));
      const made = withRecording(call.isShared, () => batch(found, mapping));
      return withLeaves(
        call.chosen,
        made.map((value, k) => {
          const own = (call.sources[k] as Value).node.shape;
          return new Tensor(record.reshape(value, [...shape, ...own]));
        }),
      );
    });
    const jacobian = withLeaves(call.output, rows);
    return options.hasAux === true ? [jacobian, closed(call.aux, call.isShared)] : jacobian;
  });
}

/** The Jacobian by forward mode; errors name it `op`. */
function byColumns(op: string, fn: AnyFunction, options: FuncGradOptions): AnyFunction {
  return handedOut(op, (...args) => {
    const call = called(op, fn, args, options);
    const columns = call.sources.map((source) => {
      const { dtype, shape } = source.node;
      const tangent = new Value(build.input(dtype, shape), [], null);
      const mapping = mappingOf("same", elementCount(shape), [tangent], [unitsOf(source)]);
      const found = withMapping(mapping, () => forward(call.roots, [source], [tangent], call.isShared));
      const dense = found.map((value, k) => orZeros(value, call.roots[k] as Value));
      const made = withRecording(call.isShared, () => batch(dense, mapping));
      return made.map((value) => {
        const last = moved(value, 0, value.node.shape.length - 1);
        return new Tensor(record.reshape(last, [...value.node.shape.slice(1), ...shape]));
      });
    });
    const rows = call.roots.map((_, row) =>
      withLeaves(
        call.chosen,
        columns.map((column) => column[row]),
      ),
    );
    const jacobian = withLeaves(call.output, rows);
    return options.hasAux === true ? [jacobian, closed(call.aux, call.isShared)] : jacobian;
  });
}

/** For each element of `x` a tensor of its shape that is 1 there and 0 elsewhere. */
function unitsOf({ node: { dtype, shape } }: Value): Value {
  const count = elementCount(shape);
  const place = record.iota("int64", count);
  const isOwn = record.binary("eq", record.reshape(place, [count, 1]), place);
  return record.reshape(record.cast(isOwn, dtype), [count, ...shape]);
}

type HessianOptions = Pick<FuncGradOptions, "argnums">;

/** The Hessian of `fn`, which returns a scalar, by forward mode over reverse mode. Its shape is the argument's twice. */
export const hessian = declareFunction(
  "func.hessian(fn, { argnums })",
  <A extends readonly unknown[], R, const O extends HessianOptions = HessianOptions>(
    fn: (...args: A) => R,
    options?: O,
  ): ((...args: A) => Jacobian<Jacobian<R, Argument<A, O>>, Argument<A, O>>) => {
    checkFunction("func.hessian", fn);
    const given = options ?? {};
    return byColumns("func.hessian", byRows("func.hessian", fn as AnyFunction, given), given) as never;
  },
);
