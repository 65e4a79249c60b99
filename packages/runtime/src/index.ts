/** fuseau: lazy arrays with PyTorch's semantics, fused into a few generated kernels. */
import { addBackend } from "./backends/backends.ts";
import { closuresInLanes, textInLanes } from "./backends/in-lanes.ts";
import { wasm } from "./backends/wasm.ts";

export * from "./js.ts";

for (const backend of [closuresInLanes, textInLanes, wasm]) addBackend(backend);
