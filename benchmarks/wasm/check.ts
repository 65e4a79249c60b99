/** Results are compared before anything is timed. */
import type { Contender } from "./contender.ts";
import type { Contest } from "./contest.ts";

const PEER_TOLERANCE = 1e-4;

/**
 * Those that give what fuseau's JavaScript kernels give, and why the others do not. fuseau on two threads must agree with
 * fuseau on one bit for bit. @throws Error where fuseau or C is wrong.
 */
export async function checked(
  contenders: readonly Contender[],
  { tolerance, peerTolerance = PEER_TOLERANCE }: Pick<Contest, "tolerance" | "peerTolerance">,
): Promise<{ readonly agreeing: readonly Contender[]; readonly absent: ReadonlyMap<string, string> }> {
  const reference = contenders.find(({ name }) => name === "js");
  if (reference === undefined) throw new Error("a contest needs its JavaScript kernels");
  const expected = await reference.result();
  const agreeing: Contender[] = [];
  const absent = new Map<string, string>();
  let alone: ArrayLike<number> | null = null;
  for (const contender of contenders) {
    const { name } = contender;
    const isPeer = name === "jax-js" || name === "tfjs";
    try {
      const found = contender === reference ? expected : await contender.result();
      refuse(name, differenceOf(found, expected, isPeer ? peerTolerance : tolerance));
      if (name === "fuseau 1") alone = found;
      if (name === "fuseau 2" && alone !== null) refuse("on two threads", differenceOf(found, alone, 0));
      agreeing.push(contender);
    } catch (error) {
      if (!isPeer) throw error;
      absent.set(name, error instanceof Error ? error.message : String(error));
    }
  }
  return { agreeing, absent };
}

function refuse(name: string, difference: string | null): void {
  if (difference !== null) throw new Error(`${name}: ${difference}`);
}

/** `tolerance` is relative to the largest element. */
function differenceOf(
  found: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
): string | null {
  if (found.length !== expected.length) return `${found.length} elements, not ${expected.length}`;
  let largest = 0;
  for (let k = 0; k < expected.length; k++) largest = Math.max(largest, Math.abs(expected[k]!));
  for (let k = 0; k < expected.length; k++) {
    if (Math.abs(found[k]! - expected[k]!) <= tolerance * largest) continue;
    return `element ${k} is ${found[k]}, not ${expected[k]}`;
  }
  return null;
}
