/** Reads the format that bytes.ts writes. */

export class ByteReader {
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.#at === this.#view.byteLength;
  }

  byte(): number {
    return this.#view.getUint8(this.#at++);
  }

  unsigned(): number {
    return Number(this.#groups().bits);
  }

  signed(): number {
    return Number(this.signed64());
  }

  signed64(): bigint {
    const { bits, width } = this.#groups();
    return BigInt.asIntN(width, bits);
  }

  float32(): number {
    return this.#view.getFloat32(this.#skip(4), true);
  }

  float64(): number {
    return this.#view.getFloat64(this.#skip(8), true);
  }

  uint64(): bigint {
    return this.#view.getBigUint64(this.#skip(8), true);
  }

  /** LEB128: seven bits in each byte, the lowest first. */
  #groups(): { readonly bits: bigint; readonly width: number } {
    let bits = 0n;
    let width = 0;
    for (;;) {
      const byte = this.byte();
      bits |= BigInt(byte & 0x7f) << BigInt(width);
      width += 7;
      if (byte < 0x80) return { bits, width };
    }
  }

  #skip(bytes: number): number {
    this.#at += bytes;
    return this.#at - bytes;
  }
}
