/**
 * Tensors in tests: assertions for any test runner; and matchers, an equality tester and a snapshot serializer for Vitest and Jest.
 * docs/testing.md shows how each is set up.
 */
import { type AnyTensor, type DType, Tensor, tensor } from "./js.ts";

/** What a tensor is compared with: a tensor, or numbers that are converted to its dtype. */
export type Expected = AnyTensor | number | bigint | boolean | readonly NestedNumbers[];
type NestedNumbers = number | bigint | boolean | readonly NestedNumbers[];

/** The tolerance: |actual − expected| ≤ atol + rtol·|expected|. */
export interface Closeness {
  /** Must be given with `atol`; by default that of the dtype, as in torch.testing.assert_close. */
  readonly rtol?: number;
  readonly atol?: number;
  /** NaN is close to NaN. Default false. */
  readonly equalNan?: boolean;
  /** Whether dtypes must be equal. Default true. If they may differ, the larger tolerances hold. */
  readonly checkDtype?: boolean;
}

/** [rtol, atol] of torch.testing.assert_close. */
const tolerances: { readonly [D in DType]: readonly [rtol: number, atol: number] } = {
  float16: [1e-3, 1e-5],
  float32: [1.3e-6, 1e-5],
  float64: [1e-7, 1e-7],
  bool: [0, 0],
  uint8: [0, 0],
  int8: [0, 0],
  int16: [0, 0],
  int32: [0, 0],
  int64: [0, 0],
};

/** Thrown when two tensors differ. Its message says where and by how much; test runners show `actual` and `expected` side by side. */
export class TensorAssertionError extends Error {
  override readonly name = "AssertionError";
  readonly code = "ERR_ASSERTION";
  readonly operator: string;
  readonly actual: string;
  readonly expected: string;

  constructor(operator: string, message: string, actual: AnyTensor, expected: AnyTensor) {
    super(message);
    this.operator = operator;
    this.actual = String(actual);
    this.expected = String(expected);
  }
}

/**
 * Passes if dtype and shape are equal and every element is close (torch.testing.assert_close).
 * @throws TensorAssertionError otherwise; TypeError for what is no tensor, or for one tolerance without the other.
 */
export function assertClose(actual: AnyTensor, expected: Expected, options: Closeness = {}): void {
  fromCaller(assertClose, () => compare("assertClose", actual, expected, options));
}

/**
 * Passes if dtype, shape and every element are equal; NaN equals NaN, and −0 equals 0.
 * @throws TensorAssertionError otherwise; TypeError for what is no tensor, and for options: there are none.
 */
export function assertEqual(actual: AnyTensor, expected: Expected): void {
  const count = arguments.length;
  fromCaller(assertEqual, () => {
    if (count > 2)
      throw new TypeError(
        "assertEqual: takes two arguments and no options (assertClose takes { rtol, atol, equalNan, checkDtype })",
      );
    compare("assertEqual", actual, expected, { rtol: 0, atol: 0, equalNan: true });
  });
}

/** V8 has always had it. In engines without it stacks stay as they are. */
const { captureStackTrace } = Error as typeof Error & {
  readonly captureStackTrace?: (target: object, above: unknown) => void;
};

/** Errors get the stack of the code that called `entered`. */
function fromCaller(entered: unknown, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (error instanceof Error) captureStackTrace?.(error, entered);
    throw error;
  }
}

const optionNames: { readonly [Name in keyof Required<Closeness>]: "number" | "boolean" } = {
  rtol: "number",
  atol: "number",
  equalNan: "boolean",
  checkDtype: "boolean",
};

function checkOptions(op: string, options: Closeness): void {
  if (typeof options !== "object" || options === null)
    throw new TypeError(`${op}: takes options as an object last, but got ${String(options)}`);
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(optionNames, name))
      throw new TypeError(
        `${op}: unknown option "${name}"; the options are ${Object.keys(optionNames).join(", ")}`,
      );
    const kind = optionNames[name as keyof Closeness];
    if (value !== undefined && typeof value !== kind)
      throw new TypeError(`${op}: ${name} must be a ${kind}, but got ${String(value)}`);
  }
}

