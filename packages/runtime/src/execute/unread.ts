/**
 * Bounds the recording of a loop that makes its state anew in each round and reads nothing (`x = x.mul(a).add(b)`). From time to time what
 * its rounds hand on is computed (`stages.ts`), so that what was recorded before the last of them is let go of. A recording without rounds
 * stays as it is: it may take long to compile, and perhaps nobody reads it. The elements are the same whenever they are computed.
 */
import { optionsOf } from "../options.ts";
import { hasStandIns, tracing } from "../tracing.ts";
import { Value } from "../value.ts";
import { computeRounds } from "./compute.ts";
import { withoutDonation } from "./donors.ts";
import { gather } from "./holding.ts";
import { isPending, isUnread, lately } from "./lately.ts";
import { noteMade } from "./made-meanwhile.ts";

/** After so many recorded values it is looked whether a recording has become long. */
const MANY = 262_144;
/** It is looked at the tensors that were made among so many last values. A longer round is not seen whole. */
const LAST = 1_024;
/** A recording is long if so many values are uncomputed beneath one of those: one of 100,000 is never cut, whatever was recorded before it. */
const LONG = 131_072;
/** The most parts that the state may have that nothing has read yet. */
const MOST_ROOTS = 8;

let due = MANY;

/** To be called with the value of every tensor that is made. */
export function noteUnread(value: Value): void {
  gather(value);
  noteMade(value);
  if (Value.recorded < due - LAST) return;
  if (isPending(value)) lately.add(value);
  if (Value.recorded < due) return;
  due = Value.recorded + MANY;
  const roots = [...lately].filter(isUnread);
  lately.clear();
  // What `jit` or `vmap` records must stay as it was recorded, and a backward pass will read more than its roots.
  const mayCompute = tracing === null && !hasStandIns() && roots.every(({ step }) => step === null);
  if (!mayCompute || roots.length > MOST_ROOTS) return;
  // What reads most is walked first: if one part of the state reads another, the rounds of both are met side by side.
  const counts = new Map(roots.map((root) => [root, countBeneath(root)]));
  roots.sort((a, b) => (counts.get(b) as number) - (counts.get(a) as number));
  if ((counts.get(roots[0] as Value) ?? 0) < LONG) return;
  try {
    // Who records now may still read anything.
    withoutDonation(() => computeRounds(roots, optionsOf("compute", undefined)));
  } catch {
    // If it can be computed nothing is lost, and if not, whoever reads it is told.
  }
}

function countBeneath(root: Value): number {
  const beneath = new Set([root]);
  for (const { storage, inputs } of beneath)
    if (storage === null) for (const input of inputs) beneath.add(input);
  return beneath.size;
}
