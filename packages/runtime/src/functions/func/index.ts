/**
 * The namespace `func`: transformations of functions. Source: torch.func on pytorch.org/docs/stable. Each returns a function, which may be
 * transformed again, to any order. Arguments and results are tensors, or nested arrays and plain objects of tensors.
 */
export type { Tree, TreeOf } from "../../autograd/tree.ts";
export type { FuncGradOptions } from "./called.ts";
export { grad, valueAndGrad, vjp } from "./gradient.ts";
export { hessian, jacfwd, jacrev } from "./jacobian.ts";
export { functionalCall, type ModuleLike } from "./module.ts";
export { hvp, jvp } from "./tangent.ts";
export { type Dims, type VmapOptions, vmap } from "./vmap.ts";
