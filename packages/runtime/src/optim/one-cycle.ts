/**
 * A rate that goes up once and then far down, over a whole training. Source: torch.optim.lr_scheduler.OneCycleLR (Smith and Topin, 2019).
 */

import type { Kinds } from "../entry/kinds.ts";
import { checkMade } from "../entry/made.ts";
import type { Takes } from "../entry/methods.ts";
import { trimmed } from "../messages/stack.ts";
import { setMomentum } from "./momentum.ts";
import { type PerGroup, Schedule } from "./schedule.ts";

export interface OneCycleLROptions {
  /** The number of steps; or epochs · stepsPerEpoch, if these are given instead. */
  readonly totalSteps?: number | null;
  readonly epochs?: number | null;
  readonly stepsPerEpoch?: number | null;
  /** The part of the steps in which it goes up. Default 0.3. */
  readonly pctStart?: number;
  /** Along a cosine (the default) or a line. */
  readonly annealStrategy?: "cos" | "linear";
  /** It begins with maxLr / divFactor. Default 25. */
  readonly divFactor?: number;
  /** It ends with the first rate / finalDivFactor. Default 1e4. */
  readonly finalDivFactor?: number;
  /** Comes down to the first rate in as many steps as it goes up, and to the last one in those that are left. Default false. */
  readonly threePhase?: boolean;
  /** Moves momentum, or Adam's first beta, in the opposite direction. Default true. */
  readonly cycleMomentum?: boolean;
  /** Default 0.85. */
  readonly baseMomentum?: number;
  /** Default 0.95. */
  readonly maxMomentum?: number;
}

const kinds: Kinds<OneCycleLROptions> = {
  ...{ totalSteps: "positive?", epochs: "positive?", stepsPerEpoch: "positive?" },
  ...{ pctStart: "share", annealStrategy: ["cos", "linear"] },
  ...{ divFactor: "number", finalDivFactor: "number", threePhase: "flag" },
  ...{ cycleMomentum: "flag", baseMomentum: "number", maxMomentum: "number" },
};

/** Rates that rise to `maxLr` and fall far below where they began, once (Smith and Topin, 2019). Call its {@link step} after every step of the optimizer. */
export class OneCycleLR extends Schedule {
  protected static override readonly takes: Takes = { step: "" };
  readonly maxLr: PerGroup<number>;
  readonly #highest: (group: number) => number;
  readonly #options: Required<Omit<OneCycleLROptions, "epochs" | "stepsPerEpoch">> & {
    readonly totalSteps: number;
  };

  constructor(optimizer: object, maxLr: PerGroup<number>, options: OneCycleLROptions) {
    checkMade(new.target, arguments, { any: { optimizer }, numbers: { maxLr } }, options ?? {}, kinds);
    const { totalSteps, epochs, stepsPerEpoch, ...rest } = options ?? {};
    const steps = totalSteps ?? (epochs && stepsPerEpoch && epochs * stepsPerEpoch);
    if (steps == null)
      throw trimmed(
        new TypeError(
          "OneCycleLR: You must define either totalSteps OR (epochs AND stepsPerEpoch), e.g. { totalSteps: 100 }",
        ),
        new.target,
      );
    super(optimizer);
    this.maxLr = maxLr;
    this.#highest = this.perGroup("maxLr", maxLr);
    this.#options = {
      pctStart: 0.3,
      annealStrategy: "cos",
      divFactor: 25,
      finalDivFactor: 1e4,
      threePhase: false,
      cycleMomentum: true,
      baseMomentum: 0.85,
      maxMomentum: 0.95,
      ...rest,
      totalSteps: steps,
    };
    this.apply();
  }

  at(epoch: number, _base?: number, group = 0): number {
    const highest = this.#highest(group);
    const first = highest / this.#options.divFactor;
    return this.#between(epoch, first, highest, first / this.#options.finalDivFactor);
  }

  override pivot(): null {
    return null;
  }

  /** @throws RangeError after more steps than there are. */
  override step(): void {
    if (this.lastEpoch + 1 > this.#options.totalSteps)
      throw new RangeError(
        `Tried to step ${this.lastEpoch + 1} times. The specified number of total steps is ${this.#options.totalSteps}`,
      );
    super.step();
  }

  protected override apply(): void {
    const { cycleMomentum, baseMomentum, maxMomentum } = this.#options;
    const momentum = this.#between(this.lastEpoch, maxMomentum, baseMomentum, maxMomentum);
    if (cycleMomentum) for (const group of this.optimizer.paramGroups) setMomentum(this, group, momentum);
    super.apply();
  }

  #between(epoch: number, first: number, middle: number, last: number): number {
    const { totalSteps, pctStart, annealStrategy, threePhase } = this.#options;
    const top = pctStart * totalSteps - 1;
    const end = totalSteps - 1;
    const phases = threePhase
      ? [
          { until: top, to: middle },
          { until: 2 * pctStart * totalSteps - 2, to: first },
          { until: end, to: last },
        ]
      : [
          { until: top, to: middle },
          { until: end, to: last },
        ];
    const k = phases.findIndex(({ until }, place) => epoch <= until || place === phases.length - 1);
    const { until, to } = phases[k]!;
    const { until: begin, to: from } = phases[k - 1] ?? { until: 0, to: first };
    const share = (epoch - begin) / (until - begin);
    if (annealStrategy === "linear") return from + (to - from) * share;
    return to + ((from - to) / 2) * (1 + Math.cos(Math.PI * share));
  }
}
