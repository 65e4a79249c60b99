/** Files that are damaged, or hold what is not read: the error says what, and where. */
import { readFileSync } from "node:fs";
import { type AnyTensor, tensor } from "fuseau";
import {
  FormatError,
  loadSafetensors,
  openSafetensors,
  readNpy,
  readNpz,
  saveSafetensors,
  writeNpy,
  writeNpz,
} from "fuseau/data";
import { describe, expect, test } from "vitest";

const fixture = (name: string): Uint8Array => readFileSync(new URL(`fixtures/${name}`, import.meta.url));

/** A safetensors file of a header and so many bytes of data. */
function withHeader(header: unknown, data = 8): Uint8Array {
  const text = new TextEncoder().encode(typeof header === "string" ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + data);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  return bytes;
}

const entry = (dtype: unknown, shape: unknown, offsets: unknown): object => ({
  w: { dtype, shape, data_offsets: offsets },
});

describe("safetensors", () => {
  test.each([
    ["cut within the length", withHeader({}).subarray(0, 5), "ends at byte 5, but bytes 0 to 8 are needed"],
    [
      "cut within the data",
      withHeader(entry("F32", [2], [0, 8])).subarray(0, -1),
      "but its tensors end at byte",
    ],
    ["too long", withHeader(entry("F32", [1], [0, 4])), "but its tensors end at byte"],
    ["no such file", fixture("all.npz"), "more than a header may have"],
    ["a header of text", withHeader("{,}"), "the header at byte 8 is no JSON"],
    ["a header of a list", withHeader([]), "the header at byte 8 is no JSON object"],
    [
      "a hole",
      withHeader(entry("F32", [1], [4, 8])),
      '"w" begins at byte 4 of the data, but the tensor before it ends at 0',
    ],
    [
      "too few bytes",
      withHeader(entry("F32", [3], [0, 8])),
      '"w" has 8 bytes, but F32 of shape [3] takes 12',
    ],
    [
      "an endless shape",
      withHeader(entry("U8", [2 ** 52, 2 ** 52], [0, 8])),
      '"w" has 8 bytes, but U8 of shape',
    ],
    ["a shape of texts", withHeader(entry("U8", ["8"], [0, 8])), '"w" has the shape ["8"], no list of sizes'],
    ["places of one", withHeader(entry("U8", [8], [0])), '"w" has the data_offsets [0], no pair'],
    ["no dtype", withHeader(entry(undefined, [8], [0, 8])), '"w" is of dtype undefined; I64, F64'],
    ["no object", withHeader({ w: 1 }), '"w" is no object'],
    ["metadata of numbers", withHeader({ __metadata__: { a: 1 } }, 0), '"__metadata__" is no map of texts'],
    ["uint32", fixture("unsigned.safetensors"), 'the header\'s "counts" is of dtype "U32"; I64, F64'],
    [
      "a bool of 7",
      withHeader(entry("BOOL", [8], [0, 8])).fill(7, -3, -2),
      '"w": element 5 of a bool tensor is 7',
    ],
  ])("%s", async (_, bytes, message) => {
    await expect(loadSafetensors(bytes)).rejects.toThrow(FormatError);
    await expect(loadSafetensors(bytes)).rejects.toThrow(message);
    await expect(loadSafetensors(bytes)).rejects.toThrow("loadSafetensors: the bytes: ");
  });

  test("a header that a stream cannot keep", async () => {
    const huge = withHeader(entry("U8", [2 ** 50], [0, 2 ** 50]));
    await expect(loadSafetensors(new Response(huge.slice().buffer))).rejects.toThrow(
      "loadSafetensors: the response: there is no memory for its bytes",
    );
    const longer = withHeader(entry("U8", [20], [0, 20]));
    await expect(loadSafetensors(new Response(longer.slice().buffer))).rejects.toThrow("ends at byte");
  });

  test("every cut and every changed byte is an error or a file", async () => {
    const whole = await saveSafetensors({ a: tensor([1, 2]), b: tensor([true]) }, { metadata: { k: "v" } });
    for (let k = 0; k < whole.length; k++) {
      await expect(loadSafetensors(whole.subarray(0, k))).rejects.toThrow(FormatError);
      const changed = whole.slice();
      changed[k] = changed[k]! ^ 0x10;
      await loadSafetensors(changed).catch((error: unknown) => expect(error).toBeInstanceOf(FormatError));
    }
  });
});

