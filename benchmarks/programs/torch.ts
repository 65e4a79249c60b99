/** The same programs in PyTorch, in a child process: where there is a python3 with torch. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { TypedArray } from "fuseau";
import { type Program, typedArrays } from "./program.ts";

interface Answer {
  readonly milliseconds: number;
  readonly dtype: string;
  readonly shape: readonly number[];
}

export interface Torch {
  readonly version: string;
  /** Milliseconds of one call, and its elements. @throws Error where PyTorch does. */
  run(
    program: Program,
    inputs: readonly TypedArray[],
    milliseconds: number,
  ): Promise<{ milliseconds: number; elements: ArrayLike<number | bigint> }>;
  close(): void;
}

/** Null where there is no Python, or no PyTorch in it. */
export async function startTorch(): Promise<Torch | null> {
  const child = spawn("python3", [fileURLToPath(new URL("torch.py", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? '{"error":"it ended"}');
  if (!(await started(child))) return null;
  const hello = (await next()) as { version?: string };
  if (hello.version === undefined) return null;
  const folder = mkdtempSync(join(tmpdir(), "fuseau-torch-"));
  return {
    version: hello.version,
    async run({ inputs, torch }, arrays, milliseconds) {
      const given = Object.entries(inputs).map(([name, { dtype, shape }], k) => {
        const file = join(folder, `${k}`);
        writeFileSync(file, arrays[k]!);
        return { name, dtype, shape, file };
      });
      const result = join(folder, "result");
      const question = { expression: torch, inputs: given, result, milliseconds };
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const answer = (await next()) as Answer | { readonly error: string };
      if ("error" in answer) throw new Error(`PyTorch: ${answer.error}`);
      const { buffer, byteOffset, byteLength } = readFileSync(result);
      const bytes = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
      const array = typedArrays[answer.dtype];
      if (array === undefined) throw new Error(`PyTorch gives ${answer.dtype}`);
      return { milliseconds: answer.milliseconds, elements: new array(bytes) };
    },
    close() {
      child.stdin.end();
      rmSync(folder, { recursive: true });
    },
  };
}

async function started(child: ChildProcess): Promise<boolean> {
  try {
    await once(child, "spawn");
    return true;
  } catch {
    return false;
  }
}
