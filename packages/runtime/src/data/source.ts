/** Sources of bytes: memory, a file, a blob, or a stream. All except streams are read by ranges. */
import { showArgument } from "@fuseau/ir";
import { FormatError } from "./check.ts";
import {
  type BlobLike,
  type FileHandle,
  type FileUrl,
  files,
  type ReadableStreamLike,
  type ResponseLike,
  type StreamReader,
} from "./host.ts";

/**
 * What tensors are read from: bytes, a path or file: URL (in Node, Deno and Bun), a `Blob` or `File`, a `Response`, or a `ReadableStream`
 * of bytes. Paths and blobs are read by ranges, so that only what is asked for is read. Streams are read from beginning to end.
 */
export type ByteSource =
  | string
  | FileUrl
  | Uint8Array
  | ArrayBuffer
  | BlobLike
  | ResponseLike
  | ReadableStreamLike;

/** An open source. */
export interface Source {
  /** The function that the user called, and what is read. Errors begin with it: `readNpy: weights.npy`. */
  readonly title: string;
  /** In bytes; null for a stream. */
  readonly size: number | null;
  /**
   * The bytes from `begin` up to but without `end`, at the start of a buffer of their own.
   * @throws FormatError when there are fewer.
   */
  read(begin: number, end: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** @throws TypeError for what is no source, and whatever the host throws for a file that cannot be opened. */
export async function openSource(op: string, source: ByteSource): Promise<Source> {
  if (typeof source === "string") return openFile(op, source, source);
  if (source instanceof Uint8Array) return bytesSource(`${op}: the bytes`, source);
  if (source instanceof ArrayBuffer) return bytesSource(`${op}: the bytes`, new Uint8Array(source));
  if (typeof source === "object" && source !== null) {
    if ("href" in source) return openFile(op, source, source.href);
    if ("arrayBuffer" in source && "slice" in source) return blobSource(`${op}: the blob`, source);
    if ("getReader" in source) return streamSource(`${op}: the stream`, source);
    if ("body" in source) return responseSource(op, source);
  }
  throw new TypeError(
    `${op}: reads a path, a file: URL, bytes, a Blob, a Response or a ReadableStream, but got ${showArgument(source)}`,
  );
}

/** A source of known length. A stream is read to its end first. */
export async function openWhole(op: string, source: ByteSource): Promise<Source> {
  const open = await openSource(op, source);
  if (open.size !== null) return open;
  try {
    return bytesSource(open.title, await readRest(open));
  } finally {
    await open.close();
  }
}

/** How much is asked of a stream at a time, if its length is unknown. */
const PIECE = 2 ** 16;

async function readRest(source: Source): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const piece = await (source as StreamSource).upTo(PIECE);
    pieces.push(piece);
    length += piece.length;
    if (piece.length < PIECE) return joined(pieces, length);
  }
}

/** The pieces joined; `length` is the sum of theirs. */
export function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** @throws FormatError unless the source has so many bytes. */
function checkEnd(title: string, size: number, begin: number, end: number): void {
  if (end > size)
    throw new FormatError(
      `${title}: ends at byte ${size}, but bytes ${begin} to ${end} are needed (it was cut short, or is no such file)`,
    );
}

/** @throws FormatError when there is not enough memory: a damaged header may ask for bytes that do not exist. */
function room(title: string, begin: number, end: number): Uint8Array {
  try {
    return new Uint8Array(end - begin);
  } catch {
    throw new FormatError(`${title}: there is no memory for its bytes ${begin} to ${end}`);
  }
}

export function bytesSource(title: string, bytes: Uint8Array): Source {
  return {
    title,
    size: bytes.length,
    async read(begin, end) {
      checkEnd(title, bytes.length, begin, end);
      return new Uint8Array(bytes.subarray(begin, end));
    },
    async close() {},
  };
}

function blobSource(title: string, blob: BlobLike): Source {
  return {
    title,
    size: blob.size,
    async read(begin, end) {
      checkEnd(title, blob.size, begin, end);
      return new Uint8Array(await blob.slice(begin, end).arrayBuffer());
    },
    async close() {},
  };
}

/** Hosts read at most 2^31 − 1 bytes at once. */
const LONGEST_READ = 2 ** 30;

async function openFile(op: string, path: string | FileUrl, name: string): Promise<Source> {
  const handle: FileHandle = await files(op).open(path, "r");
  const title = `${op}: ${name}`;
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new TypeError(`${title} is a directory`);
    const { size } = stat;
    return {
      title,
      size,
      async read(begin, end) {
        checkEnd(title, size, begin, end);
        const bytes = room(title, begin, end);
        for (let at = 0; at < bytes.length; ) {
          const length = Math.min(bytes.length - at, LONGEST_READ);
          const { bytesRead } = await handle.read(bytes, at, length, begin + at);
          // The file has become shorter since it was opened.
          if (bytesRead === 0) checkEnd(title, begin + at, begin, end);
          at += bytesRead;
        }
        return bytes;
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function responseSource(op: string, response: ResponseLike): Source {
  const title = `${op}: ${response.url === "" ? "the response" : response.url}`;
  if (!response.ok) throw new TypeError(`${title}: the server answered ${response.status}`);
  if (response.body === null) return bytesSource(title, new Uint8Array(0));
  return streamSource(title, response.body);
}

interface StreamSource extends Source {
  /** The next bytes; fewer only at the end. */
  upTo(length: number): Promise<Uint8Array>;
}

function streamSource(title: string, stream: ReadableStreamLike): StreamSource {
  const reader: StreamReader = stream.getReader();
  let position = 0;
  let isDone = false;
  let rest = new Uint8Array(0);

  /** Passes the next `length` bytes on in pieces, and returns how many there were. */
  async function take(length: number, use: (piece: Uint8Array, at: number) => void): Promise<number> {
    let taken = 0;
    while (taken < length) {
      if (rest.length === 0) {
        const { done, value } = isDone ? { done: true, value: undefined } : await reader.read();
        isDone = done;
        if (done) break;
        if (!(value instanceof Uint8Array))
          throw new TypeError(`${title}: gives ${showArgument(value)}, not bytes`);
        rest = value as Uint8Array<ArrayBuffer>;
        continue;
      }
      const piece = rest.subarray(0, length - taken);
      use(piece, taken);
      rest = rest.subarray(piece.length);
      taken += piece.length;
    }
    position += taken;
    return taken;
  }

  return {
    title,
    size: null,
    async read(begin, end) {
      if (begin < position)
        throw new TypeError(
          `${title}: has been read up to byte ${position}, and byte ${begin} is behind (read in the order of the file, or give a Blob, bytes or a path)`,
        );
      await take(begin - position, () => {});
      const bytes = room(title, begin, end);
      await take(bytes.length, (piece, at) => bytes.set(piece, at));
      checkEnd(title, isDone && rest.length === 0 ? position : end, begin, end);
      return bytes;
    },
    async upTo(length) {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, await take(length, (piece, at) => bytes.set(piece, at)));
    },
    async close() {
      if (!isDone) await reader.cancel();
    },
  };
}
