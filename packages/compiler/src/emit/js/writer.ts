/** Lines of code with their indentation. */
export class Writer {
  readonly #lines: string[] = [];
  #indent = "";

  line(text: string): void {
    this.#lines.push(this.#indent + text);
  }

  /** `head { … }`; without a head, a scope. */
  block(head: string, body: () => void): void {
    this.line(head === "" ? "{" : `${head} {`);
    this.#indent += "  ";
    body();
    this.#indent = this.#indent.slice(2);
    this.line("}");
  }

  toString(): string {
    return this.#lines.join("\n");
  }
}
