/** fuseau/optim: optimizers that write parameters in place, with PyTorch's formulas. docs/training.md is the guide. */

export * from "./optim/adadelta.ts";
export * from "./optim/adagrad.ts";
export * from "./optim/adam.ts";
export * from "./optim/adamax.ts";
export * from "./optim/asgd.ts";
export * from "./optim/cyclic.ts";
export * from "./optim/lbfgs.ts";
export * from "./optim/nadam.ts";
export * from "./optim/one-cycle.ts";
export {
  type Floating,
  Optimizer,
  type OptimizerState,
  type ParamGroup,
  type ParamOptions,
  type Params,
  type State,
} from "./optim/optimizer.ts";
export * from "./optim/plateau.ts";
export * from "./optim/radam.ts";
export * from "./optim/rmsprop.ts";
export * from "./optim/rprop.ts";
export { type PerGroup, Schedule, type ScheduleState } from "./optim/schedule.ts";
export * from "./optim/schedules.ts";
export * from "./optim/sgd.ts";
export * from "./optim/swa.ts";
