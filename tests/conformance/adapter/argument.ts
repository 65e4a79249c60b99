/** Arguments of a case as the library takes them. */
import { float, Tensor } from "fuseau";
import type { StoredArgument } from "../case.ts";
import { decodeNumber } from "../decode.ts";

/** What the names of a case stand for so far. */
export type Results = Map<string, unknown>;

/** A floating scalar as the cases mark it; `float(2)` where an operand is taken, 2 where a plain number is. */
export class FloatArgument {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** A Python slice, apart from a list of three numbers. */
export class SliceArgument {
  readonly range: readonly (number | null)[];
  constructor(range: readonly (number | null)[]) {
    this.range = range;
  }
}

const isList = (stored: StoredArgument): stored is readonly StoredArgument[] => Array.isArray(stored);

export function argumentOf(stored: StoredArgument, results: Results): unknown {
  if (isList(stored)) return stored.map((item) => argumentOf(item, results));
  if (typeof stored !== "object" || stored === null) return stored;
  if ("ref" in stored) return results.get(stored.ref);
  if ("float" in stored) return new FloatArgument(decodeNumber(stored.float));
  if ("int" in stored) return BigInt(stored.int);
  if ("dtype" in stored) return stored.dtype;
  if ("slice" in stored) return new SliceArgument(stored.slice);
  return "...";
}

/** An operand keeps its mark: an integer-valued float is a floating scalar. */
export function operandOf(value: unknown): unknown {
  if (value instanceof FloatArgument) return float(value.value);
  return Array.isArray(value) ? value.map(operandOf) : value;
}

/** A plain number has no mark, and no more digits than it needs. */
export function numberOf(value: unknown): unknown {
  if (value instanceof FloatArgument) return value.value;
  if (typeof value === "bigint") return Number(value);
  return Array.isArray(value) ? value.map(numberOf) : value;
}

/** Several results come as a list, or as an object whose fields are in PyTorch's order. */
export function resultList(result: unknown): readonly unknown[] {
  if (Array.isArray(result)) return result;
  if (result instanceof Tensor || typeof result !== "object" || result === null) return [result];
  return Object.values(result);
}
