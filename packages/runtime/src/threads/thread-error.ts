/**
 * A worker failed, or gave no answer for seconds, while it overwrote elements in place. Those elements are lost, and every later read of
 * them throws this error again. All other work is repeated on the main thread, and everything else can still be computed.
 */
export class ThreadError extends Error {
  override readonly name = "ThreadError";

  /** What became of the worker. */
  readonly reason: string;

  constructor(reason: string) {
    super(
      `compute: ${reason}, and its part of the work cannot be run again, because it may have overwritten what it reads. ` +
        "What was to be written in place is lost; other tensors still compute. setThreads(1) runs everything on the main thread",
    );
    this.reason = reason;
  }
}
