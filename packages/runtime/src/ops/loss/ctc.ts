/**
 * Connectionist temporal classification: −log of the probability that a sequence of distributions spells a list of labels, with blanks
 * between them (Graves, Fernández, Gomez and Schmidhuber, 2006). The logarithms of sums over all paths are computed step by step: forwards
 * for the loss, and backwards for its gradient. Backwards they are those of the same sequences and labels turned round, so both are rows of
 * one batch. The gradient is PyTorch's: that of the scores before log-softmax.
 */
import { DTypeError, ShapeError, showShape } from "@fuseau/ir";
import * as record from "../../record.ts";
import { Storage } from "../../storage.ts";
import { GradientError } from "../../tape/errors.ts";
import { withRule } from "../../tape/rule.ts";
import { recording } from "../../tape/step.ts";
import type { Value } from "../../value.ts";
import { full } from "../creation.ts";
import { checkWhole } from "../indexing.ts";
import { concat, expand, flip, narrowed, stack } from "../movement.ts";
import { as, torchName } from "../operand.ts";
import { add, and, eq, exp, gt, le, log, lt, maximum, mul, ne, not, sub, where } from "../pointwise.ts";
import { logsumexp } from "../reduction.ts";
import { scattered } from "../scatter.ts";

/** The labels as paths visit them, for a batch of n. */
interface Course {
  /** The labels with blanks around each, int64 [n, places]. */
  readonly labels: Value;
  /** True where a path may come from two places before, since the label there is another one. */
  readonly mayLeap: Value;
  /** The place of the last blank, int64 [n, 1]. */
  readonly end: Value;
  /** The number of steps, int64 [n, 1]. */
  readonly steps: Value;
  /** True if all samples use all steps. */
  readonly areWhole: boolean;
}

export interface CtcLengths {
  readonly input: readonly number[];
  readonly target: readonly number[];
}

/**
 * The loss [n] of `logProbs` [steps, n, classes]. It is infinite if there are too few steps for the labels. There the gradient is NaN, as
 * in PyTorch; with `zeroInfinity` both are 0.
 */
export function ctc(
  logProbs: Value,
  targets: Value,
  lengths: CtcLengths,
  blank: number,
  zeroInfinity: boolean,
): Value {
  check(logProbs, targets, lengths, blank);
  const [steps, count] = logProbs.node.shape as [number, number, number];
  const course = courseOf(targets, lengths, steps, blank);
  const places = expand(course.labels, [steps, ...course.labels.node.shape]);
  const isTracked = recording.isActive && logProbs.step !== null;
  const run = (): { readonly losses: Value; readonly slope: () => Value } => {
    const emitted = record.gather(logProbs, 2, places);
    const back = isTracked ? turned(course, blank) : null;
    const paths = pathsOf(
      back === null ? emitted : concat("cat", [emitted, back.of(emitted)], 1),
      back === null ? course : beside(course, back.course),
    );
    const losses = lossOf(narrowed(paths.at(-1)!, 0, 0, count), course);
    return {
      losses,
      slope: () => {
        const all = stack(paths, 0);
        const both = add(narrowed(all, 1, 0, count), back!.of(narrowed(all, 1, count, count)));
        return slopeOf(logProbs, places, emitted, both, losses, course, zeroInfinity ? 0 : Number.NaN);
      },
    };
  };
  let made: ReturnType<typeof run> | null = null;
  const losses = withRule(
    "ctcLoss",
    [logProbs],
    () => {
      made = run();
      return made.losses;
    },
    (_, g) => {
      const slope = withRule(
        "ctcLossBackward",
        [logProbs],
        () => made!.slope(),
        () => {
          throw new GradientError("the derivative for '_ctc_loss_backward' is not implemented");
        },
      );
      return [mul(slope, record.reshape(g, [count, 1]))];
    },
    [course.labels, course.mayLeap, course.end, course.steps],
  );
  return zeroInfinity ? where(eq(losses, Infinity), 0, losses) : losses;
}

/** A list of integers as a tensor. */
export const integers = (shape: readonly number[], list: readonly number[]): Value =>
  record.stored("int64", shape, new Storage("int64", BigInt64Array.from(list, BigInt)));

function courseOf(targets: Value, { input, target }: CtcLengths, steps: number, blank: number): Course {
  const count = input.length;
  const [most, listed] = rowsOf(targets, target);
  const size = 2 * most + 1;
  const end = integers(
    [count, 1],
    target.map((length) => 2 * length),
  );
  const place = record.iota("int64", size);
  // Whatever follows the labels is on no path that counts.
  const isLabel = and(eq(record.binary("remainder", place, as("int64", 2)), 1), lt(place, end));
  const labels = where(isLabel, doubled(listed, size), as("int64", blank));
  return {
    labels,
    mayLeap: mayLeapIn(labels, blank),
    end,
    steps: integers([count, 1], input),
    areWhole: input.every((length) => length === steps),
  };
}

