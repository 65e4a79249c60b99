/** A rate that goes up and down between two bounds. Source: torch.optim.lr_scheduler.CyclicLR (Smith, 2017). */
import type { Kinds } from "../entry/kinds.ts";
import { checkMade } from "../entry/made.ts";
import { setMomentum } from "./momentum.ts";
import { type PerGroup, Schedule } from "./schedule.ts";

export interface CyclicLROptions {
  /** How many steps it goes up. Default 2000. */
  readonly stepSizeUp?: number;
  /** How many steps it goes down. Default: as many as up. */
  readonly stepSizeDown?: number | null;
  /**
   * The heights of cycles: all equal ("triangular", the default), each half of the last ("triangular2"), or times `gamma` to the number of
   * the step ("exp_range", or "expRange").
   */
  readonly mode?: "triangular" | "triangular2" | "exp_range" | "expRange";
  /** Default 1. */
  readonly gamma?: number;
  /** The height of a cycle relative to the first, from its number (1 is the first), instead of `mode`. */
  readonly scaleFn?: ((count: number) => number) | null;
  /** Whether `scaleFn` gets the number of the cycle ("cycle", the default) or that of the step, from 0 on ("iterations"). */
  readonly scaleMode?: "cycle" | "iterations";
  /** Moves momentum, or Adam's first beta, in the opposite direction. Default true. */
  readonly cycleMomentum?: boolean;
  /** Default 0.8. */
  readonly baseMomentum?: PerGroup<number>;
  /** Default 0.9. */
  readonly maxMomentum?: PerGroup<number>;
}

const kinds: Kinds<CyclicLROptions> = {
  ...{ stepSizeUp: "positive", stepSizeDown: "positive?" },
  ...{ mode: ["triangular", "triangular2", "exp_range", "expRange"], gamma: "number" },
  ...{ scaleFn: "function?", scaleMode: ["cycle", "iterations"] },
  ...{ cycleMomentum: "flag", baseMomentum: "numbers", maxMomentum: "numbers" },
};

type Bounds = readonly [low: (group: number) => number, high: (group: number) => number];

/** Rates that go up and down between two bounds (Smith, 2017). Call its {@link step} after every step of the optimizer. Bounds are one for all groups, or a list with one for each. */
export class CyclicLR extends Schedule {
  readonly #rates: Bounds;
  readonly #momenta: Bounds | null;
  readonly #height: (epoch: number) => number;

  /** @throws TypeError for an optimizer without momentum, unless `cycleMomentum` is false. */
  constructor(
    optimizer: object,
    baseLr: PerGroup<number>,
    maxLr: PerGroup<number>,
    options: CyclicLROptions = {},
  ) {
    checkMade(new.target, arguments, { any: { optimizer }, numbers: { baseLr, maxLr } }, options, kinds);
    super(optimizer);
    const { stepSizeUp = 2000, mode = "triangular", gamma = 1, scaleMode = "cycle" } = options;
    const { cycleMomentum = true, baseMomentum = 0.8, maxMomentum = 0.9 } = options;
    this.#rates = [this.perGroup("baseLr", baseLr), this.perGroup("maxLr", maxLr)];
    this.#momenta = cycleMomentum
      ? [this.perGroup("baseMomentum", baseMomentum), this.perGroup("maxMomentum", maxMomentum)]
      : null;
    const total = stepSizeUp + (options.stepSizeDown ?? stepSizeUp);
    const top = stepSizeUp / total;
    const scale = options.scaleFn ?? scales[mode](gamma);
    const isByStep = options.scaleFn ? scaleMode === "iterations" : scales[mode] === byStep;
    this.#height = (epoch) => {
      const cycle = Math.floor(1 + epoch / total);
      const place = 1 + epoch / total - cycle;
      return (place <= top ? place / top : (place - 1) / (top - 1)) * scale(isByStep ? epoch : cycle);
    };
    this.apply();
  }

  at(epoch: number, _base?: number, group = 0): number {
    const [low, high] = this.#rates;
    return low(group) + (high(group) - low(group)) * this.#height(epoch);
  }

  override pivot(): null {
    return null;
  }

  protected override apply(): void {
    if (this.#momenta !== null) {
      const [low, high] = this.#momenta;
      const height = this.#height(this.lastEpoch);
      for (const [k, group] of this.optimizer.paramGroups.entries())
        setMomentum(this, group, high(k) - (high(k) - low(k)) * height);
    }
    super.apply();
  }
}

const byStep = (gamma: number) => (step: number) => gamma ** step;

/** The relative height of a cycle, by its number or by that of the step. */
const scales = {
  triangular: () => () => 1,
  triangular2: () => (cycle: number) => 1 / 2 ** (cycle - 1),
  exp_range: byStep,
  expRange: byStep,
};
