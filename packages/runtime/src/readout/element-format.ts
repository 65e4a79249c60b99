/** One format for all shown elements, so that columns align: PyTorch's `_Formatter` in _tensor_str.py. */
import { fixedText, scientificText, wholeText } from "./decimal.ts";

export interface ElementFormat<Element> {
  /** Characters of the widest element. Zeros, infinities and NaN are not counted, and may be wider than the column. */
  readonly width: number;
  /** Formats an element, without padding. */
  readonly text: (element: Element) => string;
}

/**
 * Floats print as `1.` when all are whole, else with four decimals. They print as `1.0000e+00` when they span more than three
 * powers of ten, when one exceeds 10^8, or when some are not whole and one is below 10^−4.
 */
export function floatFormat(values: readonly number[]): ElementFormat<number> {
  const counted = values.filter((value) => Number.isFinite(value) && value !== 0);
  let smallest = Infinity;
  let largest = 0;
  let whole = true;
  for (const value of counted) {
    smallest = Math.min(smallest, Math.abs(value));
    largest = Math.max(largest, Math.abs(value));
    whole &&= Number.isInteger(value);
  }
  const scientific = largest / smallest > 1000 || largest > 1e8 || (!whole && smallest < 1e-4);
  const text = scientific ? scientificText : whole ? wholeText : fixedText;
  return { width: widest(counted, text), text };
}

/** Integers in full, booleans as Python spells them. */
export function exactFormat<Element extends number | bigint | boolean>(
  values: readonly Element[],
): ElementFormat<Element> {
  const text = (value: Element): string => (value === true ? "True" : value === false ? "False" : `${value}`);
  return { width: widest(values, text), text };
}

function widest<Element>(values: readonly Element[], text: (element: Element) => string): number {
  let width = 1;
  for (const value of values) width = Math.max(width, text(value).length);
  return width;
}
