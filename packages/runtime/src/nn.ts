/** fuseau/nn: modules with typed shapes, and PyTorch's names and layouts. docs/training.md is the guide. */
export * from "./nn/activation.ts";
export * from "./nn/attention.ts";
export { AveragedModel, type AveragedModelOptions, type AverageFn } from "./nn/averaged.ts";
export { type CellOptions, GRUCell, LSTMCell, RNNCell } from "./nn/cells.ts";
export * from "./nn/containers.ts";
export * from "./nn/convolution.ts";
export { CosineSimilarity, PairwiseDistance } from "./nn/distance.ts";
export * from "./nn/dropout.ts";
export * from "./nn/embedding.ts";
export type { ForwardHook, ForwardPreHook, FullBackwardHook, Gradients } from "./nn/hooks.ts";
export * as init from "./nn/init.ts";
export { Layer, type LayerOptions } from "./nn/layer.ts";
export { Bilinear, Identity, Linear, type LinearFlow, type LinearOptions } from "./nn/linear.ts";
export {
  BCELoss,
  BCEWithLogitsLoss,
  type BCEWithLogitsLossOptions,
  CrossEntropyLoss,
  CTCLoss,
  HuberLoss,
  type HuberLossOptions,
  KLDivLoss,
  type KLDivLossOptions,
  L1Loss,
  type LossModule,
  MSELoss,
  NLLLoss,
  type OneNumber,
  PoissonNLLLoss,
  SmoothL1Loss,
  type SmoothL1LossOptions,
} from "./nn/loss.ts";
export * from "./nn/margin-loss.ts";
export { Module, type Named } from "./nn/module.ts";
export {
  type AffineNormOptions,
  BatchNorm1d,
  BatchNorm2d,
  BatchNorm3d,
  type BatchNormLayerOptions,
  type ChannelFlow,
  GroupNorm,
  InstanceNorm1d,
  InstanceNorm2d,
  InstanceNorm3d,
  type InstanceNormLayerOptions,
  LayerNorm,
  type LayerNormLayerOptions,
  LocalResponseNorm,
  type NormOptions,
  RMSNorm,
  type RMSNormOptions,
} from "./nn/normalization.ts";
export * from "./nn/padding.ts";
export {
  type BufferOptions,
  buffer,
  type FloatDType,
  type Parameter,
  type ParameterOptions,
  parameter,
} from "./nn/parameter.ts";
export * from "./nn/pooling.ts";
export * from "./nn/recurrent.ts";
export * from "./nn/resampling.ts";
export * from "./nn/shape.ts";
export type { LoadOptions, LoadResult, StateDict } from "./nn/state.ts";
export * from "./nn/transformer.ts";
export * as utils from "./nn/utils.ts";
