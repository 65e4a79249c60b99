/** The parts of the host's types that files and streams use, so that users need no library of types. */

/** A file by its bytes, such as `Blob` and `File`. */
export interface BlobLike {
  readonly size: number;
  slice(begin?: number, end?: number): BlobLike;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A `ReadableStream` of bytes. */
export interface ReadableStreamLike {
  getReader(): StreamReader;
}

export interface StreamReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/** A `Response` of `fetch`. */
export interface ResponseLike {
  readonly ok: boolean;
  readonly status: number;
  readonly url: string;
  readonly body: ReadableStreamLike | null;
}

/** A `WritableStream` of bytes. */
export interface WritableStreamLike {
  getWriter(): StreamWriter;
}

export interface StreamWriter {
  readonly ready: Promise<unknown>;
  write(chunk: Uint8Array): Promise<void>;
  close(): Promise<void>;
  abort(reason?: unknown): Promise<void>;
}

/** A `URL` with the scheme file:. */
export interface FileUrl {
  readonly href: string;
  readonly protocol: string;
}

export interface FileHandle {
  read(
    into: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  write(bytes: Uint8Array, offset: number, length: number): Promise<{ readonly bytesWritten: number }>;
  stat(): Promise<{ readonly size: number; isDirectory(): boolean }>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

interface Files {
  open(path: string | FileUrl, flags: "r" | "w"): Promise<FileHandle>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { readonly force: true }): Promise<void>;
}

/**
 * The file system, without an import that bundlers for pages would fail at. Node has it from 20.16 on; Deno 2 and Bun have it.
 * @throws TypeError where there is none.
 */
export function files(op: string): Files {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  const found = process?.getBuiltinModule?.("node:fs/promises");
  if (found !== undefined) return found as Files;
  throw new TypeError(
    `${op}: paths are for Node (20.16 and later), Deno and Bun; elsewhere give bytes, a Blob, a Response or a stream`,
  );
}

/** @throws TypeError for a URL that names no file. */
export function pathOf(op: string, url: FileUrl): string {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  const found = process?.getBuiltinModule?.("node:url") as
    | { fileURLToPath(url: FileUrl): string }
    | undefined;
  if (url.protocol === "file:" && found !== undefined) return found.fileURLToPath(url);
  throw new TypeError(`${op}: ${url.href} names no file here (fetch it, and give the Response)`);
}

interface Transform {
  readonly readable: ReadableStreamLike;
  readonly writable: WritableStreamLike;
}
type TransformClass = new (format: "deflate-raw") => Transform;

/** @throws TypeError where the platform has none. */
export function deflateTransform(
  op: string,
  direction: "CompressionStream" | "DecompressionStream",
): Transform {
  const found = (globalThis as { readonly [Name in typeof direction]?: TransformClass })[direction];
  if (found === undefined)
    throw new TypeError(`${op}: this host has no ${direction}, which members that are deflated need`);
  try {
    return new found("deflate-raw");
  } catch {
    throw new TypeError(
      `${op}: this host's ${direction} does not know "deflate-raw" (Node does from 20.12 on)`,
    );
  }
}
