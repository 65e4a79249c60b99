/**
 * Derivatives that do not exist: of tensors that require none, of a graph that was freed, of ops without a derivative. PyTorch:
 * RuntimeError.
 */
export class GradientError extends Error {
  override readonly name = "GradientError";
}
