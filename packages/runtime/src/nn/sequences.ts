/** Sequences of several lengths as one tensor. Source: torch.nn.utils.rnn. */
import type { UnknownRank } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { checkKind } from "../entry/kinds.ts";
import { type AnyTensor, pad, ShapeError, type ShapeKey, stack, Tensor } from "../js.ts";

export interface PadSequenceOptions {
  /** The result is [N, length, ...] instead of [length, N, ...]. Default false. */
  readonly batchFirst?: boolean;
  /** Default 0. */
  readonly paddingValue?: number;
}

/** Two axes instead of the first, which is another in each sequence. */
type PaddedSequences<T extends AnyTensor> = Tensor<
  UnknownRank<T[ShapeKey]> extends true
    ? number[]
    : T[ShapeKey] extends [number, ...infer Rest extends number[]]
      ? [number, number, ...Rest]
      : number[],
  T["dtype"]
>;

/**
 * Sequences [length, ...] as one tensor [longest, N, ...], each with padding behind.
 * @throws ShapeError unless the sequences differ in their first axis alone.
 */
export const padSequence = declareFunction(
  "padSequence(sequences: iterable, { batchFirst, paddingValue })",
  <T extends AnyTensor>(
    sequences: Iterable<T>,
    { batchFirst = false, paddingValue = 0 }: PadSequenceOptions = {},
  ): PaddedSequences<T> => {
    const all = [...sequences];
    for (const [k, item] of all.entries()) checkKind("padSequence", `sequences[${k}]`, item, "tensor");
    const rest = (x: AnyTensor): string => x.shape.slice(1).join(", ");
    if (all.length === 0) throw new ShapeError("expected at least one sequence");
    const wrong = all.findIndex((x) => x.ndim === 0 || x.ndim !== all[0]!.ndim || rest(x) !== rest(all[0]!));
    if (wrong >= 0)
      throw new ShapeError(
        `sequences differ in their first axis alone, but sequences[${wrong}] has shape [${all[wrong]!.shape.join(", ")}], and sequences[0] [${all[0]!.shape.join(", ")}]`,
      );
    const longest = Math.max(...all.map((x) => x.shape[0]!));
    const padded = all.map((x): AnyTensor => {
      const widths = [...x.shape.slice(1).flatMap(() => [0, 0]), 0, longest - x.shape[0]!];
      return pad(x as AnyTensor, widths, { value: paddingValue });
    });
    return stack(padded, batchFirst ? 0 : 1) as AnyTensor as PaddedSequences<T>;
  },
);

/**
 * The sequences of a padded tensor without their padding: views of it. `lengths` has the length of each; it is read.
 * @throws ShapeError unless there is one length for each sequence, RangeError for one that is longer than the tensor.
 */
export const unpadSequence = declareFunction(
  "unpadSequence(padded: tensor, lengths: tensorOrPlaces, { batchFirst })",
  (
    padded: AnyTensor,
    lengths: AnyTensor | readonly number[],
    { batchFirst = false }: Pick<PadSequenceOptions, "batchFirst"> = {},
  ): AnyTensor[] => {
    const counts = Array.from(lengths instanceof Tensor ? lengths.toTypedArray() : lengths, Number);
    const rows: AnyTensor = batchFirst ? padded : padded.transpose(0, 1);
    if (counts.length !== rows.shape[0])
      throw new ShapeError(
        `there are ${rows.shape[0]} sequences, and lengths has ${counts.length} (a batch comes first with { batchFirst: true })`,
      );
    const wrong = counts.findIndex((count) => !(count >= 0 && count <= rows.shape[1]!));
    if (wrong >= 0)
      throw new RangeError(
        `lengths are from 0 to ${rows.shape[1]}, the length of the padded tensor (lengths[${wrong}] is ${counts[wrong]})`,
      );
    return counts.map((count, k) => rows.select(0, k).slice([0, count]));
  },
);
