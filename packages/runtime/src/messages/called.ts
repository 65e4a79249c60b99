/** The operation that is running: the outermost that the user called, by whose name errors go. */

/** One object, so that a call sets a property and no more. Null while no operation runs, and while one calls what a user gave it. */
export const running: { op: string | null } = { op: null };

/** What PyTorch's sentences call the kernel that has no code for a dtype: the operation, whether it works in place or not. */
export const kernelName = (): string => (running.op ?? "the operation").replace(/_$/, "");
