/** Where the time of a small call goes: what each stage adds to those before it, interleaved in one process. */
import { type AnyTensor, fromTypedArray, getOptions, jit, tensor } from "fuseau";
import { extract, forget, noteComputed } from "../../packages/runtime/src/execute/extract/extract.ts";
import { executableFor } from "../../packages/runtime/src/execute/find-program.ts";
import { boundTo, run } from "../../packages/runtime/src/execute/programs/run.ts";
import type { Storage } from "../../packages/runtime/src/storage.ts";
import { unwrap } from "../../packages/runtime/src/tensor/handle.ts";
import type { Variant } from "../case.ts";
import type { FigureCase } from "../figures.ts";
import { letEscape } from "../measure/escape.ts";
import type { Figure } from "../measure/report.ts";
import { fullBudget, quickBudget, type Sample, sample } from "../measure/sampler.ts";
import { chain, operands } from "./latency.ts";

interface Stage {
  readonly name: string;
  /** This stage and those before it. */
  readonly upTo: () => unknown;
}

type Operands = readonly [AnyTensor, AnyTensor, AnyTensor, AnyTensor];

/** What is met for the first time, or after something else than before. */
function walkedStages([a, b, c, d]: Operands): readonly Stage[] {
  const options = getOptions();
  const record = (): AnyTensor => chain(a, b, c, d);
  const settled = (): AnyTensor => {
    const result = record();
    const extraction = extract([unwrap(result)]);
    const storages = run(executableFor(extraction, options), boundTo(extraction));
    noteComputed();
    extraction.wanted.forEach((value, k) => {
      value.settle(storages[k] as Storage);
    });
    forget();
    return result;
  };
  return [
    { name: "record", upTo: record },
    { name: "extract and hash", upTo: () => extract([unwrap(record())]) },
    { name: "look up", upTo: () => executableFor(extract([unwrap(record())]), options) },
    {
      name: "bind and run",
      upTo: () => {
        const extraction = extract([unwrap(record())]);
        return run(executableFor(extraction, options), boundTo(extraction));
      },
    },
    { name: "settle", upTo: settled },
  ];
}

/** What comes after the same program as before: it is compared with what came next then, and neither hashed nor looked up. */
const loopStages = ([a, b, c, d]: Operands): readonly Stage[] => [
  { name: "record", upTo: () => chain(a, b, c, d) },
  { name: "compare, bind, run and settle: compute()", upTo: () => chain(a, b, c, d).compute() },
  { name: "dispose", upTo: () => chain(a, b, c, d).compute().dispose() },
];

function jittedStages([a, b, c, d]: Operands): readonly Stage[] {
  const jitted = jit(chain);
  jitted(a, b, c, d);
  const extraction = extract([unwrap(chain(a, b, c, d))]);
  const executable = executableFor(extraction, getOptions());
  const bound = boundTo(extraction);
  forget();
  return [
    { name: "bind and run", upTo: () => run(executable, bound) },
    { name: "guards, and a tensor around the result", upTo: () => jitted(a, b, c, d) },
    { name: "dispose", upTo: () => jitted(a, b, c, d).dispose() },
  ];
}

const variantOf = ({ name, upTo }: Stage): Variant => ({
  name,
  role: "other",
  run: () => letEscape(upTo()),
  result: () => [],
});

/** A stage is what its variant takes more than the one before; noise may make that negative. */
function figuresOf(kind: string, samples: readonly Sample[]): Figure[] {
  return samples.map(({ variant, nanoseconds }, k) => ({
    name: `${kind}: ${variant.name}`,
    figure: nanoseconds - (samples[k - 1]?.nanoseconds ?? 0),
    unit: "ns",
    note: `up to here ${Math.round(nanoseconds)} ns`,
  }));
}

export const latencyStages: FigureCase = {
  name: "latency-stages",
  title: "(a*b + c)*d - a of 16 elements, stage by stage",
  about:
    "What a stage adds to those before it. Results are left to the garbage collector but where they are disposed of.",
  async measure(runs) {
    const given = operands([16]).map((array) => fromTypedArray(array)) as unknown as Operands;
    // A first result, so that nothing is measured that happens once in a process.
    letEscape(tensor([1]).add(1).toArray());
    const budget = runs > 2 ? fullBudget : quickBudget;
    const figures: Figure[] = [];
    for (const [kind, stages] of [
      ["walked", walkedStages(given)],
      ["in a loop", loopStages(given)],
      ["jitted", jittedStages(given)],
    ] as const)
      figures.push(...figuresOf(kind, await sample(stages.map(variantOf), budget)));
    return figures;
  },
};
