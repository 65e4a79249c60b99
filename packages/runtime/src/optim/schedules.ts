/** Schedules. Source of each: the class of its name in torch.optim.lr_scheduler. */

import { showArgument } from "@fuseau/ir";
import { checkKind, type Kinds } from "../entry/kinds.ts";
import { checkMade, type Made } from "../entry/made.ts";
import { checkMethods, type Takes } from "../entry/methods.ts";
import { trimmed } from "../messages/stack.ts";
import { type PerGroup, Schedule, type ScheduleState } from "./schedule.ts";

/** A function from the epoch to a factor, or a list of one for each group. */
export type Factors = PerGroup<(epoch: number) => number>;

/** The first rate times `factor` of the epoch. */
export class LambdaLR extends Schedule {
  readonly #factor: (group: number) => (epoch: number) => number;

  constructor(optimizer: object, factor: Factors) {
    checkMade(new.target, arguments, { any: { optimizer }, functions: { factor } });
    super(optimizer);
    this.#factor = this.perGroup("factor", factor);
    this.apply();
  }

  at(epoch: number, base: number, group = 0): number {
    return base * this.#factor(group)(epoch);
  }

  override pivot(): null {
    return null;
  }
}

/** The rate of the epoch before times `factor` of the epoch, from 1 on. */
export class MultiplicativeLR extends Schedule {
  readonly #factor: (group: number) => (epoch: number) => number;
  /** By group: the last epoch, and the product of the factors up to it. */
  readonly #last: { readonly epoch: number; readonly product: number }[] = [];

  constructor(optimizer: object, factor: Factors) {
    checkMade(new.target, arguments, { any: { optimizer }, functions: { factor } });
    super(optimizer);
    this.#factor = this.perGroup("factor", factor);
    this.apply();
  }

  at(epoch: number, base: number, group = 0): number {
    const last = this.#last[group];
    let { epoch: known, product } =
      last !== undefined && last.epoch <= epoch ? last : { epoch: 0, product: 1 };
    while (known < epoch) product *= this.#factor(group)(++known);
    this.#last[group] = { epoch: known, product };
    return base * product;
  }
}

/** Multiplied by gamma every `stepSize` epochs. */
export class StepLR extends Schedule {
  readonly stepSize: number;
  readonly gamma: number;

  constructor(optimizer: object, stepSize: number, options: { readonly gamma?: number } = {}) {
    checkMade(new.target, arguments, { any: { optimizer }, positive: { stepSize } }, options, {
      gamma: "number",
    });
    super(optimizer);
    this.stepSize = stepSize;
    this.gamma = options.gamma ?? 0.1;
    this.apply();
  }

  at(epoch: number, base: number): number {
    return base * this.gamma ** Math.floor(epoch / this.stepSize);
  }
}

/** Multiplied by gamma at each of the milestones. */
export class MultiStepLR extends Schedule {
  readonly milestones: readonly number[];
  readonly gamma: number;

  constructor(optimizer: object, milestones: readonly number[], options: { readonly gamma?: number } = {}) {
    checkMade(new.target, arguments, { any: { optimizer }, places: { milestones } }, options, {
      gamma: "number",
    });
    super(optimizer);
    this.milestones = milestones;
    this.gamma = options.gamma ?? 0.1;
    this.apply();
  }

  at(epoch: number, base: number): number {
    return base * this.gamma ** this.milestones.filter((milestone) => milestone <= epoch).length;
  }
}

/** Multiplied by gamma every epoch. */
export class ExponentialLR extends Schedule {
  readonly gamma: number;

  constructor(optimizer: object, gamma: number) {
    checkMade(new.target, arguments, { any: { optimizer }, number: { gamma } });
    super(optimizer);
    this.gamma = gamma;
    this.apply();
  }

  at(epoch: number, base: number): number {
    return base * this.gamma ** epoch;
  }
}

/** `factor` times the first rate for `totalIters` epochs, and then the first rate. */
export class ConstantLR extends Schedule {
  readonly factor: number;
  readonly totalIters: number;

  constructor(optimizer: object, options: { readonly factor?: number; readonly totalIters?: number } = {}) {
    checkMade(new.target, arguments, { any: { optimizer } }, options, {
      factor: "number",
      totalIters: "count",
    });
    super(optimizer);
    const { factor = 1 / 3, totalIters = 5 } = options;
    this.factor = factor;
    this.totalIters = totalIters;
    this.apply();
  }

