/**
 * What the way in costs: the methods of a small chain as users call them, against the same functions without what refuses options and
 * trims stacks, recording alone and recording with computing.
 *   npx tsx --conditions=fuseau:source benchmarks/entry-cost.ts
 */
import * as fuseau from "fuseau";
import { declarationOf } from "../packages/runtime/src/declare/declaration.ts";
import type { AnyTensor } from "../packages/runtime/src/tensor/types.ts";
import { randomFloats } from "./measure/inputs.ts";
import { median } from "./measure/statistics.ts";

const ROUNDS = 41;
/** Chains in a round. */
const CHAINS = 4_000;
const COUNT = 16;

type Run = (x: AnyTensor, other: AnyTensor) => AnyTensor;
const bareOf = (declared: (...given: never[]) => unknown): Run =>
  declarationOf(declared)?.run as unknown as Run;
const [mul, add, sub] = [bareOf(fuseau.mul), bareOf(fuseau.add), bareOf(fuseau.sub)];

const [a, b, c, d] = [1, 2, 3, 4].map(
  (seed): AnyTensor => fuseau.fromTypedArray(randomFloats(COUNT, seed)),
) as [AnyTensor, AnyTensor, AnyTensor, AnyTensor];
const entered = (): AnyTensor => a.mul(b).add(c).mul(d).sub(a);
const bare = (): AnyTensor => sub(mul(add(mul(a, b), c), d), a);

if (String(entered()) !== String(bare())) throw new Error("the two record different chains");

let kept: AnyTensor = a;

/** Microseconds a chain. */
function time(run: () => AnyTensor): number {
  const start = performance.now();
  for (let k = 0; k < CHAINS; k++) kept = run();
  return ((performance.now() - start) * 1000) / CHAINS;
}

for (const [name, finish] of [
  ["recorded", (x: AnyTensor) => x],
  ["recorded and computed", (x: AnyTensor) => x.compute()],
] as const) {
  const times: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round++)
    times.push([time(() => finish(entered())), time(() => finish(bare()))]);
  const [ours, theirs] = [median(times.map(([x]) => x)), median(times.map(([, y]) => y))];
  const ratio = median(times.map(([x, y]) => x / y));
  console.log(
    `4 ops of ${COUNT} elements, ${name}: ${ours.toFixed(2)} µs, bare ${theirs.toFixed(2)} µs: ${ratio.toFixed(2)} ×`,
  );
}
if (kept === a) throw new Error("nothing ran");
