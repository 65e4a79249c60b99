/** Runs a lane function over arrays: a module with one loop of straight-line code, for tests and measurements. */
import { ModuleBuilder } from "../../../packages/compiler/src/emit/wasm/encode/module.ts";
import { StraightCode } from "../../../packages/compiler/src/emit/wasm/lanes/code.ts";
import {
  emitConstants,
  emitStraight,
  Placement,
} from "../../../packages/compiler/src/emit/wasm/lanes/emit-straight.ts";
import type { Register, Straight } from "../../../packages/compiler/src/emit/wasm/lanes/straight.ts";
import { instantiate, type Memory, newMemory } from "./instantiate.ts";

type Lanes = "f32x4" | "f64x2";
type LaneArray<L extends Lanes> = L extends "f32x4" ? Float32Array : Float64Array;
type LaneFunction = (code: Straight, ...args: Register[]) => Register;

/** How many copies of the step are emitted op by op. */
const copies = 2;
const stepBytes = 16 * copies;
const pageBytes = 65536;
/** The bytes of an array that stand in memory at once. */
const chunkBytes = 16 * pageBytes;

/**
 * The lane function applied to each place of the inputs, which have one length. The last step is padded with 0, which
 * the function sees. Pass a function that was made once, not one made for each call: its module is kept.
 */
export function runLanes<L extends Lanes>(
  _lanes: L,
  arity: number,
  build: LaneFunction,
  inputs: readonly LaneArray<L>[],
): LaneArray<L> {
  const result = inputs[0]!.slice() as LaneArray<L>;
  const resultBytes = new Uint8Array(result.buffer);
  const inputBytes = inputs.map((input) => new Uint8Array(input.buffer, input.byteOffset, input.byteLength));
  const { memory, run } = laneInstance(arity, build);
  for (let start = 0; start < resultBytes.length; start += chunkBytes) {
    const end = Math.min(start + chunkBytes, resultBytes.length);
    const padded = Math.ceil((end - start) / stepBytes) * stepBytes;
    inputBytes.forEach((input, i) => {
      const place = new Uint8Array(memory.buffer, (i + 1) * chunkBytes, padded);
      place.set(input.subarray(start, end));
      place.fill(0, end - start);
    });
    run(padded);
    resultBytes.set(new Uint8Array(memory.buffer, 0, end - start), start);
  }
  return result;
}

interface LaneInstance {
  readonly memory: Memory;
  readonly run: (bytes: number) => void;
}

const instances = new Map<LaneFunction, LaneInstance>();

function laneInstance(arity: number, build: LaneFunction): LaneInstance {
  const known = instances.get(build);
  if (known !== undefined) return known;
  const memory = newMemory(((arity + 1) * chunkBytes) / pageBytes);
  const made = { memory, run: instantiate(loopModule(arity, build), { memory }).run! };
  instances.set(build, made);
  return made;
}

/** `run(bytes)`: the result stands at address 0, the arguments behind it, `chunkBytes` from each other. */
function loopModule(arity: number, build: LaneFunction): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder({ module: "env", name: "memory", shared: false, initial: 1 });
  const run = module.function("run", ["i32"]);
  module.exportFunction("run", run.index);
  const code = new StraightCode();
  const address = code.input("i32");
  const args = Array.from({ length: arity }, (_, i) => code.with("v128.load", (i + 1) * chunkBytes, address));
  code.store("v128.store", 0, address, build(code, ...args));
  const placement = new Placement(code, run);
  const pointer = run.local("i32");
  placement.share(address, pointer);
  emitConstants(placement);
  run.forRange(pointer, 0, stepBytes, () => {
    emitStraight(placement, { count: copies, offset: (_, copy) => 16 * copy });
  });
  return module.toBytes();
}
