/** What a changing size costs: batches of a thousand sizes in turn against one size repeated, interleaved in one process. */
import { type AnyTensor, clearCaches, fromTypedArray, jit, noGrad, stats, type Tensor, tensor } from "fuseau";
import type { Variant } from "../case.ts";
import type { FigureCase } from "../figures.ts";
import { letEscape } from "../measure/escape.ts";
import { randomFloats } from "../measure/inputs.ts";
import type { Figure } from "../measure/report.ts";
import { fullBudget, quickBudget, sample } from "../measure/sampler.ts";

type Batch = Tensor<[number, 64], "float32">;
type Targets = Tensor<[number, 10], "float32">;

const WIDTHS = [64, 128, 128, 10] as const;
const SIZES = 1_000;
/** Batches of one call that is measured: as many rows of each kind. */
const TURN = 20;

const given = (shape: readonly number[], seed: number): AnyTensor =>
  fromTypedArray(
    randomFloats(
      shape.reduce((count, size) => count * size, 1),
      seed,
    ),
    { shape: [...shape] },
  );

interface Perceptron {
  readonly forward: (x: Batch) => AnyTensor;
  readonly step: (x: Batch, y: Targets) => AnyTensor;
}

function perceptron(): Perceptron {
  const parameters = WIDTHS.slice(1).flatMap((width, k) => [
    given([WIDTHS[k] as number, width], k)
      .mul(0.1)
      .compute()
      .requiresGrad_(),
    tensor(new Array<number>(width).fill(0)).requiresGrad_(),
  ]) as AnyTensor[];
  const logits = (x: Batch): AnyTensor => {
    let y: AnyTensor = x;
    for (let k = 0; k < parameters.length; k += 2) {
      y = y.matmul(parameters[k] as never) as AnyTensor;
      y = y.add(parameters[k + 1] as never) as AnyTensor;
      if (k + 2 < parameters.length) y = y.relu();
    }
    return y;
  };
  return {
    forward: (x) => noGrad(() => logits(x)),
    step: (x, y) => {
      for (const parameter of parameters) parameter.grad = null;
      const loss = logits(x)
        .sub(y as never)
        .square()
        .mean();
      loss.backward();
      noGrad(() => {
        for (const parameter of parameters) parameter.sub_((parameter.grad as AnyTensor).mul(0.01) as never);
      });
      return loss;
    },
  };
}

/** In turn, `TURN` batches each: of sizes that are all different, and of one size, as many batches of as many rows on average. */
function variantsOf(run: (x: Batch, y: Targets) => AnyTensor): Variant[] {
  const batch = (size: number): readonly [Batch, Targets] => [
    given([size, 64], size) as unknown as Batch,
    given([size, 10], size + 1) as unknown as Targets,
  ];
  const many = Array.from({ length: SIZES }, (_, k) => batch(1 + ((k * 389) % SIZES)));
  const same = Array.from({ length: SIZES }, () => batch(SIZES / 2));
  const turns = (batches: readonly (readonly [Batch, Targets])[]): (() => void) => {
    let next = 0;
    return () => {
      for (let k = 0; k < TURN; k++) {
        const [x, y] = batches[next++ % batches.length] as readonly [Batch, Targets];
        letEscape(run(x, y).compute());
      }
    };
  };
  return [
    { name: "one size", role: "fused", run: turns(same), result: () => [] },
    { name: "a thousand sizes", role: "other", run: turns(many), result: () => [] },
  ];
}

export const latencySizes: FigureCase = {
  name: "latency-sizes",
  title:
    "a 3-layer perceptron (64, 128, 128, 10) on batches of 1 to 1,000 rows in turn, against one size of 500",
  about: "A call is one batch. Programs are those that were compiled, of one size or of many.",
  async measure(runs) {
    // Each has parameters of its own: what one leaves to be written is not computed with the next. What a jitted function is called
    // with is its signature, whether it looks at it or not.
    const rows: readonly (readonly [string, (of: Perceptron) => (x: Batch, y: Targets) => AnyTensor])[] = [
      ["forward, recorded", ({ forward }) => forward],
      [
        "forward, jitted with the size stated to vary",
        ({ forward }) => {
          const jitted = jit(forward, { dynamic: [[0]] });
          return (x) => jitted(x);
        },
      ],
      ["training step, recorded", ({ step }) => step],
      [
        "training step, jitted with the size stated to vary",
        ({ step }) => jit(step, { dynamic: [[0], [0]] }),
      ],
    ];
    const figures: Figure[] = [];
    for (const [name, runOf] of rows) {
      const run = runOf(perceptron());
      clearCaches();
      const before = stats();
      const [one, many] = await sample(variantsOf(run), runs > 2 ? fullBudget : quickBudget);
      const { programs, late } = stats();
      const found = programs.misses - before.programs.misses;
      const per = (nanoseconds: number): number => nanoseconds / 1_000 / TURN;
      figures.push(
        { name: `${name}: one size`, figure: per(one?.nanoseconds ?? 0), unit: "µs" },
        {
          name: `${name}: a thousand sizes`,
          figure: per(many?.nanoseconds ?? 0),
          unit: "µs",
          note: `${many?.ratio.toFixed(2)} × of one size`,
        },
        {
          name: `${name}: programs`,
          figure: found + late.programs - before.late.programs,
          unit: "",
        },
      );
    }
    return figures;
  },
};
