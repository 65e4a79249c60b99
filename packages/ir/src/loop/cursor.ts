/** A place in the text of a loop kernel: lines with their indentation, and what stands next in the line. */

interface Line {
  readonly number: number;
  readonly text: string;
}

export class Cursor {
  /** Without the empty ones. */
  readonly #lines: readonly Line[];
  #line = 0;
  /** Characters of the line that are read. */
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

  /** Spaces before the line; −1 at the end of the text. */
  get indent(): number {
    return this.atEnd ? -1 : this.#text.search(/\S/);
  }

  /** @throws SyntaxError unless all of the line is read. */
  nextLine(): void {
    if (this.#at < this.#text.length) throw this.fault("the end of the line");
    this.#line++;
    this.#at = 0;
    this.#skipSpaces();
  }

  /** What the pattern, a sticky one, finds here, or null. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return null;
    this.#at = pattern.lastIndex;
    this.#skipSpaces();
    return found;
  }

  /** Whether the pattern, a sticky one, would find something here. */
  sees(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  /** Reads the text if it stands here; a word is not taken for the beginning of a longer one. */
  take(text: string): boolean {
    const end = this.#at + text.length;
    if (!this.#text.startsWith(text, this.#at)) return false;
    if (/\w$/.test(text) && /\w/.test(this.#text[end] ?? "")) return false;
    this.#at = end;
    this.#skipSpaces();
    return true;
  }

  /** @throws SyntaxError unless a word stands here of which `is` is true. */
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

  /** What was looked for, where it was, and what stands there. */
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
