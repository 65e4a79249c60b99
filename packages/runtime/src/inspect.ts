/** The method that Node's console asks for. */
export const inspected: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/**
 * Makes Node's console, and its inspect, show objects of a class as the text they print as. If they cannot be printed the reason is shown:
 * a line that logs must not end the program.
 */
export function inspectAsText(prototype: { toString(): string }): void {
  Object.defineProperty(prototype, inspected, {
    value(this: { toString(): string }): string {
      try {
        return this.toString();
      } catch (error) {
        return `[${String(error)}]`;
      }
    },
    configurable: true,
  });
}
