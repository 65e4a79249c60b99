/**
 * Combines samples into a batch. Source: torch.utils.data.default_collate on pytorch.org/docs/stable; numbers become what `tensor` makes of
 * them.
 */
import { dtypes, ShapeError, showArgument, showShape } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { type AnyTensor, fromTypedArray, type Tensor, type TypedArray, tensor } from "../js.ts";
import { isTensor } from "./check.ts";
import { arrayOver } from "./elements.ts";

/** A batch of samples of type T. */
export type Collated<T> =
  T extends Tensor<infer S, infer D>
    ? Tensor<[number, ...S], D>
    : T extends number
      ? Tensor<[number], "float32">
      : T extends boolean
        ? Tensor<[number], "bool">
        : T extends bigint
          ? Tensor<[number], "int64">
          : T extends string
            ? string[]
            : T extends ArrayLike
              ? Tensor<[number, number]>
              : T extends object
                ? { -readonly [K in keyof T]: Collated<T[K]> }
                : never;

type ArrayLike = Exclude<TypedArray, Uint16Array>;

/**
 * Combines samples into one batch: tensors, typed arrays and numbers are stacked along a new first axis, lists and objects are combined
 * entry by entry, and texts become a list. Tensors are computed, and their elements are copied together without a program.
 * @throws ShapeError for tensors of several shapes; TypeError for samples of several kinds, or of a kind that makes no batch.
 */
export const defaultCollate = declareFunction(
  "defaultCollate(samples: list)",
  <T>(samples: readonly T[]): Collated<T> => collate(samples) as Collated<T>,
);

/** {@link defaultCollate} for a loader. */
export const collate = (samples: readonly unknown[]): unknown => collated(samples, "");

/** `path` is the position of the values in a sample, as `[1].label`. */
function collated(samples: readonly unknown[], path: string): unknown {
  const [first] = samples;
  if (isTensor(first)) return stacked(samples, first, path);
  const kind = typeof first;
  const other = samples.findIndex((sample) => typeof sample !== kind);
  if (other >= 0)
    return refuse(
      path,
      `sample 0 is ${showArgument(first)} and sample ${other} is ${showArgument(samples[other])}`,
    );
  if (kind === "number" || kind === "boolean" || kind === "bigint")
    return tensor(samples as readonly number[]);
  if (kind === "string") return samples;
  if (ArrayBuffer.isView(first)) return collated(samples.map(lend), path);
  if (kind !== "object" || first === null) return refuse(path, `${showArgument(first)} makes no batch`);
  const keys = Object.keys(first as object);
  // What keeps its content elsewhere, as a Map or a Date does, has no entries to combine.
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(first));
  if (keys.length === 0 && !isPlain && !Array.isArray(first))
    return refuse(path, `${showArgument(first)} makes no batch`);
  const odd = samples.findIndex((sample) => Object.keys(sample as object).join() !== keys.join());
  if (odd >= 0)
    return refuse(
      path,
      `sample 0 has the entries ${keys.join(", ")} and sample ${odd} ${Object.keys(samples[odd] as object).join(", ")}`,
    );
  const entry = (key: string, name: string): unknown =>
    collated(
      samples.map((sample) => (sample as Readonly<Record<string, unknown>>)[key]),
      path + name,
    );
  return Array.isArray(first)
    ? first.map((_, k) => entry(String(k), `[${k}]`))
    : Object.fromEntries(keys.map((key) => [key, entry(key, `.${key}`)]));
}

const lend = (array: unknown): AnyTensor => fromTypedArray(array as ArrayLike);

function refuse(path: string, fault: string): never {
  throw new TypeError(
    `samples${path} cannot be put together: ${fault} (give a collate function of your own)`,
  );
}

function stacked(samples: readonly unknown[], { dtype, shape }: AnyTensor, path: string): AnyTensor {
  const parts = samples.map((sample, k) => {
    if (!isTensor(sample) || sample.dtype !== dtype)
      return refuse(
        path,
        `sample 0 is a tensor of ${dtype} and sample ${k} is ${isTensor(sample) ? `of ${sample.dtype}` : showArgument(sample)}`,
      );
    if (sample.shape.join() !== shape.join())
      throw new ShapeError(
        `stack expects each tensor to be equal size, but got ${showShape(shape)} at entry 0 and ${showShape(sample.shape)} at entry ${k} (samples${path}; a collate function of your own may pad them)`,
      );
    const { buffer, byteOffset, byteLength } = sample.toTypedArray();
    return new Uint8Array(buffer, byteOffset, byteLength);
  });
  const bytes = parts[0]!.length;
  const into = new Uint8Array(bytes * parts.length);
  for (const [k, part] of parts.entries()) into.set(part, k * bytes);
  return fromTypedArray(arrayOver[dtype](into.buffer, into.length / dtypes[dtype].bytes), {
    shape: [parts.length, ...shape],
    dtype,
  });
}