  at(epoch: number, base: number): number {
    return epoch < this.totalIters ? base * this.factor : base;
  }
}

export interface LinearLROptions {
  /** Default 1/3. */
  readonly startFactor?: number;
  /** Default 1. */
  readonly endFactor?: number;
  /** Default 5. */
  readonly totalIters?: number;
}

const linearKinds: Kinds<LinearLROptions> = {
  ...{ startFactor: "number", endFactor: "number", totalIters: "positive" },
};

/** From `startFactor` to `endFactor` times the first rate within `totalIters` epochs: a warm-up. */
export class LinearLR extends Schedule {
  readonly startFactor: number;
  readonly endFactor: number;
  readonly totalIters: number;

  constructor(optimizer: object, options: LinearLROptions = {}) {
    checkMade(new.target, arguments, { any: { optimizer } }, options, linearKinds);
    const { startFactor = 1 / 3, endFactor = 1, totalIters = 5 } = options;
    super(optimizer);
    if (!(startFactor > 0 && startFactor <= 1))
      throw trimmed(
        new RangeError(
          `LinearLR: starting multiplicative factor expected to be greater than 0 and less or equal to 1 (got ${String(startFactor)})`,
        ),
        new.target,
      );
    if (!(endFactor >= 0 && endFactor <= 1))
      throw trimmed(
        new RangeError(
          `LinearLR: ending multiplicative factor expected to be between 0 and 1 (got ${String(endFactor)})`,
        ),
        new.target,
      );
    this.startFactor = startFactor;
    this.endFactor = endFactor;
    this.totalIters = totalIters;
    this.apply();
  }

  at(epoch: number, base: number): number {
    const { startFactor, endFactor, totalIters } = this;
    return base * (startFactor + ((endFactor - startFactor) * Math.min(epoch, totalIters)) / totalIters);
  }
}

/** From `high` to `low` along half a cosine, as `share` goes from 0 to 1. */
const cosine = (high: number, low: number, share: number): number =>
  low + ((high - low) * (1 + Math.cos(Math.PI * share))) / 2;

/** From the first rate to `etaMin` (0) along half a cosine within `tMax` epochs, and back again. */
export class CosineAnnealingLR extends Schedule {
  readonly tMax: number;
  readonly etaMin: number;

  constructor(optimizer: object, tMax: number, options: { readonly etaMin?: number } = {}) {
    checkMade(new.target, arguments, { any: { optimizer }, positive: { tMax } }, options, {
      etaMin: "number",
    });
    super(optimizer);
    this.tMax = tMax;
    this.etaMin = options.etaMin ?? 0;
    this.apply();
  }

  at(epoch: number, base: number): number {
    return cosine(base, this.etaMin, epoch / this.tMax);
  }

  override pivot(): number {
    return this.etaMin;
  }
}

export interface WarmRestartsOptions {
  /** How many times as long each round is as the one before. Default 1. */
  readonly tMult?: number;
  /** Default 0. */
  readonly etaMin?: number;
}

/** Rounds along half a cosine, each from the first rate on; the first has `t0` epochs (Loshchilov and Hutter, 2017). */
export class CosineAnnealingWarmRestarts extends Schedule {
  readonly t0: number;
  readonly tMult: number;
  readonly etaMin: number;

  constructor(optimizer: object, t0: number, options: WarmRestartsOptions = {}) {
    checkMade(new.target, arguments, { any: { optimizer }, positive: { t0 } }, options, {
      tMult: "positive",
      etaMin: "number",
    });
    super(optimizer);
    this.t0 = t0;
    this.tMult = options.tMult ?? 1;
    this.etaMin = options.etaMin ?? 0;
    this.apply();
  }

  at(epoch: number, base: number): number {
    let [begin, length] = [0, this.t0];
    if (this.tMult === 1) begin = Math.floor(epoch / length) * length;
    else
      while (epoch >= begin + length) {
        begin += length;
        length *= this.tMult;
      }
    return cosine(base, this.etaMin, (epoch - begin) / length);
  }

  override pivot(): null {
    return null;
  }
}

/** From the first rate to 0 within `totalIters` epochs: times a power of the part of the epochs that is left. */
export class PolynomialLR extends Schedule {
  readonly totalIters: number;
  readonly power: number;

