/** Limited-memory BFGS. Source: Nocedal and Wright, Numerical Optimization, algorithms 7.4 and 7.5; options are those of torch.optim.LBFGS. */
import { showArgument } from "@fuseau/ir";
import { checkKind } from "../entry/kinds.ts";
import type { Takes } from "../entry/methods.ts";
import { callGiven } from "../entry/operation.ts";
import { type AnyTensor, autograd, concat, enableGrad, noGrad, stack, Tensor, zerosLike } from "../js.ts";
import { trimmed } from "../messages/stack.ts";
import { checkRanges } from "./check.ts";
import { strongWolfe } from "./line-search.ts";
import {
  type Floating,
  Optimizer,
  type OptimizerState,
  type Params,
  type State,
  steppedOnce,
  warnOfNoGradient,
} from "./optimizer.ts";

export interface LBFGSOptions {
  /** The length of a step. Default 1. */
  lr: number;
  /** Iterations in one step. Default 20. */
  maxIter: number;
  /** Evaluations of the loss in one step. Default 1.25 · maxIter. */
  maxEval: number | null;
  /** A step ends when no element of the gradient is larger. Default 1e-7. */
  toleranceGrad: number;
  /** A step ends when neither the loss nor the parameters change by more. Default 1e-9. */
  toleranceChange: number;
  /** How many iterations the curvature is remembered. Default 100. */
  historySize: number;
  /** Searches for a length of step that meets the strong Wolfe conditions, under PyTorch's name or ours; null takes `lr` as it is. */
  lineSearchFn: "strong_wolfe" | "strongWolfe" | null;
}

const defaults: LBFGSOptions = {
  lr: 1,
  maxIter: 20,
  maxEval: null,
  toleranceGrad: 1e-7,
  toleranceChange: 1e-9,
  historySize: 100,
  lineSearchFn: null,
};

/** A change of the parameters, the change of the gradient with it, and 1 / (their product). */
interface Curvature {
  readonly step: AnyTensor;
  readonly change: AnyTensor;
  readonly weight: number;
}

/** A quasi-Newton method that remembers the last steps (Nocedal, 1980). It compares losses, so a step reads numbers. It needs a closure, and has one group of parameters. */
export class LBFGS extends Optimizer<LBFGSOptions> {
  protected static override readonly takes: Takes = {
    step: "closure",
    stateDict: "",
    loadStateDict: "state: record",
  };
  #history: Curvature[] = [];
  #direction: AnyTensor | null = null;
  #gradient: AnyTensor | null = null;
  #scale = 1;
  #length = 0;
  #iterations = 0;

  constructor(params: Params<LBFGSOptions>, options: Partial<LBFGSOptions> = {}) {
    super(params, defaults, options, arguments);
    if (this.paramGroups.length !== 1)
      throw trimmed(
        new TypeError("LBFGS: doesn't support per-parameter options (parameter groups)"),
        new.target,
      );
  }

  protected override check({ lineSearchFn, maxEval, ...numbers }: LBFGSOptions): void {
    checkRanges(this, numbers);
    checkKind("LBFGS", "maxEval", maxEval, "positive?");
    if (lineSearchFn !== null && lineSearchFn !== "strong_wolfe" && lineSearchFn !== "strongWolfe")
      throw new TypeError(
        `LBFGS: only "strong_wolfe" is supported as lineSearchFn, not ${String(lineSearchFn)} (null is none)`,
      );
  }

  protected begin(): State {
    return {};
  }

  /** All parameters are moved together. */
  protected update(): void {}

