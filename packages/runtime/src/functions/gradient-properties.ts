/** What of derivatives is read, or written, as a property of a tensor. */
import { gradientOf, isLeaf, setGradient } from "../autograd/leaf.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** What is read as a property. */
export const gradientProperties = {
  requiresGrad(this: AnyTensor): boolean {
    return unwrap(this).step !== null;
  },
  isLeaf(this: AnyTensor): boolean {
    return isLeaf(this);
  },
  grad(this: AnyTensor): AnyTensor | null {
    return gradientOf(this);
  },
};

/** Those that may be written. */
/** A function of its own: to hand on the one for derivatives would read their file at an import. */
export const gradientWrites = {
  grad(this: AnyTensor, grad: unknown): void {
    setGradient.call(this, grad);
  },
};
