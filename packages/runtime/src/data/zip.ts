/**
 * Archives of named members, stored or deflated, of any size (Zip64). Source: APPNOTE.TXT of PKWARE,
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT. Numbers in square brackets are its sections.
 */

import { decodeText, encodeText } from "../text-coding.ts";
import { FormatError } from "./check.ts";
import { deflateTransform } from "./host.ts";
import { joined, type Source } from "./source.ts";

/** A member of an archive, as its directory describes it. */
export interface Member {
  readonly name: string;
  readonly method: number;
  readonly checksum: number;
  /** Bytes in the archive, and after inflating. */
  readonly packed: number;
  readonly size: number;
  /** The offset of its local header. */
  readonly begin: number;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const STORED = 0;
const DEFLATED = 8;
/** Means that the number is in the Zip64 field [4.5.3]. */
const IN_FIELD = 0xffffffff;
const FIELD_64 = 0x0001;
/** The sizes of records without their names, fields and comments. */
const LOCAL_SIZE = 30;
const CENTRAL_SIZE = 46;
const END_SIZE = 22;
const END_64_SIZE = 56;
const LOCATOR_SIZE = 20;
const LONGEST_COMMENT = 2 ** 16 - 1;

const view = (bytes: Uint8Array, begin = 0): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset + begin, bytes.byteLength - begin);

/**
 * The members of an archive of known size, from its directory.
 * @throws FormatError when there is none, or it is damaged.
 */
export async function readDirectory(source: Source, size: number): Promise<readonly Member[]> {
  const { title } = source;
  const { count, begin, end } = await findDirectory(source, size);
  if (begin + count * CENTRAL_SIZE > end || end > size)
    throw new FormatError(
      `${title}: the directory of ${count} members at byte ${begin} does not fit the file`,
    );
  const bytes = await source.read(begin, end);
  const members: Member[] = [];
  let at = 0;
  while (members.length < count) {
    const damaged = (fault: string): never => {
      throw new FormatError(`${title}: the directory's record at byte ${begin + at} ${fault}`);
    };
    if (at + CENTRAL_SIZE > bytes.length) damaged("is cut short");
    const record = view(bytes, at);
    if (record.getUint32(0, true) !== CENTRAL) damaged("is none");
    const [nameLength, fieldsLength, commentLength] = [28, 30, 32].map((k) => record.getUint16(k, true));
    const fields = at + CENTRAL_SIZE + nameLength!;
    const next = fields + fieldsLength! + commentLength!;
    if (next > bytes.length) damaged("is cut short");
    const name = decodeName(bytes.subarray(at + CENTRAL_SIZE, fields));
    if ((record.getUint16(8, true) & 1) === 1) damaged(`(${name}) is encrypted`);
    const [full, packed, local] = wideNumbers(
      [24, 20, 42].map((k) => record.getUint32(k, true)),
      bytes.subarray(fields, fields + fieldsLength!),
      damaged,
    );
    members.push({
      name,
      method: record.getUint16(10, true),
      checksum: record.getUint32(16, true),
      size: full!,
      packed: packed!,
      begin: local!,
    });
    at = next;
  }
  if (at !== bytes.length)
    throw new FormatError(
      `${title}: the directory's ${count} members end at byte ${begin + at}, but it ends at ${end}`,
    );
  return members;
}

/** Read as Latin-1 unless it is UTF-8: archives do not say which. */
function decodeName(bytes: Uint8Array): string {
  try {
    return decodeText(bytes);
  } catch {
    return String.fromCharCode(...bytes);
  }
}

/** Numbers of 32 bits. Those that do not fit are in the Zip64 field, in the same order [4.5.3]. */
function wideNumbers(
  numbers: readonly number[],
  fields: Uint8Array,
  damaged: (fault: string) => never,
): number[] {
  const all = view(fields);
  for (let at = 0; at + 4 <= fields.length; at += 4 + all.getUint16(at + 2, true)) {
    if (all.getUint16(at, true) !== FIELD_64) continue;
    let next = at + 4;
    return numbers.map((number) => {
      if (number !== IN_FIELD) return number;
      if (next + 8 > fields.length) return damaged("has a Zip64 field that is cut short");
      next += 8;
      return Number(all.getBigUint64(next - 8, true));
    });
  }
  return [...numbers];
}

