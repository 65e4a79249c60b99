import fc from "fast-check";
import { type AnyTensor, compute, float, jit } from "fuseau";
import { expect, it } from "vitest";
import { argumentsOf, functionOf, functions, World } from "./random-functions.ts";

const runs = Number(process.env.FUSEAU_RUNS ?? 200);
const CALLS = 5;

const shown = (tensors: readonly AnyTensor[]): unknown =>
  tensors.map((x) => [x.dtype, x.shape, x.stride(), x.toArray()]);

let [recorded, called] = [0, 0];

it("gives what the function gives, and leaves what it leaves, at every call", () => {
  const result = fc.check(
    fc.property(functions, fc.nat({ max: 11 }), (instructions, form) => {
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

function write(x: AnyTensor | undefined): void {
  try {
    x?.add_(1);
  } catch {
    // Places of an expanded tensor are one element.
  }
}
