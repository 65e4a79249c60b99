/**
 * What is not the same in WebAssembly's lanes: some functions have other last bits, float32 is summed in sixteen lanes, and
 * matrix products in blocks of their own dtype. Ops are run one by one, so that what is compared is that fusion, movement and the order of sums change nothing.
 */
import { type AccumulationOrder, build, defaultOrder, type Node } from "@fuseau/ir";
import type { Element, Meaning } from "./reference.ts";
import { prepare } from "./run-program.ts";

const LANES = 16;
const DOT_BLOCK = 256;

type Run = ReturnType<typeof prepare>;

const programs = new Map<string, Run>();

/** One op over so many elements: compiled once, since a test meets it thousands of times. */
function programOf(node: Extract<Node, { op: "pointwise" }>, length: number): Run {
  const key = `${node.attributes.fn} ${node.inputs.map(({ dtype }) => dtype)} -> ${node.dtype}, ${length}`;
  const known = programs.get(key);
  if (known !== undefined) return known;
  const inputs = node.inputs.map(({ dtype }) => build.input(dtype, [length]));
  const result =
    node.attributes.fn === "cast"
      ? build.cast(inputs[0] as Node, node.dtype)
      : build.pointwise(node.attributes.fn, inputs);
  const made = prepare(
    {
      nodes: [...inputs, result],
      inputs: [...inputs.map(() => []), inputs.map((_, k) => k)],
      outputs: [inputs.length],
    },
    "wasm",
    {},
  );
  programs.set(key, made);
  return made;
}

export const wasmMeaningIn = ({ block: size, chunk: part }: AccumulationOrder): Meaning => ({
  block: size,
  pointwise(node, operands) {
    const length = operands[0]?.length ?? 0;
    if (length === 0) return [];
    const room = 2 ** Math.max(6, Math.ceil(Math.log2(length)));
    const padded = operands.map((elements) => [
      ...elements,
      ...new Array<Element>(room - length).fill(elements[0] as Element),
    ]);
    return (programOf(node, room)(padded, [])[0] as Element[]).slice(0, length);
  },
  sumSingles(elements) {
    let total = 0;
    for (let block = 0; block < elements.length; block += size) {
      const running = [0, 0] as [number, number];
      const end = Math.min(block + size, elements.length);
      for (let chunk = block; chunk < end; chunk += part) {
        const lanes = new Float32Array(LANES);
        elements.slice(chunk, Math.min(chunk + part, end)).forEach((x, k) => {
          lanes[k % LANES]! += x;
        });
        const { fround } = Math;
        const four = [0, 1, 2, 3].map((k) =>
          fround(fround(lanes[k]! + lanes[k + 4]!) + fround(lanes[k + 8]! + lanes[k + 12]!)),
        ) as [number, number, number, number];
        running[0] += four[0] + four[2];
        running[1] += four[1] + four[3];
      }
      total += running[0] + running[1];
    }
    return total;
  },
  dot(dtype, left, right) {
    const round = dtype === "float64" ? (x: number): number => x : Math.fround;
    let total = 0;
    for (let block = 0; block < left.length; block += DOT_BLOCK) {
      let sum = 0;
      for (let k = block; k < Math.min(block + DOT_BLOCK, left.length); k++)
        sum = round(sum + round((left[k] as number) * (right[k] as number)));
      total = block === 0 ? sum : round(total + sum);
    }
    return total;
  },
});

export const wasmMeaning: Meaning = wasmMeaningIn(defaultOrder);
