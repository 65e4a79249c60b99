/** PyTorch on one thread, in a child process that runs programs and training steps: where a python3 has torch. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { TypedArray } from "fuseau";
import type { Timed } from "../../measure/processor-time.ts";

export interface TorchInput {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly elements: TypedArray;
}

export interface TorchProgram {
  /** A Python expression over the inputs' names; `torch` and `F` (torch.nn.functional) are there. */
  readonly expression: string;
  readonly inputs: Readonly<Record<string, TorchInput>>;
}

/** By Adam as it comes, on mean cross entropy, over batches that go round. */
export interface TorchTraining {
  /** A Python expression that makes a module; `nn` (torch.nn) is there. */
  readonly network: string;
  /** In the module's own order. */
  readonly parameters: readonly TorchInput[];
  readonly images: TorchInput;
  readonly labels: TorchInput;
  readonly batch: number;
}

export interface Torch {
  /** Version, threads, vector instructions, and the library that products are from. */
  readonly about: string;
  /** The elements of what a program gives, and its time without gradients. @throws Error where PyTorch does. */
  program(
    program: TorchProgram,
  ): Promise<{ readonly elements: ArrayLike<number | bigint>; readonly time: Timed }>;
  /** Steps, from the start: each call of `steps` goes on where the last one ended, and gives the losses. */
  training(training: TorchTraining): Promise<{
    readonly steps: (count: number) => Promise<readonly number[]>;
    readonly time: Timed;
  }>;
  close(): void;
}

interface Hello {
  readonly version: string;
  readonly threads: number;
  readonly vectors: string;
  readonly blas: string;
}

interface Run {
  readonly milliseconds: number;
  readonly losses: readonly number[];
}

type Ask = (question: object) => Promise<unknown>;

const WORKER = fileURLToPath(new URL("worker.py", import.meta.url));
/** OpenBLAS and MKL have threads of their own. */
export const ONE_THREAD = { OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1", MKL_NUM_THREADS: "1" };

/** By the names that PyTorch has for dtypes. */
const typedArrays: Readonly<Record<string, new (buffer: ArrayBuffer) => ArrayLike<number | bigint>>> = {
  float32: Float32Array,
  float64: Float64Array,
  int64: BigInt64Array,
  int32: Int32Array,
  uint8: Uint8Array,
  bool: Uint8Array,
};

/** Of the first python3 that imports torch: those on PATH, then the system's own. Null where none does. */
export async function startTorch(): Promise<Torch | null> {
  for (const python of pythons()) {
    const torch = await startIn(python);
    if (torch !== null) return torch;
  }
  return null;
}

/** Every python3 on PATH, then the system's own. */
export function pythons(): readonly string[] {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin"];
  return [...new Set(folders.map((folder) => join(folder, "python3")))].filter((path) => existsSync(path));
}

async function startIn(python: string): Promise<Torch | null> {
  const child = spawn(python, [WORKER], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...ONE_THREAD },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { value } = await lines.next();
    const answer: object = JSON.parse(value ?? '{"error":"the process ended"}');
    if ("error" in answer) throw new Error(`PyTorch: ${answer.error}`);
    return answer;
  };
  const ask: Ask = (question) => {
    child.stdin.write(`${JSON.stringify(question)}\n`);
    return next();
  };
  try {
    await once(child, "spawn");
    const { version, threads, vectors, blas } = (await next()) as Hello;
    const about = `PyTorch ${version}, ${threads} thread${threads === 1 ? "" : "s"}, ${vectors}, BLAS ${blas}`;
    return torchOf(about, ask, () => child.stdin.end());
  } catch {
    return null;
  }
}

function torchOf(about: string, ask: Ask, end: () => void): Torch {
  const folder = mkdtempSync(join(tmpdir(), "fuseau-torch-"));
  let files = 0;
  const given = ({ elements, dtype, shape }: TorchInput, name: string) => {
    const file = join(folder, `${files++}`);
    writeFileSync(file, elements);
    return { name, dtype, shape, file };
  };
  const run = async (calls: number): Promise<Run> => (await ask({ calls })) as Run;
  const time: Timed = async (calls) => (await run(calls)).milliseconds;
  return {
    about,
    async program({ expression, inputs }) {
      files = 0;
      const result = join(folder, "result");
      const named = Object.entries(inputs).map(([name, input]) => given(input, name));
      const { dtype } = (await ask({ expression, inputs: named, result })) as { readonly dtype: string };
      const { buffer, byteOffset, byteLength } = readFileSync(result);
      const array = typedArrays[dtype];
      if (array === undefined) throw new Error(`PyTorch gives ${dtype}`);
      return { elements: new array(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer), time };
    },
    async training({ network, parameters, images, labels, batch }) {
      files = 0;
      await ask({
        network,
        parameters: parameters.map((parameter, k) => given(parameter, `${k}`)),
        images: given(images, "images"),
        labels: given(labels, "labels"),
        batch,
      });
      return { steps: async (count) => (await run(count)).losses, time };
    },
    close() {
      end();
      rmSync(folder, { recursive: true });
    },
  };
}
