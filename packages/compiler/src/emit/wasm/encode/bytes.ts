/** Writes the elements of a binary format: LEB128 integers, little-endian floats, names. */

const scratch = new DataView(new ArrayBuffer(8));

/**
 * Bytes are appended to an array of numbers: its `push` is the fastest way in code that runs for the first time, as most of a
 * compiler does. The contents of other writers are kept as parts, and copied once at the end.
 */
export class ByteWriter {
  /** The bytes in front of `#bytes`. */
  readonly #parts: (readonly number[] | Uint8Array)[] = [];
  /** The number of bytes in the parts. */
  #before = 0;
  #bytes: number[] = [];

  get length(): number {
    return this.#before + this.#bytes.length;
  }

  byte(value: number): void {
    this.#bytes.push(value);
  }

  bytes(values: readonly number[]): void {
    for (let k = 0; k < values.length; k++) this.#bytes.push(values[k]!);
  }

  /** Appends the contents of another writer, which must not be appended to afterwards. */
  append(other: ByteWriter): void {
    for (const part of [this.#bytes, ...other.#parts, other.#bytes]) {
      this.#parts.push(part);
      this.#before += part.length;
    }
    this.#bytes = [];
  }

  /** Appends bytes that must not change afterwards. */
  appendBytes(bytes: Uint8Array): void {
    this.#parts.push(this.#bytes, bytes);
    this.#before += this.#bytes.length + bytes.length;
    this.#bytes = [];
  }

  /** Appends the length of another writer's contents, and the contents. */
  sized(other: ByteWriter): void {
    this.unsigned(other.length);
    this.append(other);
  }

  /** A byte, followed by the unsigned LEB128 of an integer below 2^32. */
  coded(code: number, value: number): void {
    if (value < 0x80) this.#bytes.push(code, value);
    else if (value < 0x4000) this.#bytes.push(code, (value & 0x7f) | 0x80, value >>> 7);
    else {
      this.#bytes.push(code);
      this.unsigned(value);
    }
  }

  /** Unsigned LEB128 of an integer below 2^32. */
  unsigned(value: number): void {
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.#bytes.push((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.#bytes.push(rest);
  }

  /** Signed LEB128 of an int32. */
  signed(value: number): void {
    let rest = value | 0;
    // Bit 6 of the last byte is the sign: the bits left out must be copies of it.
    while (rest < -0x40 || rest >= 0x40) {
      this.#bytes.push((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    this.#bytes.push(rest & 0x7f);
  }

  /** Signed LEB128 of an int64. */
  signed64(value: bigint): void {
    let rest = BigInt.asIntN(64, value);
    while (rest < -0x40n || rest >= 0x40n) {
      this.#bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.#bytes.push(Number(rest & 0x7fn));
  }

  float32(value: number): void {
    scratch.setFloat32(0, value, true);
    this.word(scratch.getInt32(0, true));
  }

  float64(value: number): void {
    scratch.setFloat64(0, value, true);
    this.#words();
  }

  /** Eight bytes, the lowest first. */
  uint64(value: bigint): void {
    scratch.setBigUint64(0, value, true);
    this.#words();
  }

  #words(): void {
    this.word(scratch.getInt32(0, true));
    this.word(scratch.getInt32(4, true));
  }

  /** Four bytes, the lowest first. */
  word(value: number): void {
    this.#bytes.push(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);
  }

  /** The length of the text in UTF-8, and its bytes. */
  name(text: string): void {
    const utf8: number[] = [];
    for (const character of text) {
      const code = character.codePointAt(0)!;
      if (code < 0x80) utf8.push(code);
      else {
        const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        utf8.push(((0xff00 >>> (more + 1)) & 0xff) | (code >>> (6 * more)));
        for (let k = more - 1; k >= 0; k--) utf8.push(0x80 | ((code >>> (6 * k)) & 0x3f));
      }
    }
    this.unsigned(utf8.length);
    this.bytes(utf8);
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.length);
    let at = 0;
    for (const part of [...this.#parts, this.#bytes]) {
      // A loop is faster than `set`, which converts the elements of an array one by one.
      if (part instanceof Uint8Array) all.set(part, at);
      else for (let k = 0; k < part.length; k++) all[at + k] = part[k]!;
      at += part.length;
    }
    return all;
  }
}
