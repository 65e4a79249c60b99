/**
 * A worker thread failed or fell silent during work that cannot be done a second time. What that work was to write is undefined;
 * everything else still computes, on the threads that are left.
 */
export class ThreadError extends Error {
  override readonly name = "ThreadError";

  constructor(reason: string) {
    super(
      `compute: ${reason}, and its part of the work cannot be run again, because it may have overwritten what it reads. ` +
        "What was to be written in place is lost; other tensors still compute. setThreads(1) runs everything on the main thread",
    );
  }
}
