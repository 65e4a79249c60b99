/**
 * The errors a user meets. Every message begins with the op, then PyTorch's own sentence where it has one, then what
 * a person needs to mend it. An axis or index out of range is the language's RangeError; a value of the wrong kind its TypeError.
 */

/** Shapes that do not fit each other or the op. */
export class ShapeError extends Error {
  override readonly name = "ShapeError";
}

/** Dtypes that an op does not take, or a result that its target cannot hold. */
export class DTypeError extends Error {
  override readonly name = "DTypeError";
}

/** Views that cannot be made, or not be written through. */
export class ViewError extends Error {
  override readonly name = "ViewError";
}

/** A fault of fuseau itself, never of its user; `ir` is the program at fault, printed. */
export class InternalError extends Error {
  override readonly name = "InternalError";
  readonly ir: string;
  /** What went wrong, without the program. */
  readonly fault: string;

  constructor(message: string, ir = "", options?: ErrorOptions) {
    super(`fuseau: internal error: ${message} (please report it${ir ? `)\n${ir}` : ")"}`, options);
    this.ir = ir;
    this.fault = message;
  }
}

/** A shape as it stands in messages: `[5, 3, 1]`. */
export const showShape = (shape: readonly number[]): string => `[${shape.join(", ")}]`;
