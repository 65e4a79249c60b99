import fc from "fast-check";
import { type AnyTensor, compute, jit, tensor } from "fuseau";
import { expect, it } from "vitest";
import { unwrap, wrap } from "../../packages/runtime/src/tensor/handle.ts";
import { Value } from "../../packages/runtime/src/value.ts";
import { type Program, programs } from "../differential/random-graph.ts";

const runs = Number(process.env.FUSEAU_RUNS ?? 200);

/** The graph as a function of its inputs. */
const functionOf =
  ({ graph: { nodes, inputs, outputs } }: Program) =>
  (...given: AnyTensor[]): AnyTensor[] => {
    const values: Value[] = [];
    let next = 0;
    nodes.forEach((node, position) => {
      const from = (inputs[position] as readonly number[]).map((input) => values[input] as Value);
      values.push(node.op === "input" ? unwrap(given[next++] as AnyTensor) : new Value(node, from, null));
    });
    return outputs.map((output) => wrap(values[output] as Value));
  };

const inputsOf = ({ graph, elements }: Program, call: number): AnyTensor[] =>
  graph.nodes
    .filter(({ op }) => op === "input")
    .map(({ dtype, shape }, k) => {
      const own = elements[k] as readonly (number | bigint)[];
      const turned = own.map((_, i) => own[(i + call) % own.length] as number | bigint);
      // Computed, as a jitted function's arguments are: converting it would be a part of the other program.
      return tensor(dtype === "bool" ? turned.map(Boolean) : (turned as number[]), {
        shape,
        dtype,
      }).compute();
    });

const bits = (results: readonly AnyTensor[]): unknown =>
  results.map((x) => {
    const elements = x.toTypedArray();
    const list: (number | bigint)[] =
      elements instanceof BigInt64Array ? Array.from(elements) : Array.from(elements, Number);
    return [x.dtype, x.shape, list.map((element) => (Object.is(element, -0) ? "-0" : element))];
  });

it("random graphs give the same bits at every call", () => {
  const result = fc.check(
    fc.property(programs(), (program) => {
      const plain = functionOf(program);
      const jitted = jit(plain);
      for (let call = 0; call < 3; call++) {
        const expected = plain(...inputsOf(program, call));
        compute(...expected);
        expect(bits(jitted(...inputsOf(program, call)))).toEqual(bits(expected));
      }
    }),
    { numRuns: runs },
  );
  if (!result.failed) return;
  throw new Error(
    `seed ${result.seed}, path ${result.counterexamplePath}\n${(result.errorInstance as Error).stack}`,
  );
}, 120_000);
