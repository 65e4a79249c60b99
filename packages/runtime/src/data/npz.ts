/** npz files: npy files by name in an archive. Source: numpy.savez on numpy.org/doc/stable. */
import { showArgument } from "@fuseau/ir";
import { checkOptions } from "../entry/made.ts";
import { promised } from "../entry/operation.ts";
import type { AnyTensor } from "../js.ts";
import { checkTensor, FormatError } from "./check.ts";
import { arrayPieces, readArray } from "./npy.ts";
import { type ByteSource, bytesSource, joined, openWhole } from "./source.ts";
import { type ByteTarget, targetOf, write } from "./target.ts";
import { archivePieces, readDirectory, readMember } from "./zip.ts";

/** An open npz file. */
export interface NpzFile {
  readonly names: readonly string[];
  /**
   * Reads one tensor. If the source can be read by ranges, only its bytes are read.
   * @throws RangeError for a name that does not exist; FormatError for a member that is damaged or no npy file.
   */
  read(name: string): Promise<AnyTensor>;
  close(): Promise<void>;
}

/** Options of writing. */
export interface NpzOptions {
  /** Compresses members, as numpy.savez_compressed does. Default false. */
  readonly compressed?: boolean;
}

const SUFFIX = ".npy";

/**
 * Opens a file whose tensors are read one by one. A stream is read to its end first.
 * @throws what {@link readNpz} throws.
 */
export const openNpz = promised("openNpz", "source", async (source: ByteSource): Promise<NpzFile> => {
  return openFor("openNpz", source);
});

async function openFor(op: string, source: ByteSource): Promise<NpzFile> {
  const open = await openWhole(op, source);
  try {
    const directory = await readDirectory(open, open.size!);
    const members = new Map(
      directory
        .filter(({ name }) => name.endsWith(SUFFIX))
        .map((member) => [member.name.slice(0, -SUFFIX.length), member]),
    );
    if (members.size === 0 && directory.length > 0)
      throw new FormatError(`${open.title}: is an archive without ${SUFFIX} files`);
    return {
      names: [...members.keys()],
      read: promised("read", "name: text", async (name: string) => {
        const member = members.get(name);
        if (member === undefined)
          throw new RangeError(
            `${open.title}: has no ${JSON.stringify(name)}; it has ${[...members.keys()].map((key) => JSON.stringify(key)).join(", ") || "none"}`,
          );
        return readArray(bytesSource(`${open.title}: ${member.name}`, await readMember(op, open, member)));
      }),
      close: () => open.close(),
    };
  } catch (error) {
    await open.close();
    throw error;
  }
}

/**
 * The tensors of an npz file by name; members may be stored or deflated.
 * @throws FormatError for a file that is damaged, or has something that {@link readNpy} refuses; TypeError where the host cannot inflate.
 */
export const readNpz = promised(
  "readNpz",
  "source",
  async (source: ByteSource): Promise<Record<string, AnyTensor>> => {
    const file = await openFor("readNpz", source);
    try {
      const loaded: [string, AnyTensor][] = [];
      for (const name of file.names) loaded.push([name, await file.read(name)]);
      return Object.fromEntries(loaded);
    } finally {
      await file.close();
    }
  },
);

/** Writes tensors by name; each is computed when it is written. Without a target it returns the bytes of the file. */
export const writeNpz: {
  (tensors: Readonly<Record<string, AnyTensor>>, options?: NpzOptions): Promise<Uint8Array>;
  (target: ByteTarget, tensors: Readonly<Record<string, AnyTensor>>, options?: NpzOptions): Promise<void>;
} = promised("writeNpz", "target, tensors, { compressed }", async (...given: unknown[]): Promise<never> => {
  const [target, tensors, options] = targetOf(given, 3);
  return (await write("writeNpz", target, pieces(tensors as never, options as NpzOptions))) as never;
});

/** Checks all arguments before the first piece is written. */
function pieces(
  tensors: Readonly<Record<string, AnyTensor>>,
  options: NpzOptions | null | undefined,
): AsyncIterable<Uint8Array> {
  const op = "writeNpz";
  checkOptions(op, options ?? {}, { compressed: "flag" });
  if (typeof tensors !== "object" || tensors === null)
    throw new TypeError(`${op}: the tensors must be an object by name, but got ${showArgument(tensors)}`);
  const members = Object.entries(tensors).map(([name, given]) => {
    const x = checkTensor(op, JSON.stringify(name), given);
    return [name + SUFFIX, () => memberBytes(op, x)] as const;
  });
  return archivePieces(op, members, options?.compressed ?? false);
}

function memberBytes(op: string, x: AnyTensor): Uint8Array {
  const parts = [...arrayPieces(op, x)];
  return joined(
    parts,
    parts.reduce((length, part) => length + part.length, 0),
  );
}
