/**
 * The errors that users meet. A message begins with the op. PyTorch's own sentence follows where there is one, and then what the user can
 * do. An axis or index out of range throws the language's RangeError; a value of the wrong kind its TypeError.
 */

/** Shapes do not fit each other, or the op. */
export class ShapeError extends Error {
  override readonly name = "ShapeError";
}

/** An op does not take a dtype, or its target cannot hold the result. */
export class DTypeError extends Error {
  override readonly name = "DTypeError";
}

/** A view cannot be made, or cannot be written to. */
export class ViewError extends Error {
  override readonly name = "ViewError";
}

/** A fault of fuseau itself, never of its user. `ir` is the printed program at fault. */
export class InternalError extends Error {
  override readonly name = "InternalError";
  readonly ir: string;
  /** The message without the program. */
  readonly fault: string;

  constructor(message: string, ir = "", options?: ErrorOptions) {
    super(`fuseau: internal error: ${message} (please report it${ir ? `)\n${ir}` : ")"}`, options);
    this.ir = ir;
    this.fault = message;
  }
}

/** A shape as messages show it: `[5, 3, 1]`. */
export const showShape = (shape: readonly number[]): string => `[${shape.join(", ")}]`;