/** The labels as rows, int64 [n, most]. They are given so, or as one list with the labels of one sample after another. */
function rowsOf(targets: Value, lengths: readonly number[]): readonly [most: number, rows: Value] {
  const { shape } = targets.node;
  const given = record.cast(targets, "int64");
  if (shape.length === 2) return [shape[1]!, given];
  const most = Math.max(0, ...lengths);
  let begin = 0;
  const places = lengths.flatMap((length) => {
    const row = Array.from({ length: most }, (_, k) => begin + Math.min(k, Math.max(0, length - 1)));
    begin += length;
    return row;
  });
  const known = places.map((place) => Math.min(place, Math.max(0, begin - 1)));
  const rows = [lengths.length, most];
  if (begin === 0) return [0, full([lengths.length, 0], 0, "int64")];
  return [most, record.reshape(record.pick(given, 0, integers([places.length], known)), rows)];
}

/** Repeats each label, so that label k is at places 2k and 2k + 1. */
function doubled(rows: Value, size: number): Value {
  const [count, most] = rows.node.shape as [number, number];
  const twice = record.reshape(record.expand(record.reshape(rows, [count, most, 1]), [count, most, 2]), [
    count,
    2 * most,
  ]);
  return record.pad(twice, [0, 0], [0, size - 2 * most], as("int64", 0));
}

/** The labels from the last to the first, and what turns steps and places round: a sample's last step is the first, and its last place. */
function turned(
  course: Course,
  blank: number,
): { readonly course: Course; readonly of: (x: Value) => Value } {
  const { labels, end, steps, areWhole } = course;
  const place = record.iota("int64", labels.node.shape[1]!);
  const isPlace = le(place, end);
  const from = maximum(sub(end, place), 0);
  const own = where(isPlace, record.pick(labels, 1, from), labels);
  return {
    course: { ...course, labels: own, mayLeap: mayLeapIn(own, blank) },
    of(x) {
      const { shape } = x.node;
      const [count] = shape as [number, number, number];
      const step = record.reshape(record.iota("int64", count), [count, 1, 1]);
      const last = maximum(sub(sub(steps, 1), step), 0);
      const inTime = areWhole ? flip(x, [0]) : record.pick(x, 0, expand(last, shape));
      // Behind the last place is no path.
      return where(isPlace, record.pick(inTime, 2, expand(from, shape)), Number.NEGATIVE_INFINITY);
    },
  };
}

/** Two courses as one of twice as many samples. */
const beside = (one: Course, other: Course): Course => ({
  labels: concat("cat", [one.labels, other.labels], 0),
  mayLeap: concat("cat", [one.mayLeap, other.mayLeap], 0),
  end: concat("cat", [one.end, other.end], 0),
  steps: concat("cat", [one.steps, other.steps], 0),
  areWhole: one.areWhole,
});

/** True where a path may come from two places before, since the label there is another one. */
function mayLeapIn(labels: Value, blank: number): Value {
  const before = record.pad(labels, [0, 2], [0, 0], as("int64", blank));
  return ne(labels, narrowed(before, 1, 0, labels.node.shape[1]!));
}

/** By step and place: the logarithm of the probability of all paths up to there. After its last step a sample stays the same. */
function pathsOf(emitted: Value, { labels, mayLeap, end, steps, areWhole }: Course): Value[] {
  const none = Number.NEGATIVE_INFINITY;
  const [length, count, size] = emitted.node.shape as [number, number, number];
  const at = (t: number): Value => record.reshape(narrowed(emitted, 0, t, 1), [count, size]);
  const place = record.iota("int64", labels.node.shape[1]!);
  // A path comes from two places before if it may leap, from one before, or stays where it is.
  const isLeap = eq(record.iota("int64", 3), 0);
  const cost = where(
    and(isLeap, not(record.reshape(mayLeap, [count, size, 1]))),
    none,
    as(emitted.node.dtype, 0),
  );
  const around = { shape: [count, size, 3], strides: [size + 2, 1, 1], offset: 0 };
  const all = [where(and(lt(place, 2), le(place, end)), at(0), none)];
  for (let t = 1; t < length; t++) {
    const before = all[t - 1]!;
    const padded = record.pad(before, [0, 2], [0, 0], as(before.node.dtype, none));
    const next = add(logsumexp(add(record.asStrided(padded, around), cost), -1, false), at(t));
    all.push(areWhole ? next : where(lt(as("int64", t), steps), next, before));
  }
  return all;
}