function compare(op: string, actual: AnyTensor, expected: Expected, options: Closeness): void {
  const [a, e] = [checkTensor(op, actual), tensorLike(op, expected, actual)];
  checkOptions(op, options);
  const fail = (message: string): never => {
    throw new TensorAssertionError(op, `${op}: ${message}`, a, e);
  };
  const { equalNan = false, checkDtype = true } = options;
  if (a.shape.join() !== e.shape.join())
    fail(`the shapes do not match: [${a.shape.join(", ")}] is not [${e.shape.join(", ")}]`);
  if (checkDtype && a.dtype !== e.dtype) fail(`the dtypes do not match: ${a.dtype} is not ${e.dtype}`);
  const [rtol, atol] = tolerance(op, a.dtype, e.dtype, options);
  const difference = differ(numbersOf(a), numbersOf(e), { rtol, atol, equalNan });
  if (difference === null) return;
  const { count, absolute, relative } = difference;
  const total = a.numel();
  const where = (position: number): string =>
    a.ndim === 0 ? "" : ` at index [${indexOf(position, a.shape).join(", ")}]`;
  const allowed = (bound: number): string => (rtol === 0 && atol === 0 ? "" : ` (up to ${bound} allowed)`);
  fail(
    `the tensors are not ${rtol === 0 && atol === 0 ? "equal" : "close"}\n
Mismatched elements: ${count} / ${total} (${((100 * count) / total).toFixed(1)}%)
Greatest absolute difference: ${absolute.size}${where(absolute.position)}${allowed(atol)}
Greatest relative difference: ${relative.size}${where(relative.position)}${allowed(rtol)}`,
  );
}

function checkTensor(op: string, x: unknown): AnyTensor {
  if (x instanceof Tensor) return x;
  throw new TypeError(`${op}: the actual value must be a Tensor, not ${x === null ? "null" : typeof x}`);
}

/** Numbers are converted to the dtype of the tensor that they are compared with. */
function tensorLike(op: string, expected: Expected, actual: AnyTensor): AnyTensor {
  if (expected instanceof Tensor) return expected;
  if (Array.isArray(expected) || ["number", "bigint", "boolean"].includes(typeof expected)) {
    const { dtype } = checkTensor(op, actual);
    return tensor(expected as number[], { dtype }) as AnyTensor;
  }
  throw new TypeError(`${op}: the expected value must be a Tensor, a number or nested arrays of numbers`);
}

function tolerance(op: string, a: DType, e: DType, { rtol, atol }: Closeness): readonly [number, number] {
  if ((rtol === undefined) !== (atol === undefined))
    throw new TypeError(`${op}: rtol and atol are given together, or neither`);
  if (rtol !== undefined && atol !== undefined) return [rtol, atol];
  const [own, other] = [tolerances[a], tolerances[e]];
  return [Math.max(own[0], other[0]), Math.max(own[1], other[1])];
}

type Numbers = ArrayLike<number> | BigInt64Array;

function numbersOf(x: AnyTensor): Numbers {
  if (x.dtype === "float16") return x.to("float32").toTypedArray() as ArrayLike<number>;
  return x.toTypedArray() as Numbers;
}

interface Greatest {
  readonly size: number;
  readonly position: number;
}

interface Difference {
  readonly count: number;
  readonly absolute: Greatest;
  readonly relative: Greatest;
}

function differ(
  a: Numbers,
  e: Numbers,
  { rtol, atol, equalNan }: Required<Omit<Closeness, "checkDtype">>,
): Difference | null {
  let count = 0;
  let absolute: Greatest = { size: 0, position: 0 };
  let relative: Greatest = { size: 0, position: 0 };
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i]!, e[i]!];
    // biome-ignore lint/suspicious/noDoubleEquals: 1n == 1 where dtypes may differ
    if (x == y) continue;
    const [first, second] = [Number(x), Number(y)];
    if (equalNan && Number.isNaN(first) && Number.isNaN(second)) continue;
    const size =
      typeof x === "bigint" && typeof y === "bigint" ? Math.abs(Number(x - y)) : Math.abs(first - second);
    if (size <= atol + rtol * Math.abs(second) && size !== Infinity) continue;
    count++;
    const share = size / Math.abs(second);
    // NaN counts as the largest, so that a difference that is NaN is shown.
    if (count === 1 || !(size <= absolute.size)) absolute = { size, position: i };
    if (count === 1 || !(share <= relative.size)) relative = { size: share, position: i };
  }
  return count === 0 ? null : { count, absolute, relative };
}

