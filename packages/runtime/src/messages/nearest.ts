/** Finds the name that was probably meant. */

/** The names that NumPy, TensorFlow and older PyTorch use. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  axis: ["dim", "dims"],
  axes: ["dims", "dim"],
  ddof: ["correction"],
  type: ["dtype"],
  size: ["shape", "sizes"],
  rng: ["generator"],
  seed: ["generator"],
  pad: ["padding"],
  out_dtype: ["dtype"],
  boolean: ["bool"],
  byte: ["uint8"],
  char: ["int8"],
  short: ["int16"],
  int: ["int32"],
  integer: ["int32"],
  i32: ["int32"],
  long: ["int64"],
  bigint: ["int64"],
  i64: ["int64"],
  half: ["float16"],
  f16: ["float16"],
  float: ["float32"],
  single: ["float32"],
  number: ["float32"],
  f32: ["float32"],
  double: ["float64"],
  f64: ["float64"],
};

/** The name in `known` that is most like `name`; null if none is. */
export function nearest(name: string, known: readonly string[]): string | null {
  const lower = name.toLowerCase();
  const meant = Object.hasOwn(synonyms, lower) ? synonyms[lower] : undefined;
  const named = meant?.find((synonym) => known.includes(synonym));
  if (named !== undefined) return named;
  const wanted = plain(name);
  let best: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const other = plain(candidate);
    const distance =
      Math.min(wanted.length, other.length) > 2 && (other.startsWith(wanted) || wanted.startsWith(other))
        ? 1
        : editDistance(wanted, other);
    if (distance >= least) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

/** What to add to a message about an unknown name; empty if no name is near. */
export function didYouMean(name: unknown, known: readonly string[]): string {
  const meant = typeof name === "string" ? nearest(name, known) : null;
  return meant === null ? "" : ` (did you mean "${meant}"?)`;
}

/** Letters only: `keep_dims` and `keepDims` are equal. */
const plain = (name: string): string =>
  name
    .replace(/^(torch|np)\./, "")
    .replace(/[^a-z0-9]/gi, "")
    .toLowerCase();

/** The distance in letters that are inserted, deleted, changed, or swapped with the next (Damerau and Levenshtein). */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, before[j - 2]! + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}
