/** Rates that change from epoch to epoch. PyTorch's torch.optim.lr_scheduler, each as a function of the epoch. */
import { showArgument } from "@fuseau/ir";
import { perCall } from "../js.ts";
import { trimmed } from "../messages/stack.ts";
import { Optimizer } from "./optimizer.ts";

/** An optimizer whose groups have a rate. */
export type Rated = Optimizer<{ lr: number }>;

/** The rates that groups had when their optimizer got its first schedule. */
const firstRates = new WeakMap<object, number[]>();
/** Several schedules of one optimizer multiply their factors. */
const schedulesOf = new WeakMap<object, Schedule[]>();

/**
 * Sets the rates of an optimizer's groups: those of epoch 0 when it is made, those of the next epoch at each {@link step}.
 * Another schedule of the same optimizer multiplies, as PyTorch's chainable ones do.
 */
export abstract class Schedule {
  /** How often {@link step} was called. */
  lastEpoch = 0;
  protected readonly optimizer: Rated;

  /** @throws TypeError for what is no optimizer. */
  constructor(optimizer: object) {
    if (!(optimizer instanceof Optimizer))
      throw trimmed(
        new TypeError(
          `${new.target.name}: optimizer must be an Optimizer, but got ${showArgument(optimizer)}`,
        ),
        new.target,
      );
    this.optimizer = optimizer as Rated;
    const { paramGroups } = this.optimizer;
    if (!firstRates.has(optimizer))
      firstRates.set(
        optimizer,
        paramGroups.map(({ lr }) => lr),
      );
    schedulesOf.set(optimizer, [...(schedulesOf.get(optimizer) ?? []), this]);
  }

  /** The rate in an epoch, of a group whose first rate was `base`. */
  abstract at(epoch: number, base: number): number;

  /** Goes on to the next epoch. To be called after the optimizer's steps of an epoch. */
  step(): void {
    perCall(() => {
      this.lastEpoch++;
      this.apply();
      return this.lastEpoch;
    });
  }

  /** The rates of the groups now. */
  getLastLr(): number[] {
    return this.optimizer.paramGroups.map(({ lr }) => lr);
  }

  stateDict(): { readonly lastEpoch: number } {
    return { lastEpoch: this.lastEpoch };
  }

  loadStateDict({ lastEpoch }: { readonly lastEpoch: number }): void {
    this.lastEpoch = lastEpoch;
    this.apply();
  }

  /** Another schedule decides when this one is asked. */
  release(): void {
    schedulesOf.set(this.optimizer, schedulesOf.get(this.optimizer)?.filter((other) => other !== this) ?? []);
  }

  /** To be called at the end of a constructor. */
  protected apply(): void {
    const schedules = schedulesOf.get(this.optimizer) ?? [];
    const bases = firstRates.get(this.optimizer) ?? [];
    for (const [k, group] of this.optimizer.paramGroups.entries()) {
      const base = bases[k] ?? group.lr;
      bases[k] = base;
      const [only, ...more] = schedules.map((schedule) => schedule.at(schedule.lastEpoch, base));
      group.lr = more.reduce((rate, other) => rate * (other / base), only ?? base);
    }
  }
}
