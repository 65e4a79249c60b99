/** Averages of a model's parameters over training. Source: torch.optim.swa_utils.AveragedModel, update_bn. */
import { declareFunction } from "../declare/declaration.ts";
import { checkMade } from "../entry/made.ts";
import type { Takes } from "../entry/methods.ts";
import { callGiven } from "../entry/operation.ts";
import { type AnyTensor, compute, noGrad, ShapeError, type Tensor, where, zeros } from "../js.ts";
import { atCaller, trimmed } from "../messages/stack.ts";
import { checkModule, checkModules, Module } from "./module.ts";
import { BatchNorm } from "./normalization.ts";
import { buffer } from "./parameter.ts";

/** The next average, of the present one, the model's parameter and how many were averaged before. */
export type AverageFn = (average: AnyTensor, current: AnyTensor, numAveraged: AnyTensor) => AnyTensor;

export interface AveragedModelOptions {
  /** Default: the mean of all. `(average, current) => average.lerp(current, 0.01)` is an exponential average. */
  readonly avgFn?: AverageFn;
  /** Averages buffers too. Default false. */
  readonly useBuffers?: boolean;
}

const meanOfAll: AverageFn = (average, current, count) => average.add(current.sub(average).div(count.add(1)));

/**
 * A model whose parameters are averages of another's. `module` is a second model of the same structure, in the place of PyTorch's deep copy:
 * it gets the parameters and buffers of `model`, and `forward` is its own.
 */
export class AveragedModel<M extends Module = Module> extends Module {
  protected static override readonly takes: Takes = { updateParameters: "model: any", forward: "...inputs" };
  readonly nAveraged: AnyTensor;
  readonly module: M;
  readonly #options: AveragedModelOptions;

  /** @throws as {@link Module.loadStateDict} does, when the two are not of one structure; TypeError when they are one. */
  constructor(model: M, module: M, options: AveragedModelOptions = {}) {
    checkModules(new.target, "models", [model, module]);
    checkMade(new.target, arguments, { any: { model, module } }, options, {
      avgFn: "function",
      useBuffers: "flag",
    });
    if ((model as Module) === module)
      throw trimmed(
        new TypeError(
          `${new.target.name}: module must be a second model, which is written over; it is the model itself`,
        ),
        new.target,
      );
    super();
    atCaller(new.target, () => module.loadStateDict(model.stateDict()));
    this.nAveraged = buffer(zeros([], { dtype: "int64" }) as AnyTensor);
    this.module = module;
    this.#options = options;
    this.keepFields();
  }

  forward(...inputs: Parameters<M["forward"]>): ReturnType<M["forward"]> {
    return this.module.forward(...inputs) as ReturnType<M["forward"]>;
  }

  /**
   * Takes the present parameters of `model` into the averages; at the first call they become its parameters. Buffers are the model's, unless
   * `useBuffers` says that they are averaged. All are computed at once, by one program for every call.
   * @throws ShapeError when the parameters are others.
   */
  updateParameters(model: Module): void {
    checkModule("model", model);
    const { avgFn = meanOfAll, useBuffers = false } = this.#options;
    const listed = (of: Module): readonly AnyTensor[] => [...of.parameters(), ...of.buffers()];
    const [own, given] = [listed(this.module), listed(model)];
    const shapes = (list: readonly AnyTensor[]): string => list.map(({ shape }) => `[${shape}]`).join(" ");
    if (shapes(own) !== shapes(given))
      throw new ShapeError(
        `the model has parameters and buffers ${shapes(given)}, and the averages are ${shapes(own)}`,
      );
    const averaged = useBuffers ? own.length : this.module.parameters().length;
    const count = this.nAveraged;
    noGrad(() => {
      for (const [k, average] of own.entries()) {
        const current = given[k]!.detach() as AnyTensor;
        const next =
          k < averaged ? callGiven(avgFn, [average.detach() as AnyTensor, current, count]) : current;
        average.copy_(where(count.eq(0), current, next));
      }
      count.add_(1);
    });
    compute(...own, count);
  }
}

const setMomentum = (norm: BatchNorm, momentum: number | null): void =>
  void Object.assign(norm, { momentum });

/**
 * Computes the running averages of batch norm anew, as means over all batches of `loader`: averaged parameters have others. A batch is the
 * input of `model`, or a list that begins with it.
 */
export const updateBn = declareFunction(
  "updateBn(loader: iterable, model: any)",
  (loader: Iterable<Tensor | readonly [Tensor, ...unknown[]]>, model: Module): void => {
    checkModule("model", model);
    const norms = model
      .modules()
      .filter((module) => module instanceof BatchNorm && module.runningMean !== null) as BatchNorm[];
    if (norms.length === 0) return;
    const [momenta, { training }] = [norms.map(({ momentum }) => momentum), model];
    try {
      model.train();
      for (const norm of norms) {
        norm.resetRunningStats();
        setMomentum(norm, null);
      }
      noGrad(() => {
        for (const batch of loader) {
          (model as Module & { forward(x: unknown): unknown }).forward(
            Array.isArray(batch) ? batch[0] : batch,
          );
          compute(...norms.flatMap((norm) => [norm.runningMean!, norm.runningVar!, norm.numBatchesTracked!]));
        }
      });
    } finally {
      for (const [k, norm] of norms.entries()) setMomentum(norm, momenta[k]!);
      model.train(training);
    }
  },
);
