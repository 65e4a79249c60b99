/** The scalar functions that kernels may call and Math lacks, by the names that generated text uses. */
import * as intrinsics from "./library.ts";

export { intrinsics };

/** The name of a scalar function that kernels may call. */
export type IntrinsicName = keyof typeof intrinsics;
