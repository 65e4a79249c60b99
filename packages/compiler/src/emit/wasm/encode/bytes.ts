/** The bytes of a binary format: LEB128 integers, little-endian floats, names. */

export class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  bytes(values: ArrayLike<number>): void {
    this.#reserve(values.length);
    this.#bytes.set(values, this.#length);
    this.#length += values.length;
  }

  /** Unsigned LEB128 of an integer below 2^32. */
  unsigned(value: number): void {
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  /** Signed LEB128 of an int32. */
  signed(value: number): void {
    let rest = value | 0;
    // The last byte's bit 6 is the sign: what is left must be no more than copies of it.
    while (rest < -0x40 || rest >= 0x40) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    this.byte(rest & 0x7f);
  }

  /** Signed LEB128 of an int64. */
  signed64(value: bigint): void {
    let rest = BigInt.asIntN(64, value);
    while (rest < -0x40n || rest >= 0x40n) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.byte(Number(rest & 0x7fn));
  }

  float32(value: number): void {
    this.bytes(new Uint8Array(littleEndian(4, (view) => view.setFloat32(0, value, true))));
  }

  float64(value: number): void {
    this.bytes(new Uint8Array(littleEndian(8, (view) => view.setFloat64(0, value, true))));
  }

  /** Eight bytes, the lowest first. */
  uint64(value: bigint): void {
    this.bytes(new Uint8Array(littleEndian(8, (view) => view.setBigUint64(0, value, true))));
  }

  /** A length and that many bytes of UTF-8. */
  name(text: string): void {
    const utf8 = encodeURIComponent(text).match(/%..|[^%]/g) ?? [];
    this.unsigned(utf8.length);
    for (const unit of utf8) {
      this.byte(unit.length === 3 ? Number.parseInt(unit.slice(1), 16) : unit.charCodeAt(0));
    }
  }

  /** What `write` writes, behind its length in bytes. */
  sized(write: (inner: ByteWriter) => void): void {
    const inner = new ByteWriter();
    write(inner);
    this.unsigned(inner.#length);
    this.bytes(inner.toBytes());
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

function littleEndian(bytes: number, set: (view: DataView) => void): ArrayBuffer {
  const buffer = new ArrayBuffer(bytes);
  set(new DataView(buffer));
  return buffer;
}
