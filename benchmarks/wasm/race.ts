/**
 * Contenders in turn: every round times each of them once, in an order that changes, and a ratio is the median of the
 * rounds' own ratios.
 */
import { generator } from "../measure/inputs.ts";
import { median } from "../measure/statistics.ts";
import type { Contender, ContenderName } from "./contender.ts";

export interface Budget {
  /** Milliseconds for each contender in a round. */
  readonly milliseconds: number;
  readonly rounds: number;
  /** Milliseconds for each contender before the first. */
  readonly warm: number;
}

export const fullBudget: Budget = { milliseconds: 100, rounds: 9, warm: 400 };
export const quickBudget: Budget = { milliseconds: 25, rounds: 5, warm: 100 };

/** Milliseconds of a call, by round. */
export type Times = ReadonlyMap<ContenderName, readonly number[]>;

export async function race(contenders: readonly Contender[], budget: Budget): Promise<Times> {
  for (const contender of contenders) await contender.time(budget.warm);
  const times = new Map<ContenderName, number[]>(contenders.map(({ name }) => [name, []]));
  const next = generator(1);
  for (let round = 0; round < budget.rounds; round++) {
    for (const { name, time } of shuffled(contenders, next))
      times.get(name)?.push(await time(budget.milliseconds));
  }
  return times;
}

/** How many times as fast `who` is as `against`, or null where one of them is absent. */
export function speed(times: Times, who: ContenderName, against: ContenderName): number | null {
  const own = times.get(who);
  const others = times.get(against);
  if (own === undefined || others === undefined) return null;
  return median(own.map((time, round) => (others[round] as number) / time));
}

function shuffled<T>(list: readonly T[], next: () => number): T[] {
  const rest = [...list];
  return list.map(() => rest.splice(Math.floor(next() * rest.length), 1)[0] as T);
}
