/**
 * How long the first call of a program takes in a process that has compiled others, pass by pass, the slowest first.
 *
 *     node benchmarks/bundled.mjs first-call.ts [--programs 300] [--emitter js] [--only NAME] [--shown 20]
 */

import type { Emitter } from "@fuseau/compiler";
import { commandLine } from "../scripts/command-line.ts";
import { type FirstCall, firstCall, forgetAll, watchHost } from "./first-call/measure.ts";
import { chain, chainOn, everyday, type FirstProgram, loops, named, single } from "./first-call/programs.ts";
import { distributionText, headText, lineOf } from "./first-call/text.ts";

const { values: asked } = commandLine(import.meta.url, {
  options: {
    programs: { type: "string", default: "300" },
    emitter: { type: "string" },
    only: { type: "string" },
    shown: { type: "string", default: "20" },
  },
});
const emitter = asked.emitter as Emitter | undefined;
const count = Number(asked.programs);
const seeds = Array.from({ length: count }, (_, k) => k + 1);

watchHost();
for (let seed = 1; seed <= 60; seed++) firstCall(chain(10_000 + seed).record, emitter);

race("Programs of note", [...named(), ...loops()]);
race("Single ops", seeds.map(single));
race("Five ops", seeds.map(chain));
race("Five ops on 100×100", seeds.map(chainOn([100, 100])));
// Nothing is forgotten: new programs of ops that others had before, as they come in a process.
for (const seed of seeds) firstCall(chainOn([100, 100])(20_000 + seed).record, emitter);
race("Five ops on 100×100 after 300 others", seeds.map(chainOn([100, 100])), () => {});
for (const seed of seeds) firstCall(chainOn([100, 100], everyday)(20_000 + seed).record, emitter);
race("Five everyday ops on 100×100 after 300 others", seeds.map(chainOn([100, 100], everyday)), () => {});
process.exit();

function race(title: string, programs: readonly FirstProgram[], forget = forgetAll): void {
  const chosen = programs.filter(({ name }) => asked.only === undefined || name.includes(asked.only));
  const calls = chosen.map((program): readonly [string, FirstCall] => {
    forget();
    return [program.name, firstCall(program.record, emitter)];
  });
  const sorted = [...calls].sort(([, a], [, b]) => b.first - a.first);
  console.log(`\n${title}\n${headText}`);
  for (const [name, call] of sorted.slice(0, Number(asked.shown))) console.log(lineOf(name, call));
  console.log(distributionText(calls.map(([, call]) => call)));
}
