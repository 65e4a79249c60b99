/**
 * Single functions on much data, beside PyTorch where a python3 has it: processor time on one thread, worst rows first. It looks for
 * functions that are slow beyond reason; what they give is checked by their tests alone.
 *
 *     npx tsx --conditions=fuseau:source benchmarks/functions.ts [--only NAME]
 */

import { type AnyTensor, fromTypedArray, setThreads } from "fuseau";
import { commandLine } from "../scripts/command-line.ts";
import { functions } from "./functions/cases.ts";
import { letEscape } from "./measure/escape.ts";
import { inTurn, timed } from "./measure/processor-time.ts";
import { computeTogether } from "./measure/runtime.ts";
import { geometricMean } from "./measure/statistics.ts";
import { startTorch } from "./peers/torch/torch.ts";

const { values: asked } = commandLine(import.meta.url, {
  options: { only: { type: "string", multiple: true } },
});
const BUDGET = { measure: 60, rounds: 5, warm: 30 };

setThreads(1);
const torch = await startTorch();
const rows: { readonly name: string; readonly own: number; readonly peer: number | null }[] = [];
for (const { name, inputs: given, natural, torch: expression } of functions) {
  if (asked.only !== undefined && !asked.only.includes(name)) continue;
  const arrays = Object.entries(given).map(([input, { dtype, shape, make }], k) => ({
    input,
    dtype,
    shape,
    elements: make(k + 1),
  }));
  const inputs = Object.fromEntries(
    arrays.map(({ input, dtype, shape, elements }) => [
      input,
      fromTypedArray(elements, { shape: [...shape], dtype }) as AnyTensor,
    ]),
  );
  const own = timed(() => {
    const results = [natural(inputs)].flat() as AnyTensor[];
    computeTogether(results);
    letEscape(results);
    for (const result of results) result.dispose();
  });
  const peer = await torch?.program({
    expression,
    inputs: Object.fromEntries(
      arrays.map(({ input, dtype, shape, elements }) => [input, { dtype, shape, elements }]),
    ),
  });
  const [ours, theirs] = await inTurn(peer === undefined ? [own] : [own, peer.time], BUDGET);
  rows.push({ name, own: ours!.milliseconds, peer: theirs?.milliseconds ?? null });
  for (const input of Object.values(inputs)) input.dispose();
}
torch?.close();

const times = ({ own, peer }: (typeof rows)[number]): number => (peer === null ? 1 : own / peer);
console.log(`${rows.length} functions${torch === null ? "" : `, ${torch.about}`}`);
for (const row of rows.sort((one, other) => times(other) - times(one)))
  console.log(
    `${row.name.padEnd(24)} ${row.own.toPrecision(3).padStart(8)} ms${
      row.peer === null
        ? ""
        : `  PyTorch ${row.peer.toPrecision(3).padStart(8)} ms  ${times(row).toFixed(2).padStart(7)} ×`
    }`,
  );
console.log(`geometric mean ${geometricMean(rows.map(times)).toFixed(2)} × PyTorch's time`);
