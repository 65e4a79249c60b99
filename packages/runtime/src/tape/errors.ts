/** Derivatives that cannot be given: of what requires none, of a graph that is gone, of what has none. PyTorch's RuntimeError. */
export class GradientError extends Error {
  override readonly name = "GradientError";
}