/** Where the directory is, by the record at the end [4.3.16], or by that of Zip64, which a locator before it points to [4.3.14, 4.3.15]. */
async function findDirectory(
  source: Source,
  size: number,
): Promise<{ readonly count: number; readonly begin: number; readonly end: number }> {
  const { title } = source;
  const from = Math.max(0, size - END_SIZE - LONGEST_COMMENT - LOCATOR_SIZE);
  const bytes = await source.read(from, size);
  let at = bytes.length - END_SIZE;
  while (at >= 0 && view(bytes, at).getUint32(0, true) !== END) at--;
  if (at < 0)
    throw new FormatError(`${title}: has no directory at its end (it is no npz file, or was cut short)`);
  const record = view(bytes, at);
  const locator = at - LOCATOR_SIZE;
  if (locator >= 0 && view(bytes, locator).getUint32(0, true) === LOCATOR_64) {
    const begin = Number(view(bytes, locator).getBigUint64(8, true));
    const wide = view(await source.read(begin, begin + END_64_SIZE));
    if (wide.getUint32(0, true) !== END_64)
      throw new FormatError(
        `${title}: byte ${begin} should begin the directory's end of Zip64, and does not`,
      );
    const [count, length, directory] = [32, 40, 48].map((k) => Number(wide.getBigUint64(k, true)));
    return { count: count!, begin: directory!, end: directory! + length! };
  }
  const begin = record.getUint32(16, true);
  return { count: record.getUint16(10, true), begin, end: begin + record.getUint32(12, true) };
}

/**
 * The bytes of a member, checked against its checksum.
 * @throws FormatError when they are damaged.
 */
export async function readMember(op: string, source: Source, member: Member): Promise<Uint8Array> {
  const title = `${source.title}: ${member.name}`;
  const header = view(await source.read(member.begin, member.begin + LOCAL_SIZE));
  if (header.getUint32(0, true) !== LOCAL)
    throw new FormatError(`${title}: byte ${member.begin} should begin it, and does not`);
  const begin = member.begin + LOCAL_SIZE + header.getUint16(26, true) + header.getUint16(28, true);
  const packed = await source.read(begin, begin + member.packed);
  const bytes = await unpacked(op, title, begin, packed, member);
  if (bytes.length !== member.size || crc32(bytes) !== member.checksum)
    throw new FormatError(
      `${title}: is damaged: its ${bytes.length} bytes from byte ${begin} on are not the ${member.size} of the directory's checksum`,
    );
  return bytes;
}

async function unpacked(
  op: string,
  title: string,
  begin: number,
  packed: Uint8Array,
  { method, size }: Member,
): Promise<Uint8Array> {
  if (method === STORED) return packed;
  if (method !== DEFLATED)
    throw new FormatError(
      `${title}: is compressed by method ${method}; stored (0) and deflated (8) are read`,
    );
  try {
    return await through(op, "DecompressionStream", packed, size);
  } catch (error) {
    if (!(error instanceof Error) || error.message.startsWith(`${op}:`)) throw error;
    throw new FormatError(`${title}: cannot be inflated from byte ${begin} on (${error.message})`);
  }
}

/** Bytes deflated or inflated by the platform. It stops after `most` bytes. */
async function through(
  op: string,
  direction: "CompressionStream" | "DecompressionStream",
  bytes: Uint8Array,
  most: number,
): Promise<Uint8Array> {
  const { readable, writable } = deflateTransform(op, direction);
  const writer = writable.getWriter();
  // The reading end reports the error.
  const written = writer.write(bytes).then(() => writer.close());
  written.catch(() => {});
  const reader = readable.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done || value === undefined) break;
    pieces.push(value);
    length += value.length;
    if (length > most) {
      await reader.cancel();
      break;
    }
  }
  return joined(pieces, length);
}

const table: Uint32Array = Uint32Array.from({ length: 256 }, (_, k) => {
  let word = k;
  for (let bit = 0; bit < 8; bit++) word = (word & 1) === 1 ? (word >>> 1) ^ 0xedb88320 : word >>> 1;
  return word;
});

/** CRC-32 of IEEE 802.3 [4.4.7]. */
function crc32(bytes: Uint8Array): number {
  let word = 0xffffffff;
  for (let k = 0; k < bytes.length; k++) word = (word >>> 8) ^ table[(word ^ bytes[k]!) & 0xff]!;
  return (word ^ 0xffffffff) >>> 0;
}

/**
 * An archive in pieces; each member is made when it is written. All sizes and offsets are in Zip64 fields, so that no size is a special
 * case. numpy writes its members so too.
 */
