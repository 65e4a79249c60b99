/**
 * The header of a saved entry: what wrote it, its length and a hash. An entry that is damaged, or that another version wrote, is never run.
 */
import { decodeText, encodeText } from "../text-coding.ts";
import { version } from "../version.ts";

/** Incremented with each change of the format. */
const FORMAT = 1;
/** The bytes of the first line, padded with spaces. */
const HEAD = 96;

export function sealed(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const made = new Uint8Array(HEAD + bytes.length).fill(32, 0, HEAD);
  made.set(encodeText(headOf(bytes)));
  made[HEAD - 1] = 10;
  made.set(bytes, HEAD);
  return made;
}

/** @throws Error that says what is wrong with the entry. */
export function unsealed(entry: Uint8Array): Uint8Array {
  const bytes = entry.subarray(HEAD);
  const head = decodeText(entry.subarray(0, HEAD)).trimEnd();
  if (head === headOf(bytes)) return bytes;
  const [name, , written] = head.split(" ");
  if (name !== "fuseau") throw new Error("it is none of fuseau's");
  if (written !== version) throw new Error(`it was written by fuseau ${written}, and this is ${version}`);
  throw new Error("it is damaged");
}

const headOf = (bytes: Uint8Array): string => `fuseau ${FORMAT} ${version} ${bytes.length} ${hashOf(bytes)}`;

/** 64 bits in hexadecimal digits: two words, each fed with four bytes at a time. It does not protect against attackers. */
export function hashOf(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let [a, b] = [0x9e3779b9 ^ bytes.length, 0x85ebca6b];
  const feed = (word: number): void => {
    a = Math.imul(a ^ word, 0x01000193);
    a ^= a >>> 15;
    b = Math.imul(b + word, 0xcc9e2d51);
    b ^= b >>> 13;
  };
  const whole = bytes.length - (bytes.length % 4);
  for (let at = 0; at < whole; at += 4) feed(view.getInt32(at, true));
  for (let at = whole; at < bytes.length; at++) feed(view.getUint8(at));
  return [a, b].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
