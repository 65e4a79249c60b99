/** Programs that people write, in two orders of writing: fused, op by op, and in PyTorch where there is one; on one thread. */
import {
  type AnyTensor,
  type ComputeOptions,
  fromTypedArray,
  getThreads,
  setOptions,
  setThreads,
} from "fuseau";
import type { FigureCase } from "../figures.ts";
import { letEscape } from "../measure/escape.ts";
import { inTurn, type Timed, timed } from "../measure/processor-time.ts";
import type { Figure } from "../measure/report.ts";
import { computeTogether } from "../measure/runtime.ts";
import { geometricMean } from "../measure/statistics.ts";
import { startTorch, type Torch } from "../peers/torch/torch.ts";
import { areas } from "../programs/all.ts";
import type { Program } from "../programs/program.ts";

type Elements = readonly ArrayLike<number | bigint>[];

/** Milliseconds of measuring for each variant, for each run that is asked for. */
const MEASURE = 12;
const ROUNDS = 7;
/** A long program runs op by op at first, and is compiled in steps beside so many of its runs. */
const SETTLING = 20;
/** Of the largest element: what two orders of writing, or PyTorch, may differ by. */
const TOLERANCE = 2e-3;

const orders = ["natural", "other"] as const;

interface Row {
  readonly name: string;
  /** Milliseconds. */
  readonly fused: number;
  readonly unfused: number;
  /** Unfused time over the fused one: the median of the rounds. */
  readonly ratio: number;
  readonly torch: { readonly milliseconds: number; readonly ratio: number } | null;
}

async function race(area: string, program: Program, torch: Torch | null, measure: number): Promise<Row[]> {
  const arrays = Object.values(program.inputs).map(({ make }, k) => make(k + 1));
  const inputs = Object.fromEntries(
    Object.entries(program.inputs).map(([name, { dtype, shape }], k) => [
      name,
      fromTypedArray(arrays[k]!, { shape: [...shape], dtype }) as AnyTensor,
    ]),
  );
  const run = (order: (typeof orders)[number], fusion: ComputeOptions["fusion"]): AnyTensor[] => {
    // Some ops compute at the call.
    setOptions({ fusion });
    const results = [program[order](inputs)].flat() as AnyTensor[];
    computeTogether(results);
    return results;
  };
  const elements = (results: readonly AnyTensor[]): Elements => results.map((each) => each.toTypedArray());
  const expected = elements(run("natural", "on"));
  for (const order of orders) {
    const fused = elements(run(order, "on"));
    check(`${program.name}, ${order}: fused and op by op`, fused, elements(run(order, "none")), 0);
    check(`${program.name}: both orders of writing`, fused, expected, TOLERANCE);
  }
  const found = await torch?.program({
    expression: program.torch,
    inputs: Object.fromEntries(
      Object.entries(program.inputs).map(([name, { dtype, shape }], k) => [
        name,
        { dtype, shape, elements: arrays[k]! },
      ]),
    ),
  });
  if (found !== undefined) check(`${program.name}: PyTorch`, [found.elements], expected, TOLERANCE);
  const call = (order: (typeof orders)[number], fusion: ComputeOptions["fusion"]): Timed =>
    timed(() => {
      const results = run(order, fusion);
      letEscape(results);
      for (const result of results) result.dispose();
    });
  const rows: Row[] = [];
  for (const order of orders) {
    for (let call = 0; call < SETTLING; call++)
      for (const fusion of ["on", "none"] as const) run(order, fusion);
    const works: readonly Timed[] = [call(order, "on"), call(order, "none"), ...(found ? [found.time] : [])];
    const budget = { measure, rounds: ROUNDS, warm: measure / 3 };
    const [fused, unfused, peer] = await inTurn(works, budget);
    rows.push({
      name: `${area}: ${program.name}${order === "other" ? " (other order)" : ""}`,
      fused: fused!.milliseconds,
      unfused: unfused!.milliseconds,
      ratio: unfused!.ratio,
      torch: peer ?? null,
    });
  }
  for (const input of Object.values(inputs)) input.dispose();
  return rows;
}

/** @throws Error where elements differ by more than the tolerance, as a part of the largest; at 0, in any bit. */
function check(what: string, found: Elements, expected: Elements, tolerance: number): void {
  if (found.length !== expected.length)
    throw new Error(`${what}: ${found.length} results, not ${expected.length}`);
  for (const [k, array] of found.entries()) {
    const other = expected[k]!;
    if (array.length !== other.length)
      throw new Error(`${what}: ${array.length} elements, not ${other.length}`);
    let largest = 0;
    for (let i = 0; i < other.length; i++) largest = Math.max(largest, Math.abs(Number(other[i])));
    for (let i = 0; i < array.length; i++) {
      const near = Math.abs(Number(array[i]) - Number(other[i])) <= tolerance * largest;
      if (!Object.is(array[i], other[i]) && !(tolerance > 0 && near))
        throw new Error(`${what}: element ${i} is ${array[i]}, not ${other[i]}`);
    }
  }
}

const worst = ({ ratio, torch }: Row): number => Math.min(ratio, torch?.ratio ?? Infinity);

function figureOf(row: Row): Figure {
  const { name, fused, unfused, torch, ratio } = row;
  const milliseconds = (time: number): string => `${time.toPrecision(3)} ms`;
  const peer =
    torch === null ? "" : `, PyTorch ${milliseconds(torch.milliseconds)} (${torch.ratio.toFixed(2)} ×)`;
  return {
    name,
    figure: worst(row),
    unit: "×",
    note: `fused ${milliseconds(fused)}, op by op ${milliseconds(unfused)} (${ratio.toFixed(2)} ×)${peer}`,
  };
}

/** Worst rows first: those below 1, which op by op or PyTorch wins, stand on top. */
async function measure(runs: number): Promise<readonly Figure[]> {
  const [threads, torch] = [getThreads(), await startTorch()];
  setThreads(1);
  try {
    const rows: Row[] = [];
    for (const [area, programs] of Object.entries(areas))
      for (const program of programs) rows.push(...(await race(area, program, torch, MEASURE * runs)));
    const peers = rows.flatMap((row) => (row.torch === null ? [] : [row.torch.ratio]));
    const mean = (name: string, ratios: readonly number[]): Figure => ({
      name: `geometric mean: ${name}`,
      figure: geometricMean(ratios),
      unit: "×",
      note: `${ratios.filter((ratio) => ratio < 1 / 1.1).length} of ${ratios.length} below 0.91`,
    });
    return [
      ...rows.sort((a, b) => worst(a) - worst(b)).map(figureOf),
      mean(
        "op by op",
        rows.map(({ ratio }) => ratio),
      ),
      ...(torch === null ? [] : [mean(torch.about, peers)]),
    ];
  } finally {
    setOptions({ fusion: undefined });
    setThreads(threads);
    torch?.close();
  }
}

const count = Object.values(areas).flat().length;

export const programs: FigureCase = {
  name: "programs",
  title: `${count} programs that people write, each in two orders of writing`,
  about:
    "One thread, by processor time. Below 1 op by op is faster, or PyTorch where there is a python3 with torch.",
  measure,
};
