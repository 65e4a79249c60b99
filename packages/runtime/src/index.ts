/** fuseau: lazy arrays with PyTorch's semantics, fused into a few generated kernels. */
import { addBackend } from "./backends/backends.ts";
import { wasm } from "./backends/wasm.ts";

export * from "./js.ts";

addBackend(wasm);
