/** How much code kernels become. What is generated, and compiled by the host before anything runs, has a bound whatever the program. */
import { compile, compileWasm, targets } from "@fuseau/compiler";
import { type LoopKernel, printLoopKernel } from "@fuseau/ir";
import { describe, expect, test } from "vitest";
import { chain, type FirstProgram, named, single } from "../../benchmarks/first-call/programs.ts";
import { compileJs } from "../../packages/compiler/src/emit/js/emit.ts";
import { extract, forget, record } from "../../packages/runtime/src/execute/extract/extract.ts";
import { unwrap } from "../../packages/runtime/src/tensor/handle.ts";

/** Bytes of a module, characters of a kernel's text. */
const BUDGET = { wasm: 80_000, js: 160_000 };
/** What nine of ten kernels stay below. */
const USUAL = { wasm: 28_000, js: 14_000 };

function loopsOf(program: FirstProgram, emitter: "wasm" | "js" = "wasm"): LoopKernel[] {
  try {
    const graph = record(extract([unwrap(program.record())]));
    return compile(graph, { target: () => targets[emitter] }).calls.map(({ loop }) => loop);
  } finally {
    forget();
  }
}

const wasmSize = (loop: LoopKernel): number =>
  compileWasm(loop, "kernel", { shared: false, relaxed: false }).bytes.length;
const jsSize = (loop: LoopKernel): number => compileJs(loop, "kernel").source.length;

describe("programs that were slow the first time", () => {
  test.each(named().map((program) => [program.name, program] as const))("%s", (_, program) => {
    for (const loop of loopsOf(program, "wasm")) expect(wasmSize(loop)).toBeLessThan(BUDGET.wasm);
    for (const loop of loopsOf(program, "js")) expect(jsSize(loop)).toBeLessThan(BUDGET.js);
  });
});

test("a recording of many steps is a few kernels, each run many times", () => {
  const [heat] = named().filter(({ name }) => name === "heat, 100 steps of slices");
  const loops = loopsOf(heat!).map(printLoopKernel);
  expect(new Set(loops).size).toBeLessThan(6);
  for (const loop of loops) expect(loop.length).toBeLessThan(20_000);
});

/** Of a pad by its inner axis: the largest kernel there is has 32,072 bytes, those of long axes 1,600. */
const SHORT_AXIS = 33_000;

test("a short inner axis is unrolled within bounds", () => {
  const programOf = (size: number): FirstProgram =>
    named(size).find(({ name }) => name === "reflect pad of images")!;
  for (let size = 4; size <= 20; size++)
    for (const emitter of ["wasm", "js"] as const)
      for (const loop of loopsOf(programOf(size), emitter)) expect(wasmSize(loop)).toBeLessThan(SHORT_AXIS);
});

test("programs at random", () => {
  const seeds = Array.from({ length: 60 }, (_, k) => k + 1);
  const programs = [...seeds.map(single), ...seeds.map(chain)];
  for (const [size, emitter] of [
    [wasmSize, "wasm"],
    [jsSize, "js"],
  ] as const) {
    const loops = programs.flatMap((program) => loopsOf(program, emitter));
    const sizes = loops.map(size).sort((a, b) => a - b);
    expect(sizes.at(-1)).toBeLessThan(BUDGET[emitter]);
    expect(sizes[Math.floor(0.9 * sizes.length)]).toBeLessThan(USUAL[emitter]);
  }
});