describe("npy", () => {
  test.each([
    ["objects.npy", "reading them would run what the file says, and is never done"],
    ["complex.npy", "is of dtype <c16; b1, u1, i1"],
    ["structured.npy", "is of a structured dtype"],
    ["all.npz", "does not begin with \\x93NUMPY"],
  ])("%s", async (name, message) => {
    await expect(readNpy(fixture(name))).rejects.toThrow(FormatError);
    await expect(readNpy(fixture(name))).rejects.toThrow(message);
  });

  test("every cut is an error", async () => {
    const whole = await writeNpy(tensor([1, 2, 3]));
    for (let k = 0; k < whole.length; k++)
      await expect(readNpy(whole.subarray(0, k))).rejects.toThrow(FormatError);
  });

  test("every changed byte of the header is an error or a file", async () => {
    const whole = await writeNpy(tensor([1, 2, 3]));
    for (let k = 0; k < 128; k++) {
      const changed = whole.slice();
      changed[k] = changed[k]! ^ 0x04;
      await readNpy(changed).catch((error: unknown) => expect(error).toBeInstanceOf(FormatError));
    }
  });
});

describe("npz", () => {
  test.each([true, false])("every cut and every changed byte, compressed: %s", async (compressed) => {
    const x = tensor([1, 2, 3]);
    const whole = await writeNpz({ x }, { compressed });
    for (let k = 0; k < whole.length; k++) {
      await expect(readNpz(whole.subarray(0, k))).rejects.toThrow(FormatError);
      const changed = whole.slice();
      changed[k] = changed[k]! ^ 0x01;
      const read = await readNpz(changed).catch((error: unknown) => error);
      // What is not under the checksum (dates, versions, the local header's copies, the name) may change unnoticed.
      if (read instanceof Error) expect(read).toBeInstanceOf(FormatError);
      else expect(Object.values(read as Record<string, AnyTensor>)).toEqual([x]);
    }
  });

  test("other archives", async () => {
    await expect(readNpz(fixture("all.safetensors"))).rejects.toThrow("has no directory at its end");
    await expect(readNpz(new Uint8Array(0))).rejects.toThrow("has no directory at its end");
  });
});

describe("arguments", () => {
  test("what is no source, target, tensor or option", async () => {
    await expect(readNpy(7 as never)).rejects.toThrow("readNpy: reads a path, a file: URL, bytes");
    await expect(readNpy("missing.npy")).rejects.toThrow("ENOENT");
    await expect(readNpy(new Response("", { status: 404 }))).rejects.toThrow("the server answered 404");
    await expect(readNpy(new URL("https://example.org/x.npy"))).rejects.toThrow(TypeError);
    await expect(writeNpy(7 as never, tensor(1))).rejects.toThrow(
      "writeNpy: writes to a path, a file: URL or a WritableStream, but got 7",
    );
    await expect(saveSafetensors({ w: [1] as never })).rejects.toThrow('"w" must be a Tensor');
    await expect(saveSafetensors({}, { metadata: { a: 1 as never } })).rejects.toThrow(
      "metadata a must be a text",
    );
    await expect(saveSafetensors({}, { meta: {} } as never)).rejects.toThrow('unknown option "meta"');
    await expect(saveSafetensors({ __metadata__: tensor(1) })).rejects.toThrow("no tensor can be named");
    await expect(writeNpz({}, { compress: true } as never)).rejects.toThrow('unknown option "compress"');
    await expect((await openSafetensors(fixture("all.safetensors"))).read("w")).rejects.toThrow(RangeError);
  });
});
