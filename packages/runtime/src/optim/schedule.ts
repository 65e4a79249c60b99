/** Learning rates that change from epoch to epoch: PyTorch's torch.optim.lr_scheduler, each as a function of the epoch. */
import { showArgument } from "@fuseau/ir";
import { callSite } from "../compat/call-site.ts";
import { checkKind } from "../entry/kinds.ts";
import type { Made } from "../entry/made.ts";
import { checkMethods, type Takes } from "../entry/methods.ts";
import { isEntry } from "../entry/operation.ts";
import { perCall } from "../js.ts";
import { trimmed } from "../messages/stack.ts";
import { warnOnce } from "../messages/warning.ts";
import { Optimizer, steppedOnce } from "./optimizer.ts";

/** One for all groups, or a list with one for each. */
export type PerGroup<T> = T | readonly T[];

/** An optimizer whose groups have a learning rate. */
export type Rated = Optimizer<{ lr: number }>;

/** @throws TypeError for what is no optimizer, with the stack of the code that makes a `made`. */
export function checkOptimizer(made: Made, optimizer: unknown): void {
  if (!(optimizer instanceof Optimizer))
    throw trimmed(
      new TypeError(`${made.name}: optimizer must be an Optimizer, but got ${showArgument(optimizer)}`),
      made,
    );
}

/**
 * The value for a group. A group that is added later has that of the last one.
 * @throws RangeError unless a list has one value for each group, with the stack of the code that makes a `made`.
 */
export function perGroup<T>(
  made: Made,
  { paramGroups: { length } }: Rated,
  name: string,
  given: PerGroup<T>,
): (group: number) => T {
  const list = (Array.isArray(given) ? given : [given]) as readonly T[];
  if (Array.isArray(given) && list.length !== length)
    throw trimmed(
      new RangeError(`${made.name}: Expected ${length} values for ${name}, but got ${list.length}`),
      made,
    );
  return (group) => list[Math.min(group, list.length - 1)] as T;
}

/** The result of {@link Schedule.stateDict}. */
export interface ScheduleState {
  readonly lastEpoch: number;
  /** The first rate of each group. Without them, those of the optimizer when it got its first schedule. */
  readonly baseLrs?: readonly number[];
  /** The rate of each group then. Without them, those that follow from the epoch. */
  readonly lastLrs?: readonly number[];
}

/** The rates of groups when their optimizer got its first schedule. */
const firstRates = new WeakMap<object, number[]>();
/** The rates that schedules gave groups last. A group that has another now was given it by hand, or by ReduceLROnPlateau. */
const scheduledRates = new WeakMap<object, number[]>();
/** The factors of several schedules of one optimizer are multiplied. */
const schedulesOf = new WeakMap<object, Schedule[]>();

/**
 * Sets the rates of an optimizer's groups: those of epoch 0 when it is made, those of the next epoch at each {@link step}. Another schedule
 * of the same optimizer multiplies them, as PyTorch's chainable ones do.
 */
export abstract class Schedule {
  protected static readonly takes: Takes = {
    step: "",
    getLastLr: "",
    stateDict: "",
    loadStateDict: "state: record",
  };
  /** How often {@link step} was called. */
  lastEpoch = 0;
  protected readonly optimizer: Rated;
  #isApplied = false;

  /** @throws TypeError for what is no optimizer. */
  constructor(optimizer: object) {
    checkOptimizer(new.target, optimizer);
    checkMethods(new.target);
    this.optimizer = optimizer as Rated;
    const { paramGroups } = this.optimizer;
    if (!firstRates.has(optimizer))
      firstRates.set(
        optimizer,
        paramGroups.map(({ lr }) => lr),
      );
  }

  /** The rate of a group (by its number) in an epoch; `base` is the group's first rate. */
  abstract at(epoch: number, base: number, group: number): number;

  /** The rate of a group when the schedules before this one give `rate`. */
  onto(rate: number, epoch: number, base: number, group: number): number {
    const own = this.at(epoch, base, group);
    return base === 0 ? own : rate * (own / base);
  }