  /** The state of all parameters is kept with the first one. The history is in the rows of `oldStps` and `oldDirs`, the latest last. */
  override stateDict(): OptimizerState<LBFGSOptions> {
    const { paramGroups } = super.stateDict();
    if (this.#direction === null || this.#gradient === null) return { state: {}, paramGroups };
    const rows = (part: "step" | "change"): AnyTensor =>
      noGrad(() => stack([...this.#history.map((known) => known[part])]).compute());
    const history = this.#history.length === 0 ? {} : { oldStps: rows("step"), oldDirs: rows("change") };
    const numbers = { nIter: this.#iterations, t: this.#length, hDiag: this.#scale };
    const own = { ...numbers, d: this.#direction, prevFlatGrad: this.#gradient, ...history };
    return { state: { [paramGroups[0]!.params[0]!]: own }, paramGroups };
  }

  override loadStateDict({ state, paramGroups }: OptimizerState<LBFGSOptions>): void {
    super.loadStateDict({ state: {}, paramGroups });
    const own = state[paramGroups[0]!.params[0]!] ?? {};
    const { nIter = 0, t = 0, hDiag = 1, d = null, prevFlatGrad = null, oldStps, oldDirs } = own;
    const copied = (x: AnyTensor | number | null): AnyTensor | null =>
      x instanceof Tensor ? noGrad(() => x.clone().compute()) : null;
    const rows = (x: AnyTensor | number | undefined): AnyTensor[] =>
      x instanceof Tensor ? [...x].map((row) => copied(row)!) : [];
    this.#iterations = Number(nIter);
    this.#length = Number(t);
    this.#scale = Number(hDiag);
    this.#direction = copied(d);
    this.#gradient = copied(prevFlatGrad);
    const changes = rows(oldDirs);
    this.#history = rows(oldStps).map((step, k) => {
      const change = changes[k]!;
      return { step, change, weight: 1 / dot(change, step) };
    });
  }

  override step(): void;
  override step<L>(closure: () => L): L;
  override step<L>(closure?: () => L): L {
    if (typeof closure !== "function")
      throw new TypeError(
        `LBFGS needs a closure that computes the loss again and runs it backward, as in step(() => { … }), but got ${showArgument(closure)}`,
      );
    let first: { readonly loss: L } | undefined;
    steppedOnce.add(this);
    const evaluate = (): Evaluation => {
      const loss = enableGrad(() => callGiven(closure, []));
      first ??= { loss };
      if (this.#parameters().every(({ grad }) => grad === null)) warnOfNoGradient(this);
      return noGrad(() => {
        const gradient = this.#gathered();
        autograd.computeUpdate([gradient]);
        return { loss: numberOf(loss), gradient };
      });
    };
    this.#minimise(evaluate, this.paramGroups[0]!);
    return (first as { readonly loss: L } | undefined)!.loss;
  }

  #minimise(evaluate: () => Evaluation, options: LBFGSOptions): void {
    const { lr, maxIter, toleranceGrad, toleranceChange, lineSearchFn } = options;
    const most = options.maxEval ?? Math.floor((maxIter * 5) / 4);
    let now = evaluate();
    let evaluations = 1;
    if (largest(now.gradient) <= toleranceGrad) return;
    for (let iteration = 1; iteration <= maxIter; iteration++) {
      const direction = this.#turn(now.gradient, options.historySize);
      this.#gradient = now.gradient;
      const slope = dot(now.gradient, direction);
      if (slope > -toleranceChange) return;
      const start = this.#iterations === 1 ? Math.min(1, 1 / absoluteSum(now.gradient)) * lr : lr;
      const before = now.loss;
      if (lineSearchFn !== null) {
        const origin = this.#parameters().map((item) => noGrad(() => item.clone().compute()));
        const at = (length: number): { readonly loss: number; readonly slope: number; found: Evaluation } => {
          this.#move(direction, length, origin);
          const found = evaluate();
          return { loss: found.loss, slope: dot(found.gradient, direction), found };
        };
        const from = { loss: now.loss, slope, found: now };
        const search = strongWolfe(at, start, from, largest(direction), toleranceChange);
        this.#move(direction, search.length, origin);
        this.#length = search.length;
        now = search.point.found;
        evaluations += search.evaluations;
      } else {
        this.#move(direction, start);
        this.#length = start;
        if (iteration < maxIter) {
          now = evaluate();
          evaluations++;
        }
      }
      if (
        evaluations >= most ||
        largest(now.gradient) <= toleranceGrad ||
        largest(direction) * this.#length <= toleranceChange ||
        Math.abs(now.loss - before) < toleranceChange
      )
        return;
    }
  }

  /** The direction of the next step: −H·gradient, where H approximates the inverse of the Hessian, from the history. */
  #turn(gradient: AnyTensor, historySize: number): AnyTensor {
    this.#iterations++;
    return noGrad(() => {
      if (this.#direction !== null && this.#gradient !== null) {
        const change = gradient.sub(this.#gradient).compute();
        const step = this.#direction.mul(this.#length).compute();
        const product = dot(change, step);
        if (product > 1e-10) {
          if (this.#history.length === historySize) this.#history.shift();
          this.#history.push({ step, change, weight: 1 / product });
          this.#scale = product / dot(change, change);
        }
      }
      let direction: AnyTensor = gradient.neg();
      const shares: number[] = [];
      for (let k = this.#history.length - 1; k >= 0; k--) {
        const { step, change, weight } = this.#history[k]!;
        const share = weight * dot(step, direction);
        shares[k] = share;
        direction = direction.add(change, { alpha: -share });
      }
      direction = direction.mul(this.#scale);
      for (const [k, { step, change, weight }] of this.#history.entries())
        direction = direction.add(step, { alpha: shares[k]! - weight * dot(change, direction) });
      this.#direction = direction.compute();
      return this.#direction;
    });
  }

  #parameters(): Floating[] {
    return this.paramGroups[0]!.params;
  }

  /** All gradients as one list; zeros where there is none. */
  #gathered(): AnyTensor {
    return concat(
      this.#parameters().map((item) => (item.grad ?? zerosLike(item)).detach().reshape([-1])),
      0,
    );
  }

  /** Moves the parameters by `length` along the direction: from `origin`, or from where they are. */
  #move(direction: AnyTensor, length: number, origin?: readonly AnyTensor[]): void {
    noGrad(() => {
      let begin = 0;
      for (const [k, item] of this.#parameters().entries()) {
        const own = direction.slice([begin, begin + item.numel()]).reshape([...item.shape]);
        item.copy_((origin?.[k] ?? item).add(own, { alpha: length }));
        begin += item.numel();
      }
      autograd.computeUpdate(this.#parameters());
    });
  }
}

interface Evaluation {
  readonly loss: number;
  readonly gradient: AnyTensor;
}

function numberOf(loss: unknown): number {
  if (typeof loss === "number") return loss;
  if (loss instanceof Tensor) return Number(loss.item());
  throw new TypeError(
    `the closure must return the loss, a tensor or a number, but returned ${showArgument(loss)}`,
  );
}

const dot = (a: AnyTensor, b: AnyTensor): number => noGrad(() => Number(a.mul(b).sum().item()));
const largest = (x: AnyTensor): number => noGrad(() => Number(x.abs().max().item()));
const absoluteSum = (x: AnyTensor): number => noGrad(() => Number(x.abs().sum().item()));
