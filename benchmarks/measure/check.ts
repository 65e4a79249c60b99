/** Results are compared before anything is timed. */
import type { Case, Variant } from "../case.ts";

/** Other libraries have their own exp and tanh. */
const PEER_TOLERANCE = 1e-4;

/**
 * The variants that give the fused result. @throws Error when eager differs in one bit, or a loop by more than the case
 * allows; a peer that differs or fails is left out, with the reason.
 */
export async function checkedVariants(
  measured: Pick<Case, "agreement">,
  variants: readonly Variant[],
): Promise<{ readonly agreeing: readonly Variant[]; readonly wrong: ReadonlyMap<string, string> }> {
  const fused = variants.find(({ role }) => role === "fused");
  if (fused === undefined) throw new Error("a case needs a fused variant");
  const expected = await fused.result();
  const agreeing: Variant[] = [];
  const wrong = new Map<string, string>();
  for (const variant of variants) {
    try {
      await variant.prepare?.();
      const difference = differenceOf(await variant.result(), expected, toleranceOf(measured, variant));
      if (difference !== null) throw new Error(`${variant.name} is not what fused gives: ${difference}`);
      agreeing.push(variant);
    } catch (error) {
      if (variant.role !== "peer") throw error;
      wrong.set(variant.name, error instanceof Error ? error.message : String(error));
    }
  }
  return { agreeing, wrong };
}

function toleranceOf(measured: Pick<Case, "agreement">, { role }: Variant): "bits" | number {
  if (role === "peer") return PEER_TOLERANCE;
  return role === "hand" || role === "other" ? measured.agreement : "bits";
}

function differenceOf(
  found: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: "bits" | number,
): string | null {
  if (found.length !== expected.length)
    return `${found.length} elements where ${expected.length} were expected`;
  let largest = 0;
  for (let k = 0; k < expected.length; k++) largest = Math.max(largest, Math.abs(expected[k]!));
  for (let k = 0; k < expected.length; k++) {
    const [a, b] = [found[k]!, expected[k]!];
    const same = tolerance === "bits" ? Object.is(a, b) : !(Math.abs(a - b) > tolerance * largest);
    if (!same) return `element ${k} is ${a}, expected ${b}`;
  }
  return null;
}
