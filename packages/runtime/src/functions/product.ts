/**
 * Products of matrices and vectors. Each is PyTorch's op of the same name. Sums are in an order of their own, so the last bits of results
 * may differ from those of separate multiplications.
 * @throws ShapeError when sizes do not fit or leading axes do not broadcast, DTypeError for different dtypes.
 */
import {
  type Accept,
  checkInteger,
  type Kronecker,
  type Matmul,
  type MatmulOrFail,
  type Promote,
  type Shape,
  ShapeError,
  type ShowShape,
  type SizeAt,
  type SumDType,
  showShape,
  type UnknownRank,
} from "@fuseau/ir";
import { declare, declareAs, type method } from "../declare/declaration.ts";
import { inverse as inverseOf } from "../matrices/factors.ts";
import { eye } from "../ops/creation.ts";
import * as linear from "../ops/linear.ts";
import { expand } from "../ops/movement.ts";
import { mul } from "../ops/pointwise.ts";
import * as ops from "../ops/product.ts";
import * as record from "../record.ts";
import { withoutSlope } from "../tape/rule.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, PairDType, PairShape } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** False for a rank that is known and another. */
type HasRank<S extends number[], Rank extends number> = number extends S["length"]
  ? true
  : S["length"] extends Rank
    ? true
    : false;

type OfRank<S extends number[], Rank extends number, Name extends string, Kind extends string> =
  HasRank<S, Rank> extends true ? never : `${Name} must be a ${Kind} (got shape ${ShowShape<S>})`;

/** By product, the message where it does not take operands of such ranks. */
interface RankFailures<A extends number[], B extends number[]> {
  readonly matmul: never;
  readonly mm: OfRank<A, 2, "self", "matrix"> | OfRank<B, 2, "mat2", "matrix">;
  readonly bmm: OfRank<A, 3, "batch1", "3D tensor"> | OfRank<B, 3, "batch2", "3D tensor">;
  readonly mv: [HasRank<A, 2>, HasRank<B, 1>] extends [true, true]
    ? never
    : `vector + matrix @ vector expected, got ${B["length"]}, ${A["length"]}, ${B["length"]} (shapes ${ShowShape<A>} and ${ShowShape<B>})`;
  readonly dot: [HasRank<A, 1>, HasRank<B, 1>] extends [true, true]
    ? never
    : `1D tensors expected, but got ${A["length"]}D and ${B["length"]}D tensors (shapes ${ShowShape<A>} and ${ShowShape<B>})`;
  readonly vdot: RankFailures<A, B>["dot"];
}
type ProductName = keyof RankFailures<number[], number[]>;

/** The right operand of a product, or the message. */
export type FitsProduct<T extends AnyTensor, B extends AnyTensor, Name extends ProductName = "matmul"> = [
  RankFailures<T[ShapeKey], B[ShapeKey]>[Name],
] extends [never]
  ? Accept<MatmulOrFail<T[ShapeKey], B[ShapeKey]>, B>
  : RankFailures<T[ShapeKey], B[ShapeKey]>[Name];

/** A product of two tensors with the shape rule of `matmul`. */
interface Product<Name extends ProductName> {
  <T extends AnyTensor, const B extends AnyTensor>(
    input: T,
    other: FitsProduct<T, B, Name>,
  ): Tensor<Matmul<T[ShapeKey], B[ShapeKey]>, T["dtype"]>;
  readonly [method]: <T extends AnyTensor, const B extends AnyTensor>(
    this: T,
    other: FitsProduct<T, B, Name>,
  ) => Tensor<Matmul<T[ShapeKey], B[ShapeKey]>, T["dtype"]>;
}

/** `second` is the name of the right operand in the call. */
function product<Name extends ProductName>(
  name: Name,
  second: string,
  run: (a: Value, b: Value) => Value,
): Product<Name> {
  return declareAs(`${name}(${second})`, (input: AnyTensor, other: AnyTensor) =>
    wrap(run(unwrap(input), unwrap(other))),
  );
}

/** The product of matrices. A vector counts as a row on the left and a column on the right. Leading axes broadcast. */
export const matmul = product("matmul", "other", (a, b) => ops.matmul(a, b));

/** The product of two matrices. */
export const mm = product("mm", "mat2", ops.mm);

/** The products of the matrices of two batches of equal size. */
export const bmm = product("bmm", "mat2", ops.bmm);

/** The product of a matrix and a vector. */
export const mv = product("mv", "vec", ops.mv);

/** The sum of the products of two vectors. */
export const dot = product("dot", "other", ops.dot);

/** {@link dot}: there are no complex numbers. */
export const vdot = product("vdot", "other", ops.dot);

