/** Whether a result is PyTorch's, by the rules of the cases' own reader. */
import type { Case, StoredTensor } from "./case.ts";
import { type DecodedTensor, decodeTensor } from "./decode.ts";

/** How far a result may be off: |actual − expected| ≤ absolute + relative·|expected|. */
interface Tolerance {
  readonly relative: number;
  readonly absolute: number;
}

const exact: Tolerance = { relative: 0, absolute: 0 };
const usual: Readonly<Record<string, Tolerance>> = {
  float16: { relative: 1e-3, absolute: 1e-5 },
  float32: { relative: 2e-5, absolute: 2e-6 },
  float64: { relative: 1e-9, absolute: 1e-11 },
};

export type Strictness = Pick<Case, "exact" | "signedZero" | "tol">;

/** What differs first, or null. */
export function compareTensor(
  actual: DecodedTensor,
  stored: StoredTensor,
  strictness: Strictness,
): string | null {
  const expected = decodeTensor(stored);
  if (actual.dtype !== expected.dtype) return `dtype: got ${actual.dtype}, want ${expected.dtype}`;
  if (!sameShape(actual.shape, expected.shape)) {
    return `shape: got [${actual.shape}], want [${expected.shape}]`;
  }
  if (actual.data.length !== expected.data.length) {
    return `length: got ${actual.data.length}, want ${expected.data.length}`;
  }
  const tolerance = toleranceOf(expected.dtype, strictness);
  for (let i = 0; i < expected.data.length; i++) {
    const [got, want] = [actual.data[i]!, expected.data[i]!];
    if (sameElement(got, want, tolerance, strictness.signedZero === true)) continue;
    return `[${i}]: got ${showElement(got)}, want ${showElement(want)}`;
  }
  return null;
}

export const sameShape = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((size, axis) => size === b[axis]);

function toleranceOf(dtype: string, strictness: Strictness): Tolerance {
  if (strictness.exact || !dtype.startsWith("float")) return exact;
  if (strictness.tol) return { relative: strictness.tol.rtol, absolute: strictness.tol.atol };
  return usual[dtype] ?? exact;
}

/** Integers agree exactly, whatever the tolerance says; NaN equals NaN, and an infinity only itself. */
function sameElement(
  got: number | bigint,
  want: number | bigint,
  { relative, absolute }: Tolerance,
  signedZero: boolean,
): boolean {
  if (typeof got === "bigint" || typeof want === "bigint") return got === want;
  if (Number.isNaN(got) || Number.isNaN(want)) return Number.isNaN(got) && Number.isNaN(want);
  if (got === want) return !signedZero || Object.is(got, want);
  return Number.isFinite(want) && Math.abs(got - want) <= absolute + relative * Math.abs(want);
}

const showElement = (value: number | bigint): string => (Object.is(value, -0) ? "-0" : String(value));
