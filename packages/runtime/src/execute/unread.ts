/**
 * Bounds the recording of a loop that makes its state anew in each round and reads nothing (`x = x.mul(a).add(b)`). From time to time what
 * its rounds hand on is computed (`parts/stages.ts`), so that what was recorded before the last of them is let go of. A recording without rounds
 * stays as it is: it may take long to compile, and perhaps nobody reads it. The elements are the same whenever they are computed.
 */
import { optionsOf } from "../options.ts";
import { hasStandIns, tracing } from "../tracing.ts";
import { Value } from "../value.ts";
import { computeRounds } from "./compute.ts";
import { withoutDonation } from "./extract/donors.ts";
import { isPending, isUnread, lately } from "./extract/lately.ts";
import { gather } from "./pending/holding.ts";
import { noteMade } from "./pending/made-meanwhile.ts";

/** After so many recorded values it is looked whether a recording has become long. */
const MANY = 32_768;
/** The same where there were no rounds, which takes long to find out. */
const MOST_EVERY = 8 * MANY;
/** It is looked at the tensors that were made among so many last values. A longer round is not seen whole. */
const LAST = 512;
/**
 * A recording is long if so many values are uncomputed beneath one of those: one of 100,000 is never cut, whatever was recorded before it. Where
 * it goes on from what was computed here, fewer are enough.
 */
const [LONG, AGAIN] = [131_072, 16_384];
/** The most tensors that nothing has read yet: the parts of the state, and what the last rounds have made beside it. */
const MOST_ROOTS = 128;
/** So many uncomputed values are beneath a state that nothing reads. */
const DEEP = 256;

let [due, every] = [MANY, MANY];

/** To be called with the value of every tensor that is made. */
export function noteUnread(value: Value): void {
  gather(value);
  noteMade(value);
  // What `jit` or `vmap` records must stay as it was recorded.
  if (Value.recorded < due - LAST || tracing !== null || hasStandIns()) return;
  if (isPending(value)) lately.add(value);
  if (Value.recorded < due) return;
  due = Value.recorded + every;
  // A backward pass would read more than its roots. What was made last reads most, and is walked first: if one part of the state reads another,
  // the rounds of both are met side by side.
  const roots = [...lately].filter((one) => one.step === null && isUnread(one) && isDeep(one)).reverse();
  lately.clear();
  if (roots.length > MOST_ROOTS || !areLong(roots)) return;
  try {
    // Who records now may still read anything.
    const isRound = withoutDonation(() => computeRounds(roots, optionsOf("compute", undefined)));
    every = isRound ? MANY : Math.min(4 * every, MOST_EVERY);
  } catch {
    // If it can be computed nothing is lost, and if not, whoever reads it is told.
  }
}

/** False of what was computed inside another result, or is made of few values that are not: it is no state. */
function isDeep(root: Value): boolean {
  const beneath = new Set([root]);
  for (const { inputs } of beneath) {
    if (beneath.size >= DEEP) return true;
    for (const input of inputs) if (isPending(input)) beneath.add(input);
  }
  return false;
}

function areLong(roots: readonly Value[]): boolean {
  const beneath = new Set(roots);
  let long = LONG;
  for (const { storage, inputs, isUnasked } of beneath)
    if (storage === null) for (const input of inputs) beneath.add(input);
    else if (isUnasked) long = AGAIN;
  return beneath.size >= long;
}