/** −log of the probability of the paths that end with the last label, or the blank after it. */
function lossOf(paths: Value, { end, steps }: Course): Value {
  const count = end.node.shape[0]!;
  const at = (place: Value): Value => record.pick(paths, 1, place);
  const none = Number.NEGATIVE_INFINITY;
  const blank = at(end);
  const label = where(gt(end, 0), at(maximum(sub(end, 1), 0)), none);
  const largest = maximum(blank, label);
  const base = where(eq(largest, none), 0, largest);
  const known = add(log(add(exp(sub(blank, base)), exp(sub(label, base)))), base);
  // Without steps the only path is that of no labels.
  const all = where(gt(steps, 0), known, where(eq(end, 0), 0, none));
  return record.reshape(sub(0, all), [count]);
}

/**
 * exp(logProbs) minus the probability that paths are at each class, for the steps of each sample; `whenInfinite` if there is no path. `both`
 * are the paths up to a step and place, and those from there on.
 */
function slopeOf(
  logProbs: Value,
  places: Value,
  emitted: Value,
  both: Value,
  losses: Value,
  course: Course,
  whenInfinite: number,
): Value {
  const { dtype, shape } = logProbs.node;
  const [steps, count] = shape as [number, number, number];
  const shares = exp(add(sub(both, emitted), record.reshape(losses, [count, 1])));
  const isStep = lt(record.reshape(record.iota("int64", steps), [steps, 1, 1]), course.steps);
  const known = where(eq(both, Number.NEGATIVE_INFINITY), 0, shares);
  const summed = scattered(full(shape, 0, dtype), 2, places, known, "sum");
  const slopes = where(
    eq(record.reshape(losses, [count, 1]), Infinity),
    whenInfinite,
    sub(exp(logProbs), summed),
  );
  return where(isStep, slopes, 0);
}

function check(logProbs: Value, targets: Value, { input, target }: CtcLengths, blank: number): void {
  const { dtype, shape } = logProbs.node;
  const [steps, count, classes] = shape as [number, number, number];
  const list = targets.node.shape;
  if (dtype !== "float32" && dtype !== "float64")
    throw new DTypeError(`"ctc_loss_cpu" not implemented for '${torchName[dtype]}'`);
  checkWhole(targets, "targets must be Long or Int");
  if (list.length !== 1 && list.length !== 2)
    throw new ShapeError(
      `Expected 1 to 2 dimensions, but got ${list.length}-dimensional tensor for argument #2 'targets' (while checking arguments for ctc_loss_cpu)`,
    );
  if (!Number.isInteger(blank) || blank < 0 || blank >= classes)
    throw new RangeError(`blank must be in label range (it is ${blank}, of ${classes} classes)`);
  for (const [name, lengths] of [
    ["input_lengths", input],
    ["target_lengths", target],
  ] as const) {
    if (lengths.length !== count)
      throw new ShapeError(`${name} must be of size batch_size (${lengths.length}, of a batch of ${count})`);
    const wrong = lengths.find((length) => !Number.isInteger(length) || length < 0);
    if (wrong !== undefined)
      throw new RangeError(`${name} must be whole numbers from 0 on, but one is ${wrong}`);
  }
  if (steps === 0 || count === 0)
    throw new ShapeError(`logProbs has no elements (shape ${showShape(shape)})`);
  const longest = Math.max(...input);
  if (longest > steps)
    throw new RangeError(
      `Expected input_lengths to have value at most ${steps}, but got value ${longest} (while checking arguments for ctc_loss_cpu)`,
    );
  const [most, total] = [Math.max(...target), target.reduce((sum, length) => sum + length, 0)];
  const [needed, given, axis] = list.length === 2 ? [most, list[1]!, 1] : [total, list[0]!, 0];
  if (list.length === 2 && list[0] !== count)
    throw new ShapeError(
      `Expected tensor to have size ${count} at dimension 0, but got size ${list[0]} for argument #2 'targets' (while checking arguments for ctc_loss_cpu)`,
    );
  if (axis === 1 ? given < needed : given !== needed)
    throw new ShapeError(
      `Expected tensor to have size ${axis === 1 ? "at least " : ""}${needed} at dimension ${axis}, but got size ${given} for argument #2 'targets' (while checking arguments for ctc_loss_cpu)`,
    );
}
