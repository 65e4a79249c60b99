/**
 * Parts of a recording whose sizes change independently of each other: the gradients of several batches that one step adds up, losses of
 * several lengths. As one program they would be another for each combination of sizes. Each by itself is an instance of a program of many
 * sizes, and what reads them has one size.
 */
import { mix } from "@fuseau/ir";
import type { Value } from "../../value.ts";
import type { Extraction } from "../extract/extract.ts";
import { shapePlacesOf } from "../extract/structure.ts";
import type { Member } from "../late/families.ts";

/** Lists of sizes that must have been seen: with fewer, sizes that change look as if they did not. */
const LEAST_SEEN = 3;

/**
 * What each part gives to the rest, in the order of recording; nothing if all sizes change together, or meet in some op. The first `asked` of
 * `wanted` were asked for: no part has all of them, or computing it would ask for the same parts again.
 */
export function partsBySize(
  { order, wanted }: Extraction,
  asked: number,
  { family, sizes }: Member,
): readonly (readonly Value[])[] {
  if (family === null || family.seen.length < LEAST_SEEN) return none;
  const places = shapePlacesOf(order);
  const parts = new Groups();
  /** What a size was in each list, as a hash; null for one that never changes. Of two that are alike by accident, one is in a larger part. */
  const historyOf = (place: number): number | null => {
    const own = sizes[place] as number;
    let [hash, changes] = [own, false];
    for (const list of family.seen) {
      const other = list[place] as number;
      if (other !== own) changes = true;
      hash = mix(hash, other);
    }
    return changes ? hash : null;
  };
  /** A value with sizes that change: one that stands for its part. */
  const changing = order.map(({ node }, k): number | null => {
    for (let axis = 0; axis < node.shape.length; axis++) {
      const history = historyOf((places[k] as number) + axis);
      if (history !== null) parts.join(k, parts.firstOf(history, k));
    }
    return parts.has(k) ? k : null;
  });
  for (const [k, { storage, inputs }] of order.entries()) {
    if (storage !== null) continue;
    const meeting = inputs.flatMap(({ position }) => changing[position] ?? []);
    if (changing[k] !== null) meeting.push(k);
    for (const other of meeting) parts.join(other, meeting[0] as number);
  }
  const given = new Map<number, Value[]>();
  const isWanted = new Set(wanted);
  for (const [k, value] of order.entries()) {
    if (value.storage !== null || value.inputs.length === 0) continue;
    const read = value.inputs.find(({ position }) => changing[position] !== null);
    const member = changing[k] === null ? read?.position : isWanted.has(value) ? k : undefined;
    if (member === undefined) continue;
    const part = parts.of(member);
    const values = given.get(part);
    if (values === undefined) given.set(part, [value]);
    else values.push(value);
  }
  const computed = new Set([...[...given.values()].flat(), ...wanted]);
  const found = [...given.values()].map((part) => withBeneath(part, computed));
  const isAll = (part: readonly Value[]): boolean => {
    const own = new Set(part);
    return wanted.slice(0, asked).every((value) => own.has(value));
  };
  const others = found.filter((part) => !isAll(part));
  if (found.length < 2 || others.length === 0 || family.recurring.comesAgain(sizes, order.length))
    return none;
  family.isInParts = true;
  return others;
}

/**
 * A part with those of all `computed` values that lie beneath it. If they were not computed with it, its run would not know that they are
 * computed later, and might write over what they are made of.
 */
function withBeneath(part: readonly Value[], computed: ReadonlySet<Value>): readonly Value[] {
  const seen = new Set(part);
  for (const { inputs } of seen) for (const input of inputs) if (input.storage === null) seen.add(input);
  return [...seen].filter((value) => computed.has(value)).sort((a, b) => a.position - b.position);
}

const none: readonly (readonly Value[])[] = [];

/** Disjoint groups of positions. */
class Groups {
  readonly #above = new Map<number, number>();
  readonly #first = new Map<number, number>();

  has(member: number): boolean {
    return this.#above.has(member);
  }

  /** The position that came first with a key. */
  firstOf(key: number, member: number): number {
    const known = this.#first.get(key);
    if (known === undefined) this.#first.set(key, member);
    return known ?? member;
  }

  of(member: number): number {
    let root = member;
    for (
      let above = this.#above.get(root);
      above !== undefined && above !== root;
      above = this.#above.get(root)
    )
      root = above;
    this.#above.set(member, root);
    return root;
  }

  join(a: number, b: number): void {
    this.#above.set(this.of(a), this.of(b));
  }
}
