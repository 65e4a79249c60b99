/** Programs whose first call is timed: those of which it was known to be slow, single ops, and five ops at random. */

import type { AnyTensor } from "fuseau";
import * as fuseau from "fuseau";
import { stack } from "fuseau";
import { Choices } from "../random/choices.ts";
import { call, cellsOf, floats, MOST_CELLS, makers, type Step } from "./steps.ts";

export interface FirstProgram {
  readonly name: string;
  /** Its inputs are in memory; what it records is new each time. */
  readonly record: () => AnyTensor;
}

/** What took longest; `size` is that of the images. */
export function named(size = 14): FirstProgram[] {
  const images = floats([64, 32, size, size], 1);
  const small = floats([8, 16, 12, 12], 2);
  const volume = floats([2, 8, 6, 10, 10], 3);
  const kernel = floats([8, 6, 3, 3, 3], 4);
  const plate = floats([128, 128], 5);
  const rows = floats([64, 64], 6);
  const softmaxes = (count: number): AnyTensor => {
    let x: AnyTensor = rows;
    for (let k = 0; k < count; k++) x = x.softmax(-1).mul(x.sin()).add(x.mean());
    return x;
  };
  const heat = (steps: number): AnyTensor => {
    let x: AnyTensor = plate;
    for (let k = 0; k < steps; k++) {
      const middle = x.narrow(0, 1, 126).narrow(1, 1, 126);
      const sides = x
        .narrow(0, 0, 126)
        .narrow(1, 1, 126)
        .add(x.narrow(0, 2, 126).narrow(1, 1, 126));
      const ends = x
        .narrow(0, 1, 126)
        .narrow(1, 0, 126)
        .add(x.narrow(0, 1, 126).narrow(1, 2, 126));
      x = middle.add(sides.add(ends).sub(middle.mul(4)).mul(0.1)).pad([1, 1, 1, 1]);
    }
    return x;
  };
  const rolledHeat = (steps: number): AnyTensor => {
    let x: AnyTensor = plate;
    for (let k = 0; k < steps; k++)
      x = x.add(x.roll(1, 0).add(x.roll(-1, 0)).add(x.roll(1, 1)).add(x.roll(-1, 1)).sub(x.mul(4)).mul(0.1));
    return x;
  };
  return [
    { name: "reflect pad of images", record: () => images.pad([1, 1, 1, 1], { mode: "reflect" }) },
    { name: "circular pad of images", record: () => images.pad([2, 1, 1, 2], { mode: "circular" }) },
    { name: "replicate pad of images", record: () => images.pad([2, 1, 1, 2], { mode: "replicate" }) },
    { name: "three rolls of images", record: () => images.roll(1, 1).roll(2, 2).roll(3, 3) },
    { name: "roll of three axes of images", record: () => images.roll([1, 2, 3], [1, 2, 3]) },
    { name: "reflect pad [8, 16, 12, 12]", record: () => small.pad([2, 2, 2, 2], { mode: "reflect" }) },
    {
      name: "convTranspose3d [2, 8, 6, 10, 10]",
      record: () => call("convTranspose3d", volume, kernel, { stride: 2 }),
    },
    { name: "heat, 100 steps of slices", record: () => heat(100) },
    { name: "heat, 100 steps of rolls", record: () => rolledHeat(100) },
    { name: "softmax, sin, mean: 20 times", record: () => softmaxes(20) },
    { name: "softmax, sin, mean: 40 times", record: () => softmaxes(40) },
    { name: "softmax, sin, mean: 80 times", record: () => softmaxes(80) },
  ];
}

