/** The operation that is running: the outermost one that the user called. Errors have its name. */

/** An object, so that a call only sets a property. Null while no operation runs, and while one calls a user's function. */
export const running: { op: string | null } = { op: null };

/**
 * The name in PyTorch's messages about a kernel that has no code for a dtype: that of the operation, without the underscore of a form in
 * place.
 */
export const kernelName = (): string => (running.op ?? "the operation").replace(/_$/, "");
