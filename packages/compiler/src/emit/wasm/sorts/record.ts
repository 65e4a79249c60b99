/**
 * What is recorded while keys become elements, in each lane: the bits that any key has, the bits that all keys have, and whether
 * a key has bits that its element does not keep. Numbers for {@link putBack} follow.
 */
import type { Variable } from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { Operation } from "../encode/operations.ts";
import type { Element } from "./element.ts";

/** Offsets in a record: three vectors, then numbers. */
export const record = { any: 0, all: 16, lost: 32, negatives: 48, zeros: 52, nans: 56 } as const;
export const RECORD_BYTES = 64;

/** The range [low, high) of the bits in which keys differ; low = high if all are equal. */
export function differingBits(
  target: FunctionBuilder,
  { keyBits }: Element,
  at: Variable,
): { low: Variable; high: Variable } {
  const differ = target.local("i64");
  const joined = (part: number, op: Operation): void => {
    const bytes = keyBits / 8;
    for (let offset = 0; offset < 16; offset += bytes) {
      target.get(at.local).op(keyBits === 32 ? "i64.load32_u" : "i64.load", part + offset);
      if (offset > 0) target.op(op);
    }
  };
  joined(record.any, "i64.or");
  joined(record.all, "i64.and");
  target.op("i64.xor").set(differ);
  const low = target.define(0);
  const high = target.define(0);
  target.get(differ).op("i64.eqz").op("i32.eqz");
  target.ifThen(() => {
    target.get(differ).op("i64.ctz").op("i32.wrap_i64").set(low.local);
    target.i64(64n).get(differ).op("i64.clz").op("i64.sub").op("i32.wrap_i64").set(high.local);
  });
  return { low, high };
}
