/** fuseau as a contender: the expression is recorded anew in each call, and its result given back. */
import { type AnyTensor, type ComputeOptions, fromTypedArray, setThreads } from "fuseau";
import { workerPool } from "../../packages/runtime/src/backends/linear-pool.ts";
import { letEscape } from "../measure/escape.ts";
import { computeTogether, explainTogether } from "../measure/runtime.ts";
import { type Contender, timeCalls } from "./contender.ts";
import type { Contest } from "./contest.ts";
import { concatenated } from "./elements.ts";

/** Tensors that one contender reads: kernels in WebAssembly keep them in linear memory, JavaScript on the heap. */
const tensorsOf = ({ inputs }: Contest): AnyTensor[] =>
  inputs().map(({ elements, shape }) => fromTypedArray(elements, { shape }));

/** With the emitter that fuseau chooses. */
export const threaded = (contest: Contest, threads: 1 | 2): Contender =>
  contender(`fuseau ${threads}`, contest, {}, threads);

export const javascript = (contest: Contest): Contender => contender("js", contest, { emitter: "js" }, 1);

export const unfused = (contest: Contest): Contender => contender("unfused", contest, { fusion: "none" }, 1);

/** The emitter that fuseau chooses, and why. */
export function choiceOf(contest: Contest): string {
  const inputs = tensorsOf(contest);
  const { emitter, emitterReason } = explainTogether(recorded(contest, inputs));
  for (const input of inputs) input.dispose();
  return `${emitter}: ${emitterReason}`;
}

function contender(
  name: Contender["name"],
  contest: Contest,
  options: ComputeOptions,
  threads: number,
): Contender {
  const inputs = tensorsOf(contest);
  const compute = (): readonly AnyTensor[] => {
    const results = recorded(contest, inputs);
    computeTogether(results, options);
    return results;
  };
  const run = (): void => {
    const results = compute();
    letEscape(results);
    for (const result of results) result.dispose();
  };
  return {
    name,
    async result() {
      await use(threads);
      const results = compute();
      const elements = concatenated(results.map((result) => result.toTypedArray()));
      for (const result of results) result.dispose();
      return elements;
    },
    async time(milliseconds) {
      await use(threads);
      return timeCalls(run, milliseconds);
    },
    dispose() {
      for (const input of inputs) input.dispose();
    },
  };
}

function recorded({ fuseau }: Contest, inputs: readonly AnyTensor[]): readonly AnyTensor[] {
  const outputs = fuseau(...inputs);
  return Array.isArray(outputs) ? outputs : [outputs as AnyTensor];
}

/** Workers start in the background; what is timed is what comes when they are there. */
async function use(threads: number): Promise<void> {
  setThreads(threads);
  if (threads === 1) return;
  // Workers keep no process alive, and nothing else may be pending.
  const alive = setInterval(() => {}, 1_000);
  const ready = await workerPool().prepare();
  clearInterval(alive);
  if (ready !== threads) throw new Error(`${ready} of ${threads} threads are ready`);
}
