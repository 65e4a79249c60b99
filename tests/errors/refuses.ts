import { expect, test } from "vitest";

/** A mistake, the class of its error and the whole of its message. */
export type Refusal = readonly [run: () => unknown, kind: new (message: string) => Error, message: string];

/** One test for each message: the error is thrown where the op is recorded, by its class and word for word. */
export function refuses(refusals: { readonly [mistake: string]: Refusal }): void {
  for (const [mistake, [run, kind, message]] of Object.entries(refusals)) {
    test(mistake, () => {
      let thrown: unknown;
      try {
        run();
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(kind);
      expect((thrown as Error).name).toBe(kind.name);
      expect((thrown as Error).message).toBe(message);
    });
  }
}
