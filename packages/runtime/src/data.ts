/**
 * Data in and out: datasets, samplers and a loader of batches; safetensors, npy and npz. docs/data.md shows them at work.
 */
export { FormatError } from "./data/check.ts";
export type { BlobLike, FileUrl, ReadableStreamLike, ResponseLike, WritableStreamLike } from "./data/host.ts";
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
export type { ByteSource } from "./data/source.ts";
export type { ByteTarget } from "./data/target.ts";
