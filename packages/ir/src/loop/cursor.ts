/** A position in the text of a loop kernel: the lines with their indentation, and what comes next in the current line. */

interface Line {
  readonly number: number;
  readonly text: string;
}

export class Cursor {
  /** The lines that are not empty. */
  readonly #lines: readonly Line[];
  #line = 0;
  /** Characters of the current line that have been read. */
  #at = 0;

  constructor(text: string) {
    this.#lines = text
      .split("\n")
      .map((line, k): Line => ({ number: k + 1, text: line.trimEnd() }))
      .filter((line) => line.text !== "");
    this.#skipSpaces();
  }

  get atEnd(): boolean {
    return this.#line === this.#lines.length;
  }

  /** Spaces before the current line; −1 at the end of the text. */
  get indent(): number {
    return this.atEnd ? -1 : this.#text.search(/\S/);
  }

  /** @throws SyntaxError unless the whole line has been read. */
  nextLine(): void {
    if (this.#at < this.#text.length) throw this.fault("the end of the line");
    this.#line++;
    this.#at = 0;
    this.#skipSpaces();
  }

  /** The match of a sticky pattern here, or null. It is read if it matches. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return null;
    this.#at = pattern.lastIndex;
    this.#skipSpaces();
    return found;
  }

  /** True when the sticky pattern would match here. */
  sees(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  /** Reads the text if it comes next. A word does not match the beginning of a longer one. */
  take(text: string): boolean {
    const end = this.#at + text.length;
    if (!this.#text.startsWith(text, this.#at)) return false;
    if (/\w$/.test(text) && /\w/.test(this.#text[end] ?? "")) return false;
    this.#at = end;
    this.#skipSpaces();
    return true;
  }

  /**
   * Reads a word.
   * @throws SyntaxError unless `is` is true of it.
   */
  word<W extends string>(expected: string, is: (word: string) => word is W): W {
    const start = this.#at;
    const word = this.match(/\w+/y)?.[0] ?? "";
    if (is(word)) return word;
    this.#at = start;
    throw this.fault(expected);
  }

  need(text: string): void {
    if (!this.take(text)) throw this.fault(`"${text}"`);
  }

  /** An error with what was expected, where, and what was found. */
  fault(expected: string): SyntaxError {
    const rest = this.#text.slice(this.#at);
    const found = this.atEnd ? "the end of the text" : rest === "" ? "the end of the line" : `"${rest}"`;
    const line = this.#lines[this.#line]?.number ?? (this.#lines.at(-1)?.number ?? 0) + 1;
    return new SyntaxError(
      `parseLoopKernel: line ${line}, column ${this.#at + 1}: expected ${expected}, found ${found}`,
    );
  }

  get #text(): string {
    return this.#lines[this.#line]?.text ?? "";
  }

  #skipSpaces(): void {
    while (this.#text[this.#at] === " ") this.#at++;
  }
}
