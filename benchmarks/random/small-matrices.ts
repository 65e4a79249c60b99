/** Chains of a few ops over many small matrices, as a seed decides. */
import { type AnyTensor, cat, randint, randn, stack, type Tensor, where } from "fuseau";
import type { Choices } from "./choices.ts";

type Any = Tensor<number[], "float32">;

export interface Chain {
  readonly name: string;
  /** Records the chain anew, over the same operands. */
  readonly make: () => AnyTensor;
}

/** Elements at first, and how many times as many any result may have. */
const [ELEMENTS, MOST] = [200_000, 8];

/** What a step may ask for: choices, and operands that are drawn once. */
interface Draw {
  readonly choices: Choices;
  operand(shape: readonly number[]): Any;
  places(axis: number, x: Any, shape: readonly number[]): Tensor<number[], "int64">;
}

type Step = (x: Any, draw: Draw) => AnyTensor;

const axisOf = (x: Any, { choices }: Draw): number => choices.between(0, x.ndim - 1);
const kept = { keepdim: true } as const;
/** Operands have some of the axes of x. */
const beside = (x: Any, draw: Draw): Any =>
  draw.operand(x.shape.map((size) => (draw.choices.chance(0.5) ? 1 : size)));
const lastTwo = (x: Any): Any => (x.ndim > 1 ? (x.transpose(-1, -2) as Any) : x);

const steps: Readonly<Record<string, Step>> = {
  add: (x, draw) => x.add(beside(x, draw)),
  mul: (x, draw) => x.mul(beside(x, draw)),
  max: (x, draw) => x.maximum(beside(x, draw)),
  where: (x, draw) => where(x.gt(beside(x, draw)), x, 0.5),
  exp: (x) => x.clamp({ max: 3 }).exp(),
  sin: (x) => x.sin(),
  sum: (x, draw) => x.sum(axisOf(x, draw)),
  mean: (x, draw) => x.mean(axisOf(x, draw), kept),
  outerSum: (x) => (x.ndim > 1 ? x.sum([0, -1]) : x.sum()),
  amax: (x, draw) => x.amax(axisOf(x, draw)),
  argmin: (x, draw) => x.argmin(axisOf(x, draw)).float(),
  softmax: (x, draw) => x.softmax(axisOf(x, draw)),
  lessMean: (x, draw) => x.sub(x.mean(axisOf(x, draw), kept)),
  unit: (x) => x.div(x.square().sum(-1, kept).add(1).sqrt()),
  cumsum: (x, draw) => x.cumsum(axisOf(x, draw)),
  cummax: (x, draw) => x.cummax(axisOf(x, draw)).values,
  turned: (x) => lastTwo(x).contiguous(),
  addTurned: (x) => (x.ndim > 1 && x.shape.at(-1) === x.shape.at(-2) ? x.add(lastTwo(x)) : x.mul(2)),
  flip: (x, draw) => x.flip([axisOf(x, draw)]),
  roll: (x, draw) => x.roll(1, axisOf(x, draw)),
  cat: (x, draw) => cat([x, x], axisOf(x, draw)),
  stack: (x, draw) => stack([x, x], axisOf(x, draw)),
  pad: (x, { choices }) => x.pad([choices.between(0, 2), choices.between(0, 2)]),
  outer: (x) => (x.ndim < 4 && x.shape.at(-1)! < 8 ? x.unsqueeze(-1).mul(x.unsqueeze(-2)) : x),
  matmul: (x, draw) =>
    x.ndim > 1 ? x.matmul(draw.operand([x.shape.at(-1)!, draw.choices.between(1, 5)])) : x,
  gather: (x, draw) => {
    const axis = axisOf(x, draw);
    return x.gather(axis, draw.places(axis, x, x.shape));
  },
  select: (x, draw) => {
    const axis = axisOf(x, draw);
    return x.indexSelect(axis, draw.places(axis, x, [draw.choices.between(1, 6)]));
  },
  scatter: (x, draw) => {
    const axis = axisOf(x, draw);
    return x.scatterAdd(axis, draw.places(axis, x, x.shape), x);
  },
  toInt: (x) => x.mul(7).to("int32").float(),
};

/** Null where a result would be large or empty. */
export function chainOf(choices: Choices, elements: number = ELEMENTS): Chain | null {
  const [rows, columns] = [choices.between(2, 6), choices.between(2, 6)];
  const count = Math.floor(elements / (rows * columns));
  const shape = choices.pick([
    [count, rows, columns],
    [count, rows, columns],
    [count * columns, rows],
    [10, Math.floor(count / 10), rows, columns],
  ]);
  const names = Array.from({ length: choices.between(2, 3) }, () => choices.pick(Object.keys(steps)));
  /** Each step as the first recording of it has decided it. */
  const recorded: ((x: Any) => AnyTensor)[] = [];
  const x = randn(shape).compute() as Any;
  let last: AnyTensor = x;
  for (const name of names) {
    const decided: unknown[] = [];
    let next = 0;
    /** What a recording draws is what the first one drew. */
    const once = <T>(make: () => T): T => {
      if (next === decided.length) decided.push(make());
      return decided[next++] as T;
    };
    const draw: Draw = {
      choices: {
        chance: (part: number) => once(() => choices.chance(part)),
        between: (low: number, high: number) => once(() => choices.between(low, high)),
      } as Choices,
      operand: (sizes) => once(() => randn(sizes as number[]).compute() as Any),
      places: (axis, { shape: sizes }, wanted) =>
        once(() => randint(0, sizes[axis]!, wanted as number[]).compute() as Tensor<number[], "int64">),
    };
    const step = (value: Any): AnyTensor => {
      next = 0;
      return steps[name]!(value, draw);
    };
    if (last.ndim === 0 || last.numel() === 0) return null;
    last = step(last as Any);
    if (last.numel() > MOST * elements) return null;
    recorded.push(step);
  }
  return {
    name: `${shape.join("x")}  ${names.join(" → ")}`,
    make: () => recorded.reduce<AnyTensor>((value, step) => step(value as Any), x),
  };
}
