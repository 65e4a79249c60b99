/** Any sequence of steps keeps every bit: kernels of random graphs, random steps, all emitters. */
import {
  compile,
  type Emitter,
  type KernelFunction,
  printGraph,
  scheduleLoops,
  targets,
} from "@fuseau/compiler";
import {
  type BufferParameter,
  type DType,
  type ForStatement,
  isLoop,
  type LoopKernel,
  mapStatements,
  printLoopKernel,
  type Run,
  type Statement,
  verifyLoopKernel,
} from "@fuseau/ir";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fission } from "../../../packages/compiler/src/tactics/fission.ts";
import { Numbering } from "../../../packages/compiler/src/tactics/numbering.ts";
import { privatise } from "../../../packages/compiler/src/tactics/privatise.ts";
import { Refusal, raise, reorder, runAs, split } from "../../../packages/compiler/src/tactics/steps.ts";
import type { Scheduling } from "../../../packages/compiler/src/tactics/tactic.ts";
import { kernelFunction } from "../../differential/kernel-function.ts";
import { type Program, programs } from "../../differential/random-graph.ts";
import { rowPrograms } from "../../differential/random-rows.ts";
import { runCalls } from "../../differential/run-program.ts";

const runs = Number(process.env.FUSEAU_RUNS ?? 60);

/** Numbers below a bound, one after another; the same for the same seed. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) % below;
  };
}

/** Loops of which nothing has been decided, and nothing around them. */
function openLoops(body: readonly Statement[]): ForStatement[] {
  return body.flatMap((each) => {
    if (!isLoop(each)) return [];
    if (each.kind === "reduce") return openLoops(each.body);
    return each.run === undefined ? [each, ...openLoops(each.body)] : [];
  });
}

const wordFor = (next: (below: number) => number): Run => {
  const words: readonly Run[] = [
    { kind: "vector", lanes: 2, copies: 1 },
    { kind: "vector", lanes: 4, copies: 2 },
    { kind: "vector", lanes: 4, copies: 2, masked: 4 },
    { kind: "vector", lanes: 2, copies: 2, masked: 4 },
    { kind: "unrolled" },
    { kind: "jam", copies: 2 },
    { kind: "jam", copies: 4 },
  ];
  return words[next(words.length)]!;
};

/** More than there are iterations of any loop. */
const CELLS = 4_096;

/** The kernel after so many tries of steps; a try that is refused changes nothing. */
function stepped(
  kernel: LoopKernel,
  seed: number,
  tries: number,
): { readonly kernel: LoopKernel; readonly taken: number } {
  const next = numbersFrom(seed);
  let { body, buffers } = kernel;
  let taken = 0;
  for (let k = 0; k < tries; k++) {
    const loops = openLoops(body);
    const loop = loops[next(loops.length || 1)];
    if (loop === undefined) break;
    const names = new Numbering({ ...kernel, body });
    const added: BufferParameter[] = [];
    const addPrivate = (buffer: BufferParameter): number => buffers.length + added.push(buffer) - 1;
    const dtypeOf = (slot: number): DType => buffers[slot]!.dtype;
    const scheduling: Scheduling = {
      machine: targets.wasm.machine,
      names,
      dtypeOf,
      isScratch: (slot) => buffers[slot]!.access === "scratch",
      addPrivate,
    };
    const inParts = (at: number): ReturnType<typeof fission> =>
      fission(loop, [loop.body.slice(0, at), loop.body.slice(at)], CELLS, scheduling);
    const steps = [
      () => split(loop, 1 + next(9), names),
      () => reorder(loop),
      () => raise(loop),
      () => runAs(loop, wordFor(next)),
      () => (body.includes(loop) ? new Refusal("no work item") : inParts(next(loop.body.length + 1))),
      () => (body.includes(loop) ? new Refusal("no work item") : privatise(loop, CELLS, scheduling)),
      () => (body.includes(loop) ? runAs(loop, { kind: "parallel" }) : new Refusal("within another")),
    ];
    const given = steps[next(steps.length)]!();
    if (given instanceof Refusal) continue;
    body = mapStatements(body, (each) => (isTheSame(each, loop) ? given : each));
    buffers = [...buffers, ...added];
    taken++;
  }
  const result = { ...kernel, buffers, body };
  verifyLoopKernel(result);
  return { kernel: result, taken };
}

/** Axes are a loop's own. */
const isTheSame = (statement: Statement, loop: ForStatement): boolean =>
  statement.kind === "for" && statement.axis.axis === loop.axis.axis;

describe("random steps keep every bit", () => {
  let taken = 0;

  for (const emitter of ["closure", "js", "wasm"] satisfies Emitter[]) {
    it(`by ${emitter}`, { timeout: 120_000 }, () => {
      const check = ({ graph, elements, donated }: Program, seed: number): void => {
        const program = compile(graph, { donated, target: () => targets[emitter] });
        const compute = (kernels: readonly LoopKernel[]): unknown => {
          const functions = kernels.map((loop): KernelFunction => kernelFunction(loop, "kernel", emitter));
          return runCalls(graph, program, elements, (k, buffers, sizes, scalars) =>
            functions[k]!(buffers, sizes, scalars),
          );
        };
        const scheduled = program.calls.map(({ loop }) => scheduleLoops(loop, targets.wasm));
        scheduled.forEach(verifyLoopKernel);
        const changed = program.calls.map(({ loop }, k) => stepped(loop, seed + k, 12));
        taken += changed.reduce((sum, each) => sum + each.taken, 0);
        const expected = compute(program.calls.map(({ loop }) => loop));
        expect(compute(scheduled), scheduled.map(printLoopKernel).join("\n")).toEqual(expected);
        const text = changed.map(({ kernel }) => printLoopKernel(kernel)).join("\n");
        expect(compute(changed.map(({ kernel }) => kernel)), `${printGraph(graph)}\n${text}`).toEqual(
          expected,
        );
      };
      fc.assert(fc.property(fc.oneof(programs(), rowPrograms), fc.integer(), check), { numRuns: runs });
    });
  }

  it("takes some", () => {
    expect(taken).toBeGreaterThan(runs);
  });
});
