/** npy files: one tensor after a header that is a Python literal. Source: numpy.lib.format on numpy.org/doc/stable. */
import { type DType, showShape } from "@fuseau/ir";
import { promised } from "../entry/operation.ts";
import type { AnyTensor } from "../js.ts";
import { decodeText, encodeText } from "../text-coding.ts";
import { checkTensor, FormatError } from "./check.ts";
import { byteLength, bytesOf, type Rows, rowRange, tensorOver } from "./elements.ts";
import { type ByteSource, openSource, type Source } from "./source.ts";
import { type ByteTarget, targetOf, write } from "./target.ts";

/** An open npy file. */
export interface NpyFile {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /**
   * Reads the tensor, or the places of its first axis from `begin` up to but without `end`. If the source can be read by ranges, only the
   * bytes of that part are read.
   * @throws RangeError for rows that do not exist, or of an array in Fortran's order, whose rows are not contiguous.
   */
  read(rows?: Rows): Promise<AnyTensor>;
  close(): Promise<void>;
}

interface Header {
  readonly dtype: DType;
  readonly isLittle: boolean;
  readonly isFortran: boolean;
  readonly shape: readonly number[];
  /** The offset of the elements. */
  readonly data: number;
}

/** Dtypes by kind and bytes of an element. */
const dtypeOf: Readonly<Record<string, DType>> = {
  b1: "bool",
  u1: "uint8",
  i1: "int8",
  i2: "int16",
  i4: "int32",
  i8: "int64",
  f2: "float16",
  f4: "float32",
  f8: "float64",
};
const kindOf = new Map(Object.entries(dtypeOf).map(([kind, dtype]) => [dtype, kind]));

/** The magic word, two bytes of version, and the header's length in two bytes (version 1) or four (2 and 3). */
const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/** Headers of plain dtypes are never longer. */
const LONGEST_HEADER = 2 ** 16 - 1;
/** The elements begin at a multiple of it. */
const ALIGNMENT = 64;

/**
 * Opens a file to read it in parts. It takes the place of memory-mapping, which JavaScript does not have.
 * @throws FormatError for a file that is damaged, of an unknown dtype, or of pickled objects, which are never run.
 */
export const openNpy = promised("openNpy", "source", async (source: ByteSource): Promise<NpyFile> => {
  const open = await openSource("openNpy", source);
  try {
    const header = await readHeader(open);
    const { dtype, shape } = header;
    return {
      dtype,
      shape,
      read: promised("read", "rows?: list", (rows?: Rows) => readRows(open, header, rows)),
      close: () => open.close(),
    };
  } catch (error) {
    await open.close();
    throw error;
  }
});

/**
 * The tensor of an npy file. A file in Fortran's order gives a transposed view, as in numpy. Bytes of big-endian elements are reversed.
 * @throws what {@link openNpy} throws.
 */
export const readNpy = promised("readNpy", "source", async (source: ByteSource): Promise<AnyTensor> => {
  const open = await openSource("readNpy", source);
  try {
    return await readArray(open);
  } finally {
    await open.close();
  }
});

/** The tensor of an open source that is an npy file. */
export const readArray = async (source: Source): Promise<AnyTensor> =>
  readRows(source, await readHeader(source));

async function readRows(
  source: Source,
  { dtype, isLittle, isFortran, shape, data }: Header,
  rows?: Rows,
): Promise<AnyTensor> {
  if (rows === undefined) {
    const bytes = await source.read(data, data + byteLength(dtype, shape));
    if (!isFortran) return tensorOver(source.title, dtype, shape, bytes, isLittle);
    const reversed = tensorOver(source.title, dtype, [...shape].reverse(), bytes, isLittle);
    return reversed.permute(shape.map((_, axis) => shape.length - 1 - axis));
  }
  if (isFortran && shape.length > 1)
    throw new RangeError(`${source.title}: is in Fortran's order, where rows lie apart; read() reads all`);
  const part = rowRange(source.title, dtype, shape, rows);
  const bytes = await source.read(data + part.begin, data + part.end);
  return tensorOver(source.title, dtype, part.shape, bytes, isLittle);
}

