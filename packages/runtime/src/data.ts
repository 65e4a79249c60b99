/**
 * Data in and out: datasets, samplers and a loader of batches; safetensors, npy and npz. docs/data.md shows them at work.
 */
export { FormatError } from "./data/check.ts";
export { type Collated, defaultCollate } from "./data/collate.ts";
export {
  type BatchedDataset,
  ConcatDataset,
  type Dataset,
  type IterableDataset,
  type Row,
  type RowsOf,
  Subset,
  TensorDataset,
} from "./data/dataset.ts";
export type { BlobLike, FileUrl, ReadableStreamLike, ResponseLike, WritableStreamLike } from "./data/host.ts";
export {
  type AnyDataset,
  type BatchOf,
  DataLoader,
  type DataLoaderOptions,
  type SampleOf,
} from "./data/loader.ts";
export { type NpyFile, openNpy, readNpy, writeNpy } from "./data/npy.ts";
export { type NpzFile, type NpzOptions, openNpz, readNpz, writeNpz } from "./data/npz.ts";
export {
  loadSafetensors,
  openSafetensors,
  type SafetensorsFile,
  type SafetensorsOptions,
  type StoredTensor,
  saveSafetensors,
} from "./data/safetensors.ts";
export {
  type BatchedSampler,
  BatchSampler,
  RandomSampler,
  type RandomSamplerOptions,
  type RandomSource,
  type Sampler,
  SequentialSampler,
  type Sized,
  SubsetRandomSampler,
  WeightedRandomSampler,
  type WeightedSamplerOptions,
} from "./data/sampler.ts";
export type { ByteSource } from "./data/source.ts";
export { type Parts, randomSplit } from "./data/split.ts";
export type { ByteTarget } from "./data/target.ts";