  constructor(optimizer: object, options: { readonly totalIters?: number; readonly power?: number } = {}) {
    checkMade(new.target, arguments, { any: { optimizer } }, options, {
      totalIters: "positive",
      power: "number",
    });
    super(optimizer);
    this.totalIters = options.totalIters ?? 5;
    this.power = options.power ?? 1;
    this.apply();
  }

  at(epoch: number, base: number): number {
    return base * (1 - Math.min(epoch, this.totalIters) / this.totalIters) ** this.power;
  }
}

/** @throws TypeError for no schedules, for what is no schedule, and for those of another optimizer than `beside`'s. */
function checkSchedules(made: Made, schedules: readonly Schedule[], beside: Schedule | undefined): void {
  const { name } = made;
  if (schedules.length === 0) throw trimmed(new TypeError(`${name}: expects at least one schedule`), made);
  for (const [k, schedule] of schedules.entries()) {
    if (!(schedule instanceof Schedule))
      throw trimmed(
        new TypeError(`${name}: schedules[${k}] must be a Schedule, but got ${showArgument(schedule)}`),
        made,
      );
    if (!schedule.isBeside(beside as Schedule))
      throw trimmed(
        new TypeError(
          `${name}: expects all schedulers to belong to the same optimizer, but schedules[${k}] is of another`,
        ),
        made,
      );
  }
}

/** One schedule after another; each begins at its milestone. */
export class SequentialLR extends Schedule {
  readonly #schedules: readonly Schedule[];
  readonly milestones: readonly number[];

  constructor(optimizer: object, schedules: readonly Schedule[], milestones: readonly number[]) {
    checkMade(new.target, arguments, { any: { optimizer }, list: { schedules }, places: { milestones } });
    super(optimizer);
    checkSchedules(new.target, schedules, this);
    if (milestones.length !== schedules.length - 1)
      throw trimmed(
        new RangeError(
          `SequentialLR: expects number of schedulers provided to be one more than the number of milestone points, but got number of schedulers ${schedules.length} and the number of milestones to be equal to ${milestones.length}`,
        ),
        new.target,
      );
    for (const schedule of schedules) schedule.release();
    this.#schedules = schedules;
    this.milestones = milestones;
    this.apply();
  }

  at(epoch: number, base: number, group = 0): number {
    const passed = this.#passedAt(epoch);
    const [schedule, start] = [this.#schedules[passed]!, this.milestones[passed - 1] ?? 0];
    // Factors of the rate before go on from the one that the last schedule left.
    const goesOn = schedule instanceof MultiplicativeLR && start > 0;
    return schedule.at(epoch - start, goesOn ? this.at(start - 1, base, group) : base, group);
  }

  override pivot(group: number): number | null {
    if (this.milestones.includes(this.lastEpoch)) return null;
    return this.#schedules[this.#passedAt(this.lastEpoch)]!.pivot(group);
  }

  #passedAt(epoch: number): number {
    return this.milestones.filter((milestone) => milestone <= epoch).length;
  }
}

/** Several schedules of one optimizer as one; their factors are multiplied. Source: torch.optim.lr_scheduler.ChainedScheduler. */
export class ChainedScheduler {
  protected static readonly takes: Takes = {
    step: "",
    getLastLr: "",
    stateDict: "",
    loadStateDict: "state: record",
  };
  readonly #schedules: readonly Schedule[];

  /** @throws TypeError for no schedules, and for those of several optimizers. */
  constructor(schedules: readonly Schedule[]) {
    checkMade(new.target, arguments, { list: { schedules } });
    checkSchedules(new.target, schedules, schedules[0]);
    checkMethods(new.target);
    this.#schedules = [...schedules];
  }

  step(): void {
    for (const schedule of this.#schedules) schedule.step();
  }

  getLastLr(): number[] {
    return this.#schedules[0]!.getLastLr();
  }

  stateDict(): { readonly schedules: readonly ScheduleState[] } {
    return { schedules: this.#schedules.map((schedule) => schedule.stateDict()) };
  }

  loadStateDict({ schedules }: { readonly schedules: readonly ScheduleState[] }): void {
    checkKind("loadStateDict", "schedules", schedules, "list");
    if (schedules.length !== this.#schedules.length)
      throw new RangeError(
        `loadStateDict: has the state of ${schedules.length} schedules, and there are ${this.#schedules.length}`,
      );
    for (const [k, schedule] of this.#schedules.entries()) schedule.loadStateDict(schedules[k]!);
  }
}