async function readHeader(source: Source): Promise<Header> {
  const { title } = source;
  const front = await source.read(0, 8);
  if (MAGIC.some((byte, k) => front[k] !== byte))
    throw new FormatError(`${title}: does not begin with \\x93NUMPY, as an npy file does`);
  const version = front[6]!;
  if (version < 1 || version > 3)
    throw new FormatError(`${title}: byte 6 says version ${version} of the format; 1, 2 and 3 are read`);
  const width = version === 1 ? 2 : 4;
  const view = new DataView((await source.read(8, 8 + width)).buffer);
  const length = width === 2 ? view.getUint16(0, true) : view.getUint32(0, true);
  if (length > LONGEST_HEADER)
    throw new FormatError(`${title}: byte 8 says that the header has ${length} bytes, more than any has`);
  const data = 8 + width + length;
  const bytes = await source.read(8 + width, data);
  const text = version === 3 ? decodeText(bytes) : String.fromCharCode(...bytes);
  const header = { ...parseHeader(title, text), data };
  const needed = data + byteLength(header.dtype, header.shape);
  if (source.size !== null && source.size < needed)
    throw new FormatError(
      `${title}: ends at byte ${source.size}, but its ${header.dtype} elements of shape ${showShape(header.shape)} end at ${needed}`,
    );
  return header;
}

/** `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`, with its keys in any order. */
function parseHeader(title: string, text: string): Omit<Header, "data"> {
  const fail = (fault: string): never => {
    throw new FormatError(`${title}: the header ${JSON.stringify(text.trim().slice(0, 200))} ${fault}`);
  };
  const found = (key: string, pattern: string): string =>
    new RegExp(`['"]${key}['"]\\s*:\\s*${pattern}`).exec(text)?.[1] ?? fail(`has no ${key}`);
  if (!/^\s*\{.*\}\s*$/s.test(text)) fail("is no dictionary of Python's");
  const descr =
    found("descr", "(?=(\\S))") === "["
      ? fail("is of a structured dtype")
      : found("descr", `['"]([^'"]*)['"]`);
  const order = found("fortran_order", "(True|False)\\b");
  const sizes = found("shape", "\\(([\\d\\s,L]*)\\)");
  const [, endian, kind] = /^([<>|=]?)(\w+)$/.exec(descr) ?? [];
  if (kind?.startsWith("O"))
    fail(
      "is of Python objects, which are pickled: reading them would run what the file says, and is never done",
    );
  const dtype = kind !== undefined && Object.hasOwn(dtypeOf, kind) ? dtypeOf[kind] : undefined;
  if (dtype === undefined)
    return fail(`is of dtype ${descr}; ${Object.keys(dtypeOf).join(", ")} are read, of either endianness`);
  const shape = sizes
    .split(",")
    .map((size) => size.trim())
    .filter((size) => size !== "")
    .map((size) => Number(size.replace("L", "")));
  if (!shape.every(Number.isSafeInteger)) fail("has a shape that is no list of sizes");
  return { dtype, isLittle: endian !== ">", isFortran: order === "True", shape };
}

/** Writes a tensor, row-major and little-endian. Without a target it returns the bytes of the file, which are those that numpy writes. */
export const writeNpy: {
  (x: AnyTensor): Promise<Uint8Array>;
  (target: ByteTarget, x: AnyTensor): Promise<void>;
} = promised("writeNpy", "target, x", async (...given: unknown[]): Promise<never> => {
  const [target, x] = targetOf(given, 2);
  return (await write("writeNpy", target, arrayPieces("writeNpy", x))) as never;
});

/** The header, followed by the elements. */
export function* arrayPieces(op: string, given: unknown): Generator<Uint8Array> {
  const x = checkTensor(op, "x", given);
  const { dtype, shape } = x;
  const kind = kindOf.get(dtype)!;
  const endian = kind.endsWith("1") ? "|" : "<";
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const said = `{'descr': '${endian}${kind}', 'fortran_order': False, 'shape': (${sizes}), }`;
  // numpy leaves room for the first size to grow to 20 digits.
  const spare = shape.length > 0 ? 21 - String(shape[0]).length : 0;
  const front = 10;
  const length = Math.ceil((front + said.length + spare + 1) / ALIGNMENT) * ALIGNMENT - front;
  const bytes = new Uint8Array(front + length);
  bytes.set([...MAGIC, 1, 0, length & 0xff, length >> 8]);
  bytes.set(encodeText(`${said.padEnd(length - 1)}\n`), front);
  yield bytes;
  yield bytesOf(x);
}
