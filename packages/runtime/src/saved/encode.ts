/**
 * Encodes plain data as bytes, and decodes it: JSON, extended by the numbers that JSON lacks, bigints and arrays of bytes. Arrays follow
 * the text, which has their offsets.
 */
import { decodeText, encodeText } from "../text-coding.ts";

/** Begins strings that stand for what JSON lacks; no text of a program begins with it. */
const MARK = "\u0001";
/** The text is preceded by its length, a little-endian word. */
const HEAD = 4;

export function encode(data: unknown): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let behind = 0;
  const text = encodeText(
    JSON.stringify(data, (_, value: unknown) => {
      if (typeof value === "bigint") return `${MARK}i${value}`;
      if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)))
        return `${MARK}f${Object.is(value, -0) ? "-0" : value}`;
      if (!(value instanceof Uint8Array)) return value;
      parts.push(value);
      behind += value.length;
      return `${MARK}b${behind - value.length} ${value.length}`;
    }),
  );
  const bytes = new Uint8Array(HEAD + text.length + behind);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, HEAD);
  let at = HEAD + text.length;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** @throws SyntaxError, TypeError or RangeError for bytes that `encode` did not make. */
export function decode(bytes: Uint8Array): unknown {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0, true);
  const behind = HEAD + length;
  const text = decodeText(bytes.subarray(HEAD, behind));
  // Most programs contain no such strings, so their values need no second pass.
  if (!text.includes('"\\u0001')) return JSON.parse(text);
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== "string" || !value.startsWith(MARK)) return value;
    const rest = value.slice(2);
    if (value[1] === "i") return BigInt(rest);
    if (value[1] === "f") return Number(rest);
    const [begin = 0, size = 0] = rest.split(" ").map(Number);
    // A copy: the bytes may be a Buffer of Node, whose parts are views of it, and are no bytes to JSON.
    return new Uint8Array(bytes.subarray(behind + begin, behind + begin + size));
  });
}