export async function* archivePieces(
  op: string,
  members: Iterable<readonly [name: string, bytes: () => Uint8Array]>,
  isCompressed: boolean,
): AsyncGenerator<Uint8Array> {
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const [name, make] of members) {
    const { length } = encodeText(name);
    if (length > LONGEST_NAME)
      throw new RangeError(
        `${op}: a name takes at most ${LONGEST_NAME} bytes with its ending, and one takes ${length} (${name.slice(0, 40)}…)`,
      );
    const bytes = make();
    const packed = isCompressed
      ? await through(op, "CompressionStream", bytes, Number.POSITIVE_INFINITY)
      : bytes;
    const method = isCompressed ? DEFLATED : STORED;
    const member = {
      name,
      method,
      checksum: crc32(bytes),
      packed: packed.length,
      size: bytes.length,
      begin: at,
    };
    const header = localHeader(member);
    yield header;
    yield packed;
    directory.push(directoryRecord(member));
    at += header.length + packed.length;
  }
  let length = 0;
  for (const record of directory) {
    yield record;
    length += record.length;
  }
  yield directoryEnd(directory.length, at, length);
}

/** In bytes: its length is a number of 16 bits [4.4.10]. */
const LONGEST_NAME = 0xffff;

/** Version 4.5, which has Zip64; names are UTF-8 (bit 11); 1 January 1980 [4.4]. */
const VERSION = 45;
const NAME_IS_UTF8 = 0x0800;
const DAY = 0x0021;

function localHeader({ name, method, checksum, packed, size }: Member): Uint8Array {
  const text = encodeText(name);
  const bytes = new Uint8Array(LOCAL_SIZE + text.length + 20);
  const record = view(bytes);
  record.setUint32(0, LOCAL, true);
  common(record, 4, method, checksum, text.length, 20);
  bytes.set(text, LOCAL_SIZE);
  field(view(bytes, LOCAL_SIZE + text.length), [size, packed]);
  return bytes;
}

function directoryRecord({ name, method, checksum, packed, size, begin }: Member): Uint8Array {
  const text = encodeText(name);
  const bytes = new Uint8Array(CENTRAL_SIZE + text.length + 28);
  const record = view(bytes);
  record.setUint32(0, CENTRAL, true);
  record.setUint16(4, VERSION, true);
  common(record, 6, method, checksum, text.length, 28);
  record.setUint32(42, IN_FIELD, true);
  bytes.set(text, CENTRAL_SIZE);
  field(view(bytes, CENTRAL_SIZE + text.length), [size, packed, begin]);
  return bytes;
}

/** What a local header and a record of the directory have in common. */
function common(
  record: DataView,
  at: number,
  method: number,
  checksum: number,
  nameLength: number,
  fieldLength: number,
): void {
  record.setUint16(at, VERSION, true);
  record.setUint16(at + 2, NAME_IS_UTF8, true);
  record.setUint16(at + 4, method, true);
  record.setUint16(at + 8, DAY, true);
  record.setUint32(at + 10, checksum, true);
  record.setUint32(at + 14, IN_FIELD, true);
  record.setUint32(at + 18, IN_FIELD, true);
  record.setUint16(at + 22, nameLength, true);
  record.setUint16(at + 24, fieldLength, true);
}

function field(record: DataView, numbers: readonly number[]): void {
  record.setUint16(0, FIELD_64, true);
  record.setUint16(2, 8 * numbers.length, true);
  for (const [k, number] of numbers.entries()) record.setBigUint64(4 + 8 * k, BigInt(number), true);
}

/** The Zip64 end record, its locator, and the usual end record; of an archive without members the last alone, since numpy looks for that. */
function directoryEnd(count: number, begin: number, length: number): Uint8Array {
  if (count === 0) {
    const end = new Uint8Array(END_SIZE);
    view(end).setUint32(0, END, true);
    return end;
  }
  const bytes = new Uint8Array(END_64_SIZE + LOCATOR_SIZE + END_SIZE);
  const wide = view(bytes);
  wide.setUint32(0, END_64, true);
  wide.setBigUint64(4, BigInt(END_64_SIZE - 12), true);
  wide.setUint16(12, VERSION, true);
  wide.setUint16(14, VERSION, true);
  wide.setBigUint64(24, BigInt(count), true);
  wide.setBigUint64(32, BigInt(count), true);
  wide.setBigUint64(40, BigInt(length), true);
  wide.setBigUint64(48, BigInt(begin), true);
  const locator = view(bytes, END_64_SIZE);
  locator.setUint32(0, LOCATOR_64, true);
  locator.setBigUint64(8, BigInt(begin + length), true);
  locator.setUint32(16, 1, true);
  const end = view(bytes, END_64_SIZE + LOCATOR_SIZE);
  end.setUint32(0, END, true);
  end.setUint16(8, 0xffff, true);
  end.setUint16(10, 0xffff, true);
  end.setUint32(12, IN_FIELD, true);
  end.setUint32(16, IN_FIELD, true);
  return bytes;
}
