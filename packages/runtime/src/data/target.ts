/** Targets of bytes: a file, a stream, or memory, written one piece after another. */
import { showArgument } from "@fuseau/ir";
import { type FileUrl, files, pathOf, type WritableStreamLike } from "./host.ts";
import { joined } from "./source.ts";

/** What tensors are written to: a path or file: URL (in Node, Deno and Bun), or a `WritableStream` of bytes. */
export type ByteTarget = string | FileUrl | WritableStreamLike;

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** True for a value that may be a target and cannot be what is written, since tensors may have any names. */
const isTarget = (given: unknown): given is ByteTarget =>
  typeof given === "string" ||
  (typeof given === "object" && given !== null && (isUrl(given) || isWritable(given)));

/**
 * The target, or null if there is none, and what is written to it. A call of `most` arguments begins with a target.
 * @throws TypeError if it does not.
 */
export function targetOf(given: readonly unknown[], most: number): [ByteTarget | null, ...unknown[]] {
  const [first] = given;
  if (isTarget(first)) return [first, ...given.slice(1)];
  if (given.length < most || given[most - 1] === undefined) return [null, ...given];
  throw new TypeError(`writes to a path, a file: URL or a WritableStream, but got ${showArgument(first)}`);
}

const isUrl = (given: object): given is FileUrl => "href" in given && typeof given.href === "string";

const isWritable = (given: object): given is WritableStreamLike =>
  "getWriter" in given && typeof given.getWriter === "function";

/**
 * Writes the pieces in order, each after the one before is written. Without a target it returns their bytes.
 * @throws whatever the target throws; then a file of that name is unchanged.
 */
export async function write(
  op: string,
  target: ByteTarget | null,
  pieces: Pieces,
): Promise<Uint8Array | undefined> {
  if (target === null) return writeBytes(pieces);
  if (typeof target === "string") await writeFile(op, target, pieces);
  else if (isUrl(target)) await writeFile(op, pathOf(op, target), pieces);
  else await writeStream(target, pieces);
  return undefined;
}

async function writeBytes(pieces: Pieces): Promise<Uint8Array> {
  const list: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    list.push(piece);
    length += piece.length;
  }
  return joined(list, length);
}

async function writeStream(stream: WritableStreamLike, pieces: Pieces): Promise<void> {
  const writer = stream.getWriter();
  try {
    for await (const piece of pieces) {
      await writer.ready;
      await writer.write(piece);
    }
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {});
    throw error;
  }
}

/**
 * Written under another name first, so that nobody reads half of the file, and a failure leaves the old one. Each call has a name of its own:
 * of several that write one file at a time, the last to finish wins.
 */
async function writeFile(op: string, path: string, pieces: Pieces): Promise<void> {
  const system = files(op);
  const partial = `${path}.${Math.random().toString(36).slice(2)}.partial`;
  try {
    const handle = await system.open(partial, "w");
    try {
      for await (const piece of pieces) {
        for (let at = 0; at < piece.length; )
          at += (await handle.write(piece, at, Math.min(piece.length - at, 2 ** 30))).bytesWritten;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await system.rename(partial, path);
  } catch (error) {
    await system.rm(partial, { force: true });
    throw error;
  }
}
