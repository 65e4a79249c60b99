/** Files that Python wrote (fixtures/make.py) are read, and what is written is, byte for byte, what Python writes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type AnyTensor, arange, type DType, fromTypedArray, full, type Tensor, tensor, zeros } from "fuseau";
import {
  type ByteSource,
  loadSafetensors,
  openNpy,
  openNpz,
  openSafetensors,
  readNpy,
  readNpz,
  saveSafetensors,
  writeNpy,
  writeNpz,
} from "fuseau/data";
import { afterAll, describe, expect, test } from "vitest";

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
const bytesOf = (name: string): Buffer<ArrayBuffer> => readFileSync(fixture(name));

const folder = mkdtempSync(join(tmpdir(), "fuseau-data-"));
afterAll(() => rmSync(folder, { recursive: true }));

const names = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"] as const;

/** What fixtures/make.py has of each dtype. */
function table(dtype: DType): AnyTensor {
  if (dtype === "bool")
    return tensor([
      [true, true, true],
      [true, true, true],
    ]);
  const whole = tensor(
    [
      [1, -2, 3],
      [4, 5, 126],
    ],
    { dtype: "float64" },
  );
  if (dtype === "uint8") return whole.abs().to(dtype);
  return (dtype.startsWith("float") ? whole.add(0.5) : whole).to(dtype);
}

/** Each kind of source over the same bytes. The stream's pieces are odd, so that nothing is where it was written. */
function sources(path: string): Record<string, () => ByteSource> {
  const bytes = readFileSync(path);
  const copy = (): ArrayBuffer => new Uint8Array(bytes).buffer;
  const stream = (): ReadableStream<Uint8Array> => {
    let at = 0;
    return new ReadableStream({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(new Uint8Array(bytes.subarray(at, at + 7)));
        at += 7;
      },
    });
  };
  const odd = new Uint8Array(bytes.length + 3);
  odd.set(bytes, 3);
  return {
    path: () => path,
    "file: URL": () => pathToFileURL(path),
    ArrayBuffer: copy,
    "unaligned bytes": () => odd.subarray(3),
    Blob: () => new Blob([copy()]),
    Response: () => new Response(stream()),
    ReadableStream: stream,
  };
}

describe("every source and every dtype", () => {
  test.each(Object.entries(sources(fixture("all.safetensors"))))("safetensors from %s", async (_, source) => {
    const loaded = await loadSafetensors(source());
    for (const dtype of names) expect(loaded[`layer.${dtype}`]).toEqual(table(dtype));
    expect(loaded.empty).toEqual(zeros([2, 0]));
    expect(loaded.scalar).toEqual(tensor(3));
  });

  test.each(Object.entries(sources(fixture("all.npz"))))("npz from %s", async (_, source) => {
    const loaded = await readNpz(source());
    expect(Object.keys(loaded)).toEqual([...names]);
    for (const dtype of names) expect(loaded[dtype]).toEqual(table(dtype));
  });

  test.each(Object.entries(sources(fixture("fortran.npy"))))("npy from %s", async (_, source) => {
    expect(await readNpy(source())).toEqual(arange(24).to("int16").reshape([2, 3, 4]));
  });
});

describe("what Python writes is written", () => {
  test("safetensors", async () => {
    const tensors = Object.fromEntries(names.map((dtype) => [`layer.${dtype}`, table(dtype)]));
    const all = { ...tensors, empty: zeros([2, 0]), scalar: tensor(3) };
    // The metadata's order is that of a hash map there, and no two files have the same.
    const { metadata } = await openSafetensors(bytesOf("all.safetensors"));
    expect(metadata).toEqual({ format: "np", note: "naïve" });
    expect(Buffer.from(await saveSafetensors(all, { metadata }))).toEqual(bytesOf("all.safetensors"));
  });

  test("npy", async () => {
    const strided = arange(6).to("float64").reshape([2, 3]).t().slice([1, null]);
    expect((await readNpy(await writeNpy(strided))).equal(strided)).toBe(true);
    for (const [name, x] of [
      ["scalar.npy", tensor(0.1, { dtype: "float64" })],
      ["empty.npy", zeros([0, 3])],
    ] as const)
      expect(Buffer.from(await writeNpy(x))).toEqual(bytesOf(name));
  });

  test("npz without members is what numpy writes: the end record alone", async () => {
    const bytes = await writeNpz({});
    expect(Buffer.from(bytes).toString("hex")).toBe(`504b0506${"00".repeat(18)}`);
    expect(await readNpz(bytes)).toEqual({});
  });

  test("npz has no names of more bytes than fit", async () => {
    await expect(writeNpz({ ["x".repeat(65_532)]: tensor([1]) })).rejects.toThrow(
      "writeNpz: a name takes at most 65535 bytes with its ending, and one takes 65536",
    );
  });

  test.each([true, false])("npz, compressed: %s", async (compressed) => {
    const tensors = Object.fromEntries(names.map((dtype) => [dtype, table(dtype)]));
    expect(await readNpz(await writeNpz(tensors, { compressed }))).toEqual(tensors);
  });
});

