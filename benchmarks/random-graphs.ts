/**
 * Fused against eager on random programs, so that a loss cannot hide where no benchmark looks. Tells of each as it goes, of a loss
 * with its kernels, and at the end how many lost, in one line. Fails when fused is slower than eager by more than 10 % on any of them.
 *
 *     npx tsx --conditions=fuseau:source benchmarks/random-graphs.ts [--graphs 300] [--first 1] [--emitter js] [--report]
 *     npx tsx --conditions=fuseau:source benchmarks/random-graphs.ts --expensive --graphs 1000
 *     npx tsx --conditions=fuseau:source benchmarks/random-graphs.ts --expensive --seed 17,25
 *     npx tsx --conditions=fuseau:source benchmarks/random-graphs.ts --narrow --graphs 300
 *     npx tsx --conditions=fuseau:source benchmarks/random-graphs.ts --everyday --gradients --float64
 *
 * `--expensive`: products, convolutions, scans, sorts, lookups and random numbers under reductions, losses and windows. `--narrow`: the
 * same on many rows of a few elements. `--everyday`: any of these, with images, windows, permutations, tables, groups and bins.
 * `--points`: rows of few columns and what broadcasts to them, folded over several axes.
 * `--losses`: losses of a batch, and what else is made of each row.
 * `--gradients`: with the gradients of all floats. `--float64`: of floats of 64 bits. `--large`: of one to eight million elements. Without an emitter, the runtime's choice; the others
 * get smaller programs. Seeds are 1, 2, 3 …; `--seed` measures some at length. `--limit`: seconds for one program, else 20. `--within`: seconds for all; what is not begun by then
 * is left out. `--report` never fails.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { commandLine } from "../scripts/command-line.ts";
import { type Answer, LOST, type Question, type Reply } from "./random/contestant.ts";
import { distributionText, lineText, summaryText } from "./random/text.ts";

const { values: asked } = commandLine(import.meta.url, {
  options: {
    graphs: { type: "string", default: "300" },
    seed: { type: "string" },
    first: { type: "string", default: "1" },
    expensive: { type: "boolean", default: false },
    narrow: { type: "boolean", default: false },
    everyday: { type: "boolean", default: false },
    points: { type: "boolean", default: false },
    losses: { type: "boolean", default: false },
    gradients: { type: "boolean", default: false },
    float64: { type: "boolean", default: false },
    large: { type: "boolean", default: false },
    emitter: { type: "string" },
    limit: { type: "string", default: "20" },
    within: { type: "string", default: "Infinity" },
    report: { type: "boolean", default: false },
  },
});
const emitter = asked.emitter as Question["emitter"];
const wish: Question["wish"] = {
  kind:
    (["everyday", "points", "losses", "narrow", "expensive"] as const).find((kind) => asked[kind]) ?? "plain",
  dtype: asked.float64 ? "float64" : "float32",
  isDifferentiated: asked.gradients,
  isLarge: asked.large,
};
const first = Number(asked.first);
const seeds =
  asked.seed?.split(",").map(Number) ?? Array.from({ length: Number(asked.graphs) }, (_, k) => first + k);

/** V8 optimises before it goes on: a thread of its own, on a busy machine, leaves code unoptimised for seconds. */
const AT_ONCE = "--no-concurrent-recompilation";
const start = (): ChildProcess =>
  fork(new URL("random/contestant.ts", import.meta.url), { execArgv: [...process.execArgv, AT_ONCE] });

let contestant = start();

/** What it found, or null when it took longer than the limit: then another takes its place. */
async function ask(question: Question): Promise<Reply | null> {
  const late = AbortSignal.timeout(Number(asked.limit) * 1e3);
  contestant.send(question);
  try {
    const [reply] = await once(contestant, "message", { signal: late });
    return reply as Reply;
  } catch {
    contestant.kill("SIGKILL");
    contestant = start();
    return null;
  }
}

const answers: Answer[] = [];
const failures: string[] = [];
const end = performance.now() + Number(asked.within) * 1e3;
for (const seed of seeds) {
  if (performance.now() > end) break;
  const reply = await ask({ seed, wish, emitter, atLength: asked.seed !== undefined });
  if (reply === null) failures.push(`seed ${seed}: takes more than ${asked.limit} s`);
  else if ("fault" in reply) failures.push(reply.fault);
  else {
    answers.push(reply);
    console.log(reply.text ?? lineText(reply));
    continue;
  }
  console.log(failures.at(-1));
}
contestant.disconnect();

console.log(distributionText(answers.map(({ ratio }) => ratio)));
for (const failure of failures) console.log(failure);
console.log(
  `${wish.kind}${wish.isLarge ? ", large" : ""}${wish.isDifferentiated ? " with gradients" : ""}, ${wish.dtype}, ${emitter ?? "the emitter that is chosen"}: ${summaryText(answers, failures.length, LOST)}`,
);
const isLost = failures.length > 0 || answers.some(({ ratio }) => ratio < LOST);
if (isLost && !asked.report) process.exitCode = 1;
