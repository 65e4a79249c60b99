/** The rate of stochastic weight averaging. Source: torch.optim.swa_utils.SWALR. */
import { checkMade } from "../entry/made.ts";
import { type PerGroup, Schedule } from "./schedule.ts";

export interface SWALROptions {
  /** How many epochs it takes to reach `swaLr`. Default 10. */
  readonly annealEpochs?: number;
  /** Default "cos". */
  readonly annealStrategy?: "cos" | "linear";
}

/**
 * From the rate that there is to `swaLr`, where it stays. Beside another schedule of the same optimizer it goes on from that one's rate: call
 * `step` of the other until averaging begins, and of this from then on.
 */
export class SWALR extends Schedule {
  readonly annealEpochs: number;
  readonly annealStrategy: "cos" | "linear";
  readonly #swaLr: (group: number) => number;

  /** @throws RangeError unless `swaLr` is one number, or one for each group. */
  constructor(optimizer: object, swaLr: PerGroup<number>, options: SWALROptions = {}) {
    checkMade(new.target, arguments, { any: { optimizer }, numbers: { swaLr } }, options, {
      annealEpochs: "count",
      annealStrategy: ["cos", "linear"],
    });
    super(optimizer);
    this.annealEpochs = options.annealEpochs ?? 10;
    this.annealStrategy = options.annealStrategy ?? "cos";
    this.#swaLr = this.perGroup("swaLr", swaLr);
    this.apply();
  }

  override pivot(group: number): number {
    return this.#swaLr(group);
  }

  at(epoch: number, base: number, group = 0): number {
    return this.onto(base, epoch, base, group);
  }

  override onto(rate: number, epoch: number, _base: number, group: number): number {
    const t = this.annealEpochs === 0 ? 1 : Math.min(1, epoch / this.annealEpochs);
    const alpha = this.annealStrategy === "linear" ? t : (1 - Math.cos(Math.PI * t)) / 2;
    return this.#swaLr(group) * alpha + rate * (1 - alpha);
  }
}
