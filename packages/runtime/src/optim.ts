/** fuseau/optim: optimizers that write parameters in place, with PyTorch's formulas. docs/training.md is the guide. */
export * from "./optim/adam.ts";
export {
  Optimizer,
  type OptimizerState,
  type ParamGroup,
  type Params,
} from "./optim/optimizer.ts";
export * from "./optim/sgd.ts";