function indexOf(position: number, shape: readonly number[]): number[] {
  const index: number[] = [];
  for (let axis = shape.length - 1, rest = position; axis >= 0; axis--) {
    index.unshift(rest % shape[axis]!);
    rest = Math.floor(rest / shape[axis]!);
  }
  return index;
}

/**
 * For `expect.addEqualityTesters`: two tensors are equal if dtype, shape and elements are; NaN equals NaN, and −0 does not equal 0, as
 * `toEqual` treats numbers. For other values it returns undefined.
 */
export function equalTensors(a: unknown, b: unknown): boolean | undefined {
  if (!(a instanceof Tensor) || !(b instanceof Tensor)) return undefined;
  if (a === b) return true;
  if (a.dtype !== b.dtype || a.shape.join() !== b.shape.join()) return false;
  const [x, y] = [numbersOf(a), numbersOf(b)];
  for (let i = 0; i < x.length; i++) if (!Object.is(x[i], y[i])) return false;
  return true;
}

/** The result of a matcher in Vitest and Jest. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
  readonly actual?: unknown;
  readonly expected?: unknown;
}

function matched(negated: string, check: () => void): MatcherResult {
  try {
    check();
    return { pass: true, message: () => negated };
  } catch (error) {
    if (!(error instanceof TensorAssertionError)) throw error;
    const { message, actual, expected } = error;
    return { pass: false, message: () => message, actual, expected };
  }
}

/** For `expect.extend`. */
export const tensorMatchers = {
  /** {@link assertEqual} */
  toEqualTensor: (actual: AnyTensor, expected: Expected): MatcherResult =>
    matched("expected the tensors to differ", () => assertEqual(actual, expected)),
  /** {@link assertClose} */
  toBeCloseToTensor: (actual: AnyTensor, expected: Expected, options?: Closeness): MatcherResult =>
    matched("expected the tensors not to be close", () => assertClose(actual, expected, options)),
  toHaveShape(actual: AnyTensor, shape: readonly number[]): MatcherResult {
    const own = checkTensor("toHaveShape", actual).shape;
    if (!Array.isArray(shape))
      throw new TypeError("toHaveShape: the shape must be an array, e.g. toHaveShape([2, 3])");
    return {
      pass: own.join() === shape.join(),
      message: () => `expected the shape [${shape.join(", ")}], got [${own.join(", ")}]`,
    };
  },
  toHaveDType(actual: AnyTensor, dtype: DType): MatcherResult {
    const own = checkTensor("toHaveDType", actual).dtype;
    return { pass: own === dtype, message: () => `expected the dtype ${dtype}, got ${own}` };
  },
};

/** The matchers' types. A project adds them to those of its test runner: docs/testing.md shows where. */
export interface TensorMatchers<R = unknown> {
  /** dtype, shape and every element are equal; NaN equals NaN, and −0 equals 0. */
  toEqualTensor(expected: Expected): R;
  /** dtype and shape are equal and every element is close, by default as close as torch.testing.assert_close requires. */
  toBeCloseToTensor(expected: Expected, options?: Closeness): R;
  toHaveShape(shape: readonly number[]): R;
  toHaveDType(dtype: DType): R;
}

/** For `expect.addSnapshotSerializer`: a tensor as it prints, with all elements up to a thousand. */
export const tensorSerializer = {
  test: (value: unknown): boolean => value instanceof Tensor,
  serialize: (value: unknown): string => String(value),
};

/** What Vitest and Jest have in common. */
export interface ExpectLike {
  extend(matchers: typeof tensorMatchers): void;
  addEqualityTesters?(testers: ((a: unknown, b: unknown) => boolean | undefined)[]): void;
  addSnapshotSerializer?(serializer: typeof tensorSerializer): void;
}

/**
 * Installs matchers, equality of tensors in `toEqual` and its like, and snapshots. Call it once, in a set-up file.
 * @throws TypeError for what has no method `extend`.
 */
export function extendExpect(expect: ExpectLike): void {
  if (typeof (expect as ExpectLike | null | undefined)?.extend !== "function")
    throw new TypeError("extendExpect: expect must be that of Vitest or Jest, which has a method extend");
  expect.extend(tensorMatchers);
  expect.addEqualityTesters?.([equalTensors]);
  expect.addSnapshotSerializer?.(tensorSerializer);
}
