/**
 * Numbers as C's printf and Python's format write them, since PyTorch prints them so. JavaScript differs in three ways: it rounds ties away
 * from zero (0.03125 at four digits: 0.0313, where C has 0.0312), drops the sign of −0, and writes exponents of one digit.
 */

/** Digits after the point: PrinterOptions.precision in PyTorch's _tensor_str.py. */
const precision = 4;

/** So many digits more decide ties: if the text still ends in 5000…, it is a tie, since no float64 lies so close to one. */
const further = 40;
const tie = `5${"0".repeat(further - 1)}`;

/** A float that is whole: `-3.`; infinities and NaN have no point. */
export const wholeText = (value: number): string =>
  notFinite(value) ?? `${sign(value)}${Math.abs(value).toFixed(0)}.`;

/** C's `%.4f`, for magnitudes below 10^21. */
export function fixedText(value: number): string {
  const magnitude = Math.abs(value);
  return (
    notFinite(value) ??
    sign(value) + tiesToEven(magnitude.toFixed(precision), magnitude.toFixed(precision + further))
  );
}

/** C's `%.4e`. */
export function scientificText(value: number): string {
  const special = notFinite(value);
  if (special !== undefined) return special;
  const magnitude = Math.abs(value);
  const [digits, exponent] = magnitude.toExponential(precision).split("e") as [string, string];
  const [moreDigits, exactExponent] = magnitude.toExponential(precision + further).split("e") as [
    string,
    string,
  ];
  // 9.99995e5 rounds up to the next power of ten, which is the even neighbour.
  const mantissa = exponent === exactExponent ? tiesToEven(digits, moreDigits) : digits;
  return `${sign(value)}${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

/** `rounded`, unless it was rounded up from a tie whose lower neighbour is even. */
function tiesToEven(rounded: string, longer: string): string {
  if (!longer.endsWith(tie)) return rounded;
  const lower = longer.slice(0, -further);
  return Number(lower.at(-1)) % 2 === 0 ? lower : rounded;
}

const sign = (value: number): string => (value < 0 || Object.is(value, -0) ? "-" : "");

function notFinite(value: number): string | undefined {
  if (Number.isNaN(value)) return "nan";
  return Number.isFinite(value) ? undefined : `${sign(value)}inf`;
}
