/** @fuseau/ir says what is computed: dtypes and shapes with their types, the tensor graph, the loop IR. It executes nothing. */
export * from "./dtype.ts";
export * from "./errors.ts";
export * from "./loop/evaluate.ts";
export * from "./loop/node.ts";
export * from "./loop/parse.ts";
export * from "./loop/print.ts";
export * from "./loop/rename.ts";
export * from "./loop/verify.ts";
export * from "./loop/walk.ts";
export * from "./pointwise/table.ts";
export * from "./shape/index.ts";
export * as build from "./tensor/build.ts";
export * from "./tensor/hash.ts";
export * from "./tensor/node.ts";
export * from "./tensor/parse.ts";
export * from "./tensor/print.ts";
export * from "./tensor/sizes.ts";
export * from "./tensor/verify.ts";
