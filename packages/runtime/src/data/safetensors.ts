/** safetensors files: named tensors after a header of JSON. Source: https://github.com/huggingface/safetensors#format */
import { type DType, showArgument, showShape } from "@fuseau/ir";
import { checkOptions } from "../entry/made.ts";
import { promised } from "../entry/operation.ts";
import type { AnyTensor } from "../js.ts";
import { decodeText, encodeText } from "../text-coding.ts";
import { checkTensor, FormatError } from "./check.ts";
import { byteLength, bytesOf, type Rows, rowRange, type Stored, tensorOver } from "./elements.ts";
import { type ByteSource, openSource, type Source } from "./source.ts";
import { type ByteTarget, targetOf, write } from "./target.ts";

/** What a file says about a tensor, without reading it. */
export interface StoredTensor {
  /** The dtype that it is read as: float32 for bfloat16. */
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** An open safetensors file. */
export interface SafetensorsFile {
  /** The texts that were saved with the tensors; `{}` if there are none. */
  readonly metadata: Readonly<Record<string, string>>;
  /** By name, in the order of the file. */
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  /**
   * Reads one tensor, or the places of its first axis from `begin` up to but without `end`. Of paths, blobs and bytes nothing else is read.
   * A stream is read in the order of the file.
   * @throws RangeError for a name or rows that do not exist; FormatError for a file that is damaged.
   */
  read(name: string, rows?: Rows): Promise<AnyTensor>;
  close(): Promise<void>;
}

/** What is saved with the tensors. */
export interface SafetensorsOptions {
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The format's names. The order is that of its own writer: larger elements first, so that all are aligned. */
const formatNames: readonly (readonly [string, Stored])[] = [
  ["I64", "int64"],
  ["F64", "float64"],
  ["F32", "float32"],
  ["I32", "int32"],
  ["BF16", "bfloat16"],
  ["F16", "float16"],
  ["I16", "int16"],
  ["I8", "int8"],
  ["U8", "uint8"],
  ["BOOL", "bool"],
];
const storedOf = new Map(formatNames);
const nameOf = new Map(formatNames.map(([name, stored]) => [stored, name]));

/** The offset of the header; the bytes before are its length. */
const HEADER = 8;
/** The format's own limit of the header, in bytes. */
const LONGEST_HEADER = 100_000_000;
const METADATA = "__metadata__";

interface Entry extends StoredTensor {
  readonly name: string;
  readonly stored: Stored;
  /** The offset in the file. */
  readonly begin: number;
  readonly end: number;
}

/**
 * Opens a file whose tensors are read one by one. BF16 is read as float32, which is exact; the other dtypes are those of fuseau.
 * @throws FormatError for a file that is damaged, or has an unknown dtype; what the host throws for one that cannot be opened.
 */
export const openSafetensors = promised(
  "openSafetensors",
  "source",
  async (source: ByteSource): Promise<SafetensorsFile> => {
    return openFor("openSafetensors", source);
  },
);

async function openFor(op: string, source: ByteSource): Promise<SafetensorsFile> {
  const open = await openSource(op, source);
  try {
    const { metadata, entries } = await readHeader(open);
    const tensors = new Map(entries.map((entry) => [entry.name, entry]));
    return {
      metadata,
      tensors: new Map(entries.map(({ name, dtype, shape }) => [name, { dtype, shape }])),
      read: promised("read", "name: text, rows?: list", async (name: string, rows?: Rows) => {
        const entry = tensors.get(name);
        if (entry === undefined)
          throw new RangeError(
            `${open.title}: has no tensor ${JSON.stringify(name)}; it has ${showNames(entries)}`,
          );
        return readEntry(open, entry, rows);
      }),
      close: () => open.close(),
    };
  } catch (error) {
    await open.close();
    throw error;
  }
}

const showNames = (entries: readonly Entry[]): string =>
  entries.length === 0
    ? "none"
    : entries
        .slice(0, 10)
        .map(({ name }) => JSON.stringify(name))
        .join(", ") + (entries.length > 10 ? ` and ${entries.length - 10} more` : "");

async function readEntry(source: Source, entry: Entry, rows: Rows | undefined): Promise<AnyTensor> {
  const { name, stored, begin } = entry;
  const title = `${source.title}: ${JSON.stringify(name)}`;
  const part =
    rows === undefined
      ? { shape: entry.shape, begin: 0, end: entry.end - begin }
      : rowRange(title, stored, entry.shape, rows);
  return tensorOver(title, stored, part.shape, await source.read(begin + part.begin, begin + part.end));
}

/**
 * All tensors of a file by name, in the order of the file.
 * @throws what {@link openSafetensors} throws.
 */
export const loadSafetensors = promised(
  "loadSafetensors",
  "source",
  async (source: ByteSource): Promise<Record<string, AnyTensor>> => {
    const file = await openFor("loadSafetensors", source);
    try {
      const loaded: [string, AnyTensor][] = [];
      for (const name of file.tensors.keys()) loaded.push([name, await file.read(name)]);
      // It defines properties, so that a tensor may be named __proto__.
      return Object.fromEntries(loaded);
    } finally {
      await file.close();
    }
  },
);

async function readHeader(
  source: Source,
): Promise<{ readonly metadata: Record<string, string>; readonly entries: readonly Entry[] }> {
  const { title, size } = source;
  const lengthBytes = await source.read(0, HEADER);
  const length = Number(new DataView(lengthBytes.buffer).getBigUint64(0, true));
  if (length > LONGEST_HEADER || (size !== null && HEADER + length > size))
    throw new FormatError(
      `${title}: byte 0 says that the header has ${length} bytes, more than ${length > LONGEST_HEADER ? "a header may have" : "the file"} (it is no safetensors file, or was cut short)`,
    );
  const header = parseHeader(title, await source.read(HEADER, HEADER + length));
  const fail = (name: string, fault: string): never => {
    throw new FormatError(`${title}: the header's ${JSON.stringify(name)} ${fault}`);
  };
  const metadata = metadataOf(header, fail);
  const data = HEADER + length;
  const entries = Object.entries(header)
    .filter(([name]) => name !== METADATA)
    .map(([name, said]) => entryOf(name, said, data, fail))
    .sort((a, b) => a.begin - b.begin || a.end - b.end);
  let end = data;
  for (const entry of entries) {
    if (entry.begin !== end)
      fail(
        entry.name,
        `begins at byte ${entry.begin - data} of the data, but the tensor before it ends at ${end - data}`,
      );
    end = entry.end;
  }
  if (size !== null && end !== size)
    throw new FormatError(`${title}: has ${size} bytes, but its tensors end at byte ${end}`);
  return { metadata, entries };
}

type Fail = (name: string, fault: string) => never;

function parseHeader(title: string, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const header: unknown = JSON.parse(decodeText(bytes));
    if (isObject(header)) return header;
  } catch (error) {
    throw new FormatError(`${title}: the header at byte ${HEADER} is no JSON (${(error as Error).message})`);
  }
  throw new FormatError(`${title}: the header at byte ${HEADER} is no JSON object`);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function metadataOf(header: Readonly<Record<string, unknown>>, fail: Fail): Record<string, string> {
  const said = Object.hasOwn(header, METADATA) ? header[METADATA] : {};
  if (!isObject(said) || Object.values(said).some((value) => typeof value !== "string"))
    return fail(METADATA, "is no map of texts to texts");
  return Object.fromEntries(Object.entries(said).map(([key, value]) => [key, String(value)]));
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function entryOf(name: string, said: unknown, data: number, fail: Fail): Entry {
  if (!isObject(said)) return fail(name, "is no object");
  const { dtype: formatName, shape, data_offsets: offsets } = said;
  const stored = storedOf.get(String(formatName));
  if (stored === undefined)
    return fail(name, `is of dtype ${showArgument(formatName)}; ${[...storedOf.keys()].join(", ")} are read`);
  if (!Array.isArray(shape) || !shape.every(isCount))
    return fail(name, `has the shape ${JSON.stringify(shape)}, no list of sizes`);
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount))
    return fail(name, `has the data_offsets ${JSON.stringify(offsets)}, no pair of places`);
  const [begin, end] = offsets as [number, number];
  if (end - begin !== byteLength(stored, shape))
    return fail(
      name,
      `has ${end - begin} bytes, but ${formatName} of shape ${showShape(shape)} takes ${byteLength(stored, shape)}`,
    );
  const dtype = stored === "bfloat16" ? "float32" : stored;
  return { name, dtype, stored, shape, begin: data + begin, end: data + end };
}

/**
 * Writes tensors by name, and texts; each tensor is computed when it is written. Without a target it returns the bytes of the file. They
 * are the bytes that the format's own library writes, except for the order of the metadata.
 * @throws TypeError for what is no tensor or no text.
 */
export const saveSafetensors: {
  (tensors: Readonly<Record<string, AnyTensor>>, options?: SafetensorsOptions): Promise<Uint8Array>;
  (
    target: ByteTarget,
    tensors: Readonly<Record<string, AnyTensor>>,
    options?: SafetensorsOptions,
  ): Promise<void>;
} = promised(
  "saveSafetensors",
  "target, tensors, { metadata }",
  async (...given: unknown[]): Promise<never> => {
    const [target, tensors, options] = targetOf(given, 3);
    const made = pieces("saveSafetensors", tensors as never, options as SafetensorsOptions);
    return (await write("saveSafetensors", target, made)) as never;
  },
);

/** The header, followed by each tensor. All arguments are checked before the first piece. */
function pieces(
  op: string,
  tensors: Readonly<Record<string, AnyTensor>>,
  options: SafetensorsOptions | null | undefined,
): Iterable<Uint8Array> {
  if (!isObject(tensors))
    throw new TypeError(`${op}: the tensors must be an object by name, but got ${showArgument(tensors)}`);
  checkOptions(op, options ?? {}, { metadata: "record" });
  const { metadata } = options ?? {};
  const wrong = Object.entries(metadata ?? {}).find(([, value]) => typeof value !== "string");
  if (wrong !== undefined)
    throw new TypeError(`${op}: metadata ${wrong[0]} must be a text, but is ${showArgument(wrong[1])}`);
  const order = [...nameOf.keys()];
  const sorted = Object.entries(tensors)
    .map(([name, given]) => ({ name, x: checkTensor(op, JSON.stringify(name), given) }))
    .sort((a, b) => order.indexOf(a.x.dtype) - order.indexOf(b.x.dtype) || (a.name < b.name ? -1 : 1));
  const reserved = sorted.find(({ name }) => name === METADATA);
  if (reserved !== undefined) throw new TypeError(`${op}: no tensor can be named ${METADATA}`);
  let end = 0;
  const said = sorted.map(({ name, x: { dtype, shape } }): [string, object] => {
    const begin = end;
    end += byteLength(dtype, shape);
    return [name, { dtype: nameOf.get(dtype), shape, data_offsets: [begin, end] }];
  });
  const entries: readonly [string, object][] =
    metadata === undefined ? said : [[METADATA, metadata], ...said];
  const header = encodeText(showHeader(entries));
  return (function* () {
    const length = Math.ceil(header.length / 8) * 8;
    const front = new Uint8Array(HEADER + length).fill(0x20);
    new DataView(front.buffer).setBigUint64(0, BigInt(length), true);
    front.set(header, HEADER);
    yield front;
    for (const { x } of sorted) yield bytesOf(x);
  })();
}

/** Text in the given order: JSON.stringify would put names that are numbers first. */
const showHeader = (entries: readonly (readonly [string, object])[]): string =>
  `{${entries.map(([name, said]) => `${JSON.stringify(name)}:${JSON.stringify(said)}`).join(",")}}`;
