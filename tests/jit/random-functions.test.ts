import fc from "fast-check";
import { type AnyTensor, compute, float, jit } from "fuseau";
import { expect, it } from "vitest";
import { argumentsOf, functionOf, functions, type Instruction, World } from "./random-functions.ts";

const runs = Number(process.env.FUSEAU_RUNS ?? 200);
const CALLS = 5;

const shown = (tensors: readonly AnyTensor[]): unknown =>
  tensors.map((x) => [x.dtype, x.shape, x.stride(), x.toArray()]);

let [recorded, called] = [0, 0];

/** Calls a function and its jitted twin, each in a world of its own, and compares what they give and leave. */
function check(instructions: readonly Instruction[], form: number): void {
  const [own, other] = [new World(form), new World(form)];
  const plain = functionOf(instructions, own);
  const traced = functionOf(instructions, other);
  const jitted = jit((...args: Parameters<typeof traced>) => {
    recorded++;
    return traced(...args);
  });
  for (let call = 0; call < CALLS; call++) {
    const factor = float([0.5, 0.5, 2, -1.25, 0][call] as number);
    const [x, y] = argumentsOf(call, call === 3 ? form + 1 : form) as [AnyTensor, AnyTensor];
    const [p, q] = argumentsOf(call, call === 3 ? form + 1 : form) as [AnyTensor, AnyTensor];
    const expected = plain(x, y, factor);
    if (expected.length > 0) compute(...expected);
    const actual = jitted(p, q, factor);
    called++;
    expect(shown(actual)).toEqual(shown(expected));
    // Who shares elements with whom shows when one is written.
    if (call % 2 === 1) for (const made of [expected[0], actual[0]]) write(made);
    expect(shown([...actual, p, q])).toEqual(shown([...expected, x, y]));
    expect(other.read()).toEqual(own.read());
    if (call === 2) for (const { tensors } of [own, other]) tensors[0]?.mul_(0.5);
  }
}

it("gives what the function gives, and leaves what it leaves, at every call", () => {
  const result = fc.check(
    fc.property(functions, fc.nat({ max: 11 }), (instructions, form) => {
      check(instructions, form);
    }),
    { numRuns: runs },
  );
  if (!result.failed) {
    expect(recorded / called).toBeLessThan(0.6);
    return;
  }
  const { seed, counterexamplePath: path, counterexample } = result;
  throw new Error(
    `seed ${seed}, path ${path}\n${JSON.stringify(counterexample)}\n${(result.errorInstance as Error).stack}`,
  );
}, 120_000);

it("gives a view of a view that is not given itself, and that something else has read", () => {
  const none: Instruction = { kind: 0, a: 0, b: 0, c: 0 };
  const row: Instruction = { kind: 30, a: 40, b: 0, c: 96 };
  const view: Instruction = { kind: 30, a: 573, b: 0, c: 0 };
  const gives: Instruction = { kind: 88, a: 194, b: 0, c: 0 };
  const reads: Instruction = { kind: 0, a: 329, b: 78, c: 0 };
  check([none, none, none, none, row, view, none, none, none, gives, reads, none], 0);
});

function write(x: AnyTensor | undefined): void {
  try {
    x?.add_(1);
  } catch {
    // Places of an expanded tensor are one element.
  }
}