describe("particular files", () => {
  test("bfloat16 is read into float32, bit for bit", async () => {
    const { weight } = await loadSafetensors(fixture("bfloat16.safetensors"));
    const bits = Uint32Array.of(0x3fc00000, 0xff800000, 0x7fc10000, 0x00010000);
    expect(weight!.shape).toEqual([2, 2]);
    expect(new Uint32Array((weight!.toTypedArray() as Float32Array).buffer)).toEqual(bits);
  });

  test("big-endian, version 2, deflated", async () => {
    expect((await readNpy(fixture("big-endian.npy"))).toArray()).toEqual([1.5, -2, 2 ** 40]);
    expect(await readNpy(fixture("version-2.npy"))).toEqual(tensor([7, 8], { dtype: "int32" }));
    const { long, name } = await readNpz(fixture("deflated.npz"));
    expect(long).toEqual(zeros([400], { dtype: "float64" }));
    expect(name).toEqual(tensor(2.5));
  });

  test("NaN's bits, −0 and the ends of int64 come back", async () => {
    const bits = fromTypedArray(new Float32Array(Uint32Array.of(0x7fc12345, 0x80000000).buffer));
    const ends = tensor([-(2n ** 63n), 2n ** 63n - 1n]);
    const back = await loadSafetensors(await saveSafetensors({ bits, ends }));
    expect(new Uint32Array((back.bits!.toTypedArray() as Float32Array).buffer)).toEqual(
      Uint32Array.of(0x7fc12345, 0x80000000),
    );
    expect(back.ends).toEqual(ends);
  });

  test("names of tensors are any text", async () => {
    const tensors = Object.fromEntries(
      ["__proto__", "href", "getWriter", "7", 'a"b', "\u{1f600}"].map((name, k) => [name, tensor(k)]),
    );
    expect(await loadSafetensors(await saveSafetensors(tensors))).toEqual(tensors);
    expect(await readNpz(await writeNpz(tensors))).toEqual(tensors);
  });
});

describe("parts of a file", () => {
  /** A blob that says what was read of it. */
  function watched(name: string): { readonly blob: ByteSource; readonly read: [number, number][] } {
    const read: [number, number][] = [];
    const whole = new Blob([bytesOf(name)]);
    const slice = (begin = 0, end = whole.size): Blob => {
      read.push([begin, end]);
      return whole.slice(begin, end);
    };
    return { blob: { size: whole.size, slice, arrayBuffer: () => whole.arrayBuffer() }, read };
  }

  test("of safetensors one tensor is read, or rows of it", async () => {
    const { blob, read } = watched("all.safetensors");
    const file = await openSafetensors(blob);
    expect(file.tensors.get("layer.int64")).toEqual({ dtype: "int64", shape: [2, 3] });
    read.length = 0;
    expect(await file.read("layer.int64")).toEqual(table("int64"));
    expect(await file.read("layer.float32", [1, 2])).toEqual(table("float32").slice([1, 2]));
    expect(read.map(([begin, end]) => end - begin)).toEqual([48, 12]);
    await expect(file.read("layer.float32", [1, 3])).rejects.toThrow(
      'read: the blob: "layer.float32": of shape [2, 3] has no rows 1 to 3',
    );
    await expect(file.read("layer")).rejects.toThrow('has no tensor "layer"; it has "layer.int64"');
    await file.close();
  });

  test("of npy rows are read", async () => {
    const path = join(folder, "rows.npy");
    await writeNpy(path, arange(1000).reshape([100, 10]));
    const file = await openNpy(path);
    expect([file.dtype, file.shape]).toEqual(["int64", [100, 10]]);
    expect(await file.read([40, 42])).toEqual(arange(400, 420).reshape([2, 10]));
    await file.close();
    await expect((await openNpy(bytesOf("fortran.npy"))).read([0, 1])).rejects.toThrow("in Fortran's order");
  });

  test("of npz one member is read", async () => {
    const { blob, read } = watched("all.npz");
    const file = await openNpz(blob);
    expect(file.names).toEqual([...names]);
    read.length = 0;
    expect(await file.read("int8")).toEqual(table("int8"));
    expect(read.map(([begin, end]) => end - begin)).toEqual([30, 134]);
    await expect(file.read("int")).rejects.toThrow('has no "int"; it has "bool", "uint8"');
  });

  test("a stream goes one way", async () => {
    const file = await openSafetensors(sources(fixture("all.safetensors")).ReadableStream!());
    expect(await file.read("layer.float32")).toEqual(table("float32"));
    await expect(file.read("layer.int64")).rejects.toThrow("read in the order of the file");
    await file.close();
  });
});

describe("writing", () => {
  test("to a path and to a stream are the same bytes", async () => {
    const tensors = { a: arange(5), b: zeros([2, 2]) };
    const bytes = await saveSafetensors(tensors);
    const path = join(folder, "model.safetensors");
    await saveSafetensors(path, tensors);
    expect(readFileSync(path)).toEqual(Buffer.from(bytes));
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const [received] = await Promise.all([
      new Response(readable).arrayBuffer(),
      saveSafetensors(writable, tensors),
    ]);
    expect(new Uint8Array(received)).toEqual(bytes);
  });

  test("several saves to one path at a time leave the whole of one", async () => {
    const path = join(folder, "several.safetensors");
    const save = (k: number): Promise<void> =>
      saveSafetensors(path, { a: full([70_000 * k], k), b: full([70_000], k) });
    await Promise.all([save(1), save(2), save(3)]);
    const { a, b } = (await loadSafetensors(path)) as { a: Tensor; b: Tensor };
    expect([a.min().item(), a.max().item(), b.max().item()]).toEqual(new Array(3).fill(a.size(0) / 70_000));
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
    await expect(loadSafetensors(folder)).rejects.toThrow("is a directory");
  });

  test("a failure leaves the file that was there", async () => {
    const path = join(folder, "kept.npz");
    await writeNpz(pathToFileURL(path), { a: tensor([1, 2]) });
    const broken = arange(3).floorDivide(zeros([3], { dtype: "int64" }));
    await expect(writeNpz(path, { a: tensor([3]), broken })).rejects.toThrow("ZeroDivisionError");
    expect(await readNpz(path)).toEqual({ a: tensor([1, 2]) });
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
  });
});