/** Loops that are computed when they are over: thousands of nodes, a few rounds at a time. */
export function loops(): FirstProgram[] {
  const ensemble = floats([3, 10_000], 7);
  const rows = floats([64, 64], 6);
  const integrated = (steps: number): AnyTensor => {
    const slope = (q: AnyTensor): AnyTensor => {
      const [x, y, z] = q.unbind(0) as [AnyTensor, AnyTensor, AnyTensor];
      return stack([y.sub(x).mul(10), x.mul(z.neg().add(28)).sub(y), x.mul(y).sub(z.mul(8 / 3))]);
    };
    let s: AnyTensor = ensemble;
    for (let k = 0; k < steps; k++) {
      const k1 = slope(s);
      const k2 = slope(s.add(k1.mul(0.0025)));
      const k3 = slope(s.add(k2.mul(0.0025)));
      const k4 = slope(s.add(k3.mul(0.005)));
      s = s.add(
        k1
          .add(k2.mul(2))
          .add(k3.mul(2))
          .add(k4)
          .mul(0.005 / 6),
      );
    }
    return s;
  };
  const bestPaths = (steps: number): AnyTensor => {
    let score: AnyTensor = rows.select(0, 0);
    const best: AnyTensor[] = [];
    for (let k = 1; k < steps; k++) {
      const { values, indices } = score.unsqueeze(1).add(rows).max(0);
      score = values.add(rows.select(0, k % 64));
      best.push(indices);
    }
    return stack(best);
  };
  return [
    { name: "Lorenz by Runge and Kutta, 100 steps", record: () => integrated(100) },
    { name: "best paths (Viterbi), 200 steps", record: () => bestPaths(200) },
  ];
}

const sizes = [1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 19, 20, 31, 32, 33, 64, 100, 101];

function shapeFor(choices: Choices): number[] {
  for (;;) {
    const shape = Array.from({ length: choices.pick([1, 2, 2, 3, 3, 4, 4]) }, () => choices.pick(sizes));
    if (cellsOf(shape) >= 16 && cellsOf(shape) <= MOST_CELLS) return shape;
  }
}

/** One op on what is in memory: every kind in turn. */
export function single(seed: number): FirstProgram {
  const kinds = Object.keys(makers);
  return drafted(seed, [kinds[seed % kinds.length]!])!;
}

/** Five ops in a row. */
export const chain = (seed: number): FirstProgram => drawn(seed, null, Object.keys(makers));

/** Five ops in a row on an input of that shape; kinds that do not follow one another there are drawn again. */
export const chainOn =
  (shape: readonly number[], kinds: readonly string[] = Object.keys(makers)) =>
  (seed: number): FirstProgram =>
    drawn(seed, shape, kinds);

/** Kinds without images: functions, arithmetic, sums, softmaxes, products, movements, sorts and scans. */
export const everyday: readonly string[] = [
  ...["unary", "binary", "compared", "parametric", "folded", "normalised", "multiplied"],
  ...["moved", "rolled", "joined", "located", "ordered", "scanned"],
];

function drawn(seed: number, given: readonly number[] | null, kinds: readonly string[]): FirstProgram {
  const choices = new Choices(seed);
  for (;;) {
    const chosen = Array.from({ length: 5 }, () => choices.pick(kinds));
    const program = drafted(seed, chosen, given);
    if (program !== null) return program;
  }
}

/** Of so many drafts on one shape none has every kind: there is none. */
const DRAFTS = 100;

/** A step of each kind, as far as there is one for the shape that has come about. */
function drafted(
  seed: number,
  kinds: readonly string[],
  given: readonly number[] | null = null,
): FirstProgram | null {
  const choices = new Choices(seed + 1e6);
  for (let draft = 0; given === null || draft < DRAFTS; draft++) {
    const shape = given ?? shapeFor(choices);
    const input = floats(shape, seed);
    const steps: Step[] = [];
    let shown: AnyTensor = input;
    const taken: string[] = [];
    for (const kind of kinds) {
      for (let attempt = 0; attempt < 8; attempt++) {
        const step = shown.shape.length === 0 ? null : makers[kind]!(choices, shown.shape);
        if (step === null) continue;
        const next = attempted(step, shown);
        if (next === null || cellsOf(next.shape) > MOST_CELLS || cellsOf(next.shape) === 0) continue;
        shown = next;
        steps.push(step);
        taken.push(kind);
        break;
      }
    }
    if (taken.length < kinds.length) continue;
    return {
      name: `${taken.join(" ")} [${shape.join(", ")}] (seed ${seed})`,
      record: () => steps.reduce((x: AnyTensor, step) => step(x), input),
    };
  }
  return null;
}

/** Not every step that was made up is allowed. */
function attempted(step: Step, x: AnyTensor): AnyTensor | null {
  try {
    return step(x);
  } catch (error) {
    if (error instanceof RangeError || error instanceof fuseau.ShapeError) return null;
    throw error;
  }
}