  /**
   * What rates given by hand keep their ratio to, as the schedule goes on: PyTorch computes most rates from those of the epoch before, by a
   * factor (0), or by the distance to the rate it ends in. Null where it computes them from the epoch alone, so that others are forgotten.
   */
  pivot(_group: number): number | null {
    return 0;
  }

  /** Begins the next epoch. Call it after the optimizer's steps of an epoch. */
  step(): void {
    if (this.lastEpoch === 0 && !steppedOnce.has(this.optimizer) && isEntry(this.optimizer.step))
      this.#warn();
    perCall(() => {
      this.lastEpoch++;
      this.apply();
      return this.lastEpoch;
    });
  }

  #warn(): void {
    const site = callSite();
    warnOnce(
      `schedule ${site}`,
      `${this.constructor.name}: Detected call of schedule.step() before optimizer.step(), which skips the first rate of the schedule. Call them in the opposite order. (at ${site})`,
    );
  }

  /** The present rates of the groups. */
  getLastLr(): number[] {
    return this.optimizer.paramGroups.map(({ lr }) => lr);
  }

  stateDict(): ScheduleState {
    return {
      lastEpoch: this.lastEpoch,
      baseLrs: [...(firstRates.get(this.optimizer) ?? [])],
      lastLrs: this.getLastLr(),
    };
  }

  /** Goes on from a state, whether the optimizer's own was loaded before the schedule was made or is loaded afterwards. */
  loadStateDict({ lastEpoch, baseLrs, lastLrs }: ScheduleState): void {
    checkKind("loadStateDict", "lastEpoch", lastEpoch, "count");
    checkRates("baseLrs", baseLrs);
    checkRates("lastLrs", lastLrs);
    if (baseLrs !== undefined) firstRates.set(this.optimizer, [...baseLrs]);
    this.lastEpoch = lastEpoch;
    scheduledRates.delete(this.optimizer);
    this.apply();
    for (const [k, group] of this.optimizer.paramGroups.entries()) group.lr = lastLrs?.[k] ?? group.lr;
  }

  /** True if both are of one optimizer. */
  isBeside(other: Schedule): boolean {
    return this.optimizer === other.optimizer;
  }

  /** Notes that another schedule calls this one. */
  release(): void {
    schedulesOf.set(this.optimizer, schedulesOf.get(this.optimizer)?.filter((other) => other !== this) ?? []);
  }

  /** {@link perGroup} of its optimizer. */
  protected perGroup<T>(name: string, given: PerGroup<T>): (group: number) => T {
    return perGroup(this.constructor as Made, this.optimizer, name, given);
  }

  /** To be called at the end of a constructor, so that a constructor that throws leaves no schedule behind. */
  protected apply(): void {
    if (!this.#isApplied) schedulesOf.set(this.optimizer, [...(schedulesOf.get(this.optimizer) ?? []), this]);
    this.#isApplied = true;
    const schedules = schedulesOf.get(this.optimizer) ?? [];
    const bases = firstRates.get(this.optimizer) ?? [];
    const before = scheduledRates.get(this.optimizer) ?? [];
    scheduledRates.set(this.optimizer, before);
    for (const [k, group] of this.optimizer.paramGroups.entries()) {
      const base = bases[k] ?? group.lr;
      bases[k] = base;
      const [first, ...more] = schedules;
      const begin = first?.at(first.lastEpoch, base, k) ?? base;
      const rate = more.reduce((sum, schedule) => schedule.onto(sum, schedule.lastEpoch, base, k), begin);
      group.lr = kept(group.lr, before[k], rate, this.pivot(k));
      before[k] = rate;
    }
  }
}

/** The rate that a group gets: the schedule's, unless the group has another than the schedule gave it `before`. */
function kept(now: number, before: number | undefined, next: number, pivot: number | null): number {
  if (before === undefined || now === before || pivot === null) return next;
  if (before === pivot || before === next) return now + (next - before);
  return pivot + (now - pivot) * ((next - pivot) / (before - pivot));
}

function checkRates(name: string, rates: readonly number[] | undefined): void {
  if (rates === undefined) return;
  checkKind("loadStateDict", name, rates, "list");
  for (const [k, rate] of rates.entries()) checkKind("loadStateDict", `${name}[${k}]`, rate, "number");
}
