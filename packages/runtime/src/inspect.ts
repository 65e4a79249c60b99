/** Makes Node's console, and its inspect, show objects of a class as the text they print as. */
export function inspectAsText(prototype: { toString(): string }): void {
  Object.defineProperty(prototype, Symbol.for("nodejs.util.inspect.custom"), {
    value(this: { toString(): string }): string {
      return this.toString();
    },
    configurable: true,
  });
}
