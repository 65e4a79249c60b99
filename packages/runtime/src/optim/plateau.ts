/** A rate that falls when a metric does not improve. Source: torch.optim.lr_scheduler.ReduceLROnPlateau. */

import { checkKind, type Kinds } from "../entry/kinds.ts";
import { checkMade } from "../entry/made.ts";
import { checkMethods, type Takes } from "../entry/methods.ts";
import { type AnyTensor, scalarTensor, Tensor } from "../js.ts";
import { trimmed } from "../messages/stack.ts";
import { checkOptimizer, type PerGroup, perGroup, type Rated } from "./schedule.ts";

export interface PlateauOptions {
  /** Whether less is better ("min", the default) or more ("max"). */
  readonly mode?: "min" | "max";
  /** The rate is multiplied by it. Default 0.1. */
  readonly factor?: number;
  /** How many epochs without improvement are allowed before it falls. Default 10. */
  readonly patience?: number;
  /** The least improvement. Default 1e-4. */
  readonly threshold?: number;
  /** Whether the threshold is relative to the best so far ("rel", the default), or absolute ("abs"). */
  readonly thresholdMode?: "rel" | "abs";
  /** Epochs after a fall in which none is counted. Default 0. */
  readonly cooldown?: number;
  /** The least rate: one for all groups, or one for each. Default 0. */
  readonly minLr?: PerGroup<number>;
  /** Smaller changes of the rate are not made. Default 1e-8. */
  readonly eps?: number;
}

const kinds: Kinds<PlateauOptions> = {
  ...{ mode: ["min", "max"], factor: "number", patience: "count", threshold: "number" },
  ...{ thresholdMode: ["rel", "abs"], cooldown: "count", minLr: "numbers", eps: "number" },
};

export interface PlateauState {
  readonly best: number;
  readonly badEpochs: number;
  readonly cooling: number;
}

/** Multiplies rates by `factor` when a metric has not become better for `patience` epochs: call {@link step} with that of the epoch. */
export class ReduceLROnPlateau {
  protected static readonly takes: Takes = {
    step: "measured",
    getLastLr: "",
    stateDict: "",
    loadStateDict: "state: record",
  };
  readonly #optimizer: Rated;
  readonly #options: Required<PlateauOptions>;
  readonly #least: (group: number) => number;
  #state: PlateauState;

  /** @throws RangeError for a factor of 1 or more, and unless `minLr` has one rate for each group. */
  constructor(optimizer: object, options: PlateauOptions = {}) {
    checkMade(new.target, arguments, { any: { optimizer } }, options, kinds);
    checkOptimizer(new.target, optimizer);
    checkMethods(new.target);
    this.#optimizer = optimizer as Rated;
    this.#options = {
      mode: "min",
      factor: 0.1,
      patience: 10,
      threshold: 1e-4,
      thresholdMode: "rel",
      cooldown: 0,
      minLr: 0,
      eps: 1e-8,
      ...options,
    };
    if (!(this.#options.factor < 1))
      throw trimmed(new RangeError("ReduceLROnPlateau: Factor should be < 1.0"), new.target);
    this.#least = perGroup(new.target, this.#optimizer, "minLr", this.#options.minLr);
    const best = this.#options.mode === "min" ? Infinity : -Infinity;
    this.#state = { best, badEpochs: 0, cooling: 0 };
  }

  step(measured: number | AnyTensor): void {
    // Numbers are refused within a jitted function, as reading an element is: the recording would keep the first one for all calls.
    checkKind("step", "measured", measured, measured instanceof Tensor ? "tensor" : "number");
    const element = typeof measured === "number" ? scalarTensor(measured, { dtype: "float64" }) : measured;
    const value = Number(element.item());
    const { patience, cooldown } = this.#options;
    let { best, badEpochs, cooling } = this.#state;
    if (this.#isBetter(value, best)) {
      best = value;
      badEpochs = 0;
    } else badEpochs++;
    if (cooling > 0) {
      cooling--;
      badEpochs = 0;
    }
    if (badEpochs > patience) {
      this.#reduce();
      cooling = cooldown;
      badEpochs = 0;
    }
    this.#state = { best, badEpochs, cooling };
  }

  getLastLr(): number[] {
    return this.#optimizer.paramGroups.map(({ lr }) => lr);
  }

  stateDict(): PlateauState {
    return this.#state;
  }

  loadStateDict({ best, badEpochs, cooling }: PlateauState): void {
    for (const [name, value] of Object.entries({ best, badEpochs, cooling }))
      checkKind("loadStateDict", name, value, "number");
    this.#state = { best, badEpochs, cooling };
  }

  #isBetter(value: number, best: number): boolean {
    const { mode, threshold, thresholdMode } = this.#options;
    if (thresholdMode === "abs") return mode === "min" ? value < best - threshold : value > best + threshold;
    return mode === "min" ? value < best * (1 - threshold) : value > best * (1 + threshold);
  }

  #reduce(): void {
    const { factor, eps } = this.#options;
    for (const [k, group] of this.#optimizer.paramGroups.entries()) {
      const next = Math.max(group.lr * factor, this.#least(k));
      if (group.lr - next > eps) group.lr = next;
    }
  }
}