/** Every product of an element of x and one of `vec2`; dtypes are promoted. */
export const outer = declare(
  "outer(vec2)",
  <T extends AnyTensor, const B extends AnyTensor>(
    input: T,
    vec2: B,
  ): Tensor<[SizeAt<T[ShapeKey], 0>, SizeAt<B[ShapeKey], 0>], PairDType<T, B>> =>
    wrap(ops.outer(unwrap(input), unwrap(vec2))),
);

/** All axes except the last: those of the first operand, then those of the second. */
type Inner<A extends number[], B extends number[]> = [UnknownRank<A>, UnknownRank<B>] extends [false, false]
  ? A extends [...infer Rows extends number[], number]
    ? B extends [...infer Columns extends number[], number]
      ? [...Rows, ...Columns]
      : A
    : B
  : number[];

/** Σ x·other along the last axes of both. */
export const inner = declare(
  "inner(other)",
  <T extends AnyTensor, const B extends AnyTensor>(
    input: T,
    other: B,
  ): Tensor<Inner<T[ShapeKey], B[ShapeKey]>, PairDType<T, B>> => {
    const [a, b] = [unwrap(input), unwrap(other)];
    const [left, right] = [a.node.shape, b.node.shape];
    if (left.length === 0 || right.length === 0) return wrap(mul(a, b));
    if (left.at(-1) !== right.at(-1))
      throw new ShapeError(
        `inner() the last dimension must match on both input tensors but got shapes ${showShape(left)} and ${showShape(right)}`,
      );
    if (left.length === 1 && right.length === 1) return wrap(ops.dot(a, b));
    return wrap(linear.contractAxes(a, b, [left.length - 1], [right.length - 1]));
  },
);

/** The Kronecker product: every element of x times the whole of `other`, as blocks. In promotion, a 0-d operand counts like the other. */
export const kron = declare(
  "kron(other)",
  <T extends AnyTensor, const B extends AnyTensor>(
    input: T,
    other: B,
  ): Tensor<Kronecker<T[ShapeKey], B[ShapeKey]>, Promote<T["dtype"], B["dtype"]>> => {
    const [a, b] = [unwrap(input), unwrap(other)];
    const rank = Math.max(a.node.shape.length, b.node.shape.length);
    const [left, right] = [padFront(a.node.shape, rank), padFront(b.node.shape, rank)];
    const blocks = record.reshape(
      a,
      left.flatMap((size) => [size, 1]),
    );
    const whole = record.reshape(
      b,
      right.flatMap((size) => [1, size]),
    );
    return wrap(
      record.reshape(
        mul(blocks, whole),
        left.map((size, axis) => size * right[axis]!),
      ),
    );
  },
);

const padFront = (shape: Shape, rank: number): number[] => [
  ...new Array<number>(rank - shape.length).fill(1),
  ...shape,
];

/** The cross product of vectors of three along `dim`, by default the first axis of size 3. */
export const cross = declare(
  "cross(other, dim)",
  <T extends AnyTensor, const B extends AnyTensor>(
    input: T,
    other: B,
    dim: number | null = null,
  ): Tensor<PairShape<T, B>, T["dtype"]> => wrap(linear.cross(unwrap(input), unwrap(other), dim)),
);

/** The sum of a matrix's diagonal; of integers as int64. */
export const trace = declare("trace()", <T extends AnyTensor>(input: T): Tensor<[], SumDType<T["dtype"]>> => {
  const x = unwrap(input);
  if (x.node.shape.length !== 2)
    throw new ShapeError(
      `expected a matrix, but got tensor with dim ${x.node.shape.length} (shape ${showShape(x.node.shape)})`,
    );
  return wrap(record.reduce("sum", record.diagonal(x, 0, 0, 1), [0]));
});

/** The `n`-th power of square matrices; for a negative n that of the inverse. */
export const matrixPower = declare(
  "matrixPower(n)",
  <T extends AnyTensor>(input: T, n: number): Tensor<T[ShapeKey], T["dtype"]> => {
    const given = unwrap(input);
    const { shape, dtype } = given.node;
    if (shape.length < 2 || shape.at(-1) !== shape.at(-2))
      throw new ShapeError(
        `matrixPower: linalg.matrix_power: A must be batches of square matrices, but they are ${shape.at(-2) ?? 1} by ${shape.at(-1) ?? 1} matrices`,
      );
    checkInteger("n", n);
    const x = n < 0 ? inverseOf(given) : given;
    const size = shape.at(-1)!;
    if (n === 0) return wrap(withoutSlope("matrixPower", [x], expand(eye(size, size, dtype), shape)));
    let result: Value | null = null;
    let square = x;
    for (let rest = Math.abs(n); ; ) {
      if (rest % 2 === 1) result = result === null ? square : ops.matmul(result, square);
      rest = Math.floor(rest / 2);
      if (rest === 0) return wrap(result as Value);
      square = ops.matmul(square, square);
    }
  },
);
