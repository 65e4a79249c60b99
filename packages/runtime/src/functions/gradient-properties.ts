/** Properties of a tensor that are about derivatives. */
import { checkedFlag, gradientOf, isLeaf, requireGradient, setGradient } from "../autograd/leaf.ts";
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
/** A new function for each: to pass on the one from the file about derivatives would load that file at import. */
export const gradientWrites = {
  grad(this: AnyTensor, grad: unknown): void {
    setGradient.call(this, grad);
  },
  requiresGrad(this: AnyTensor, wants: unknown): void {
    requireGradient("requiresGrad", this, checkedFlag(wants));
  },
};
