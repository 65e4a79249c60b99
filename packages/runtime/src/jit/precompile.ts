/** Compiles what a function computes for arguments of given shapes and dtypes, without computing it. */

import { allocate, type DType, elementCount, showArgument } from "@fuseau/ir";
import { gradientAt, replaceGradient, type Sum } from "../autograd/leaf.ts";
import { callGiven } from "../entry/operation.ts";
import { extract, forget } from "../execute/extract/extract.ts";
import { executableAlone } from "../execute/find-program.ts";
import { checkDType } from "../ops/creation.ts";
import { lent, shapeFor } from "../ops/elements.ts";
import { elementOf } from "../ops/operand.ts";
import type { Options } from "../options.ts";
import { defaultGenerator } from "../random/generator.ts";
import * as record from "../record.ts";
import type { Leaf } from "../tape/step.ts";
import { restoreCell } from "../tensor/cell.ts";
import { aliasKey, Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { type Tracing, withTracing } from "../tracing.ts";
import type { Value } from "../value.ts";

type Function = (...args: readonly unknown[]) => unknown;

/**
 * Returns the number of programs.
 * @throws TypeError when `fn` reads elements, or writes into a tensor that existed before.
 */
export function precompileCalls(
  fn: Function,
  signatures: readonly (readonly unknown[])[],
  options: Options,
): number {
  const before = defaultGenerator.getState();
  try {
    let count = 0;
    for (const signature of signatures) count += precompileCall(fn, signature.map(argumentOf), options);
    return count;
  } finally {
    // Random numbers drawn here do not count.
    defaultGenerator.setState(before);
  }
}

function precompileCall(fn: Function, args: readonly unknown[], options: Options): number {
  const given = tensorsIn(args);
  const watch = new Watch(given);
  let isWritten = false;
  let groups: readonly Value[][] = [];
  try {
    const output = withTracing(watch, () => callGiven(fn, args));
    if (output instanceof Promise)
      throw new TypeError("the function must not be async (what it awaits is not recorded)");
    const results = [...watch.deferred, ...tensorsIn(output).map(unwrap)];
    const pending = [...new Set(results)].filter((value) => value.storage === null);
    // The programs that are needed if results are read one by one, and the one if all are computed together.
    const each = pending.map((value) => [value]);
    groups = pending.length > 1 ? [...each, pending] : each;
    for (const group of groups) compileOnly(group, options);
  } finally {
    isWritten = watch.restore();
  }
  if (isWritten)
    throw new TypeError(
      "the function writes into a tensor that was there before, which is undone (give it as an argument: { shape, dtype })",
    );
  return groups.length;
}

function compileOnly(values: readonly Value[], options: Options): void {
  try {
    executableAlone(extract(values), options);
  } finally {
    forget();
  }
}

/** `{ shape, dtype }` stands for a tensor of zeros. Everything else stays. */
function argumentOf(arg: unknown): unknown {
  if (typeof arg !== "object" || arg === null || arg instanceof Tensor) return arg;
  if (Array.isArray(arg)) return arg.map(argumentOf);
  const { shape, dtype = "float32" } = arg as { readonly shape?: unknown; readonly dtype?: DType };
  if (shape !== undefined && !Array.isArray(shape))
    throw new TypeError(`a shape is a list of sizes, not ${showArgument(shape)}`);
  if (!Array.isArray(shape))
    return Object.fromEntries(Object.entries(arg).map(([name, item]) => [name, argumentOf(item)]));
  const known = checkDType(dtype);
  const sizes = shape as readonly number[];
  if (sizes.some((size) => !Number.isInteger(size) || size < 0))
    throw new TypeError(`a shape is a list of sizes, not ${showArgument(shape)}`);
  return wrap(
    lent("precompile", allocate(known, elementCount(sizes)), shapeFor(elementCount(sizes), sizes), known),
  );
}

function tensorsIn(data: unknown): AnyTensor[] {
  if (data instanceof Tensor) return [data];
  if (typeof data !== "object" || data === null) return [];
  return Object.values(data).flatMap(tensorsIn);
}

/** Runs the function and restores what existed before. */
class Watch implements Tracing {
  readonly deferred: Value[] = [];
  readonly #own: Set<AnyTensor>;
  /** The values that tensors from before are made of. */
  readonly #before = new Map<AnyTensor, Value>();
  readonly #gradients = new Map<Leaf, Sum | null>();
  readonly #numbers: number[] = [];

  constructor(given: readonly AnyTensor[]) {
    this.#own = new Set(given);
  }

  made(tensor: AnyTensor): void {
    this.#own.add(tensor);
  }

  isOwn(tensor: AnyTensor): boolean {
    return this.#own.has(tensor);
  }

  use(tensor: AnyTensor): void {
    if (this.#own.has(tensor) || this.#before.has(tensor)) return;
    withTracing(null, () => this.#before.set(tensor, tensor[aliasKey]?.cell.value ?? unwrap(tensor)));
  }

  perCall(read: () => readonly number[]): { readonly slot: number; readonly numbers: readonly number[] } {
    const numbers = withTracing(null, read);
    const slot = this.#numbers.length;
    this.#numbers.push(...numbers);
    return { slot, numbers };
  }

  numberAt(slot: number, dtype: DType): Value {
    return record.scalar(dtype, elementOf(dtype, this.#numbers[slot] as number));
  }

  defer(tensors: readonly AnyTensor[], others: readonly Value[]): void {
    this.deferred.push(...tensors.map(unwrap), ...others);
  }

  gradientRead(leaf: Leaf, found: AnyTensor | null): void {
    this.gradientWritten(leaf);
    if (found !== null) this.use(found);
  }

  gradientWritten(leaf: Leaf): void {
    if (!this.#gradients.has(leaf)) this.#gradients.set(leaf, gradientAt(leaf));
  }

  constant(): void {}
  noteRead(): void {}
  guard(): void {}

  /** True if something was written, which is undone. */
  restore(): boolean {
    for (const [leaf, sum] of this.#gradients) if (gradientAt(leaf) !== sum) replaceGradient(leaf, sum);
    let isWritten = false;
    for (const [tensor, value] of this.#before) {
      const cell = tensor[aliasKey]?.cell;
      if (cell === undefined || cell.value === value) continue;
      isWritten = true;
      restoreCell(cell, value);
      cell.version++;
    }
    return isWritten;
  }
}
