/** Explains a program whose sizes are known late. */
import { numbersAt, samplesAround, through } from "@fuseau/compiler";
import { type Node, sizesOf } from "@fuseau/ir";
import type { LateExecutable } from "../execute/programs/executable.ts";

export interface LateExplanation {
  /** The free sizes, their present values, and from where to where the program is for them. */
  readonly free: readonly {
    readonly name: string;
    readonly size: number;
    readonly low: number;
    readonly high: number;
  }[];
  /** Its inputs, with their shapes in terms of the free sizes: `float32[n, 64]`. */
  readonly inputs: readonly string[];
  /** How many times it was compiled to be made. */
  readonly samples: number;
}

const NAMES = ["n", "m", "k"] as const;

export function explainLate(
  { of: { sized, low, high, program }, point }: LateExecutable,
  nodes: readonly Node[],
): LateExplanation {
  const { sizes } = sized.surface;
  const zero = point.map(() => 0);
  const timesAt = new Map(sizes.varying.map(({ place, times }) => [place, times]));
  const polynomials = { ...sizes, varying: sizes.varying.map((one) => ({ ...one, times: [] })) };
  const { first, varying } = through(
    zero,
    samplesAround(zero).map((own) => numbersAt(polynomials, own)),
  );
  const factorsAt = new Map(varying.map(({ place, factors }) => [place, factors]));
  const inputs: string[] = [];
  let next = 0;
  for (const node of nodes) {
    const own: number[] = [];
    sizesOf(node, own);
    if (node.op === "input") {
      const shape = node.shape.map((_, axis) => {
        const at = next + axis;
        const times = (timesAt.get(at) ?? []).map((free) => NAMES[free]);
        const rest = inTerms(first[at] as number, factorsAt.get(at) ?? [], point.length);
        return times.length === 0 ? rest : [...times, rest.includes(" ") ? `(${rest})` : rest].join("·");
      });
      inputs.push(`${node.dtype}[${shape.join(", ")}]`);
    }
    next += own.length;
  }
  const free = point.map((size, k) => ({
    name: NAMES[k] as string,
    size,
    low: low[k] as number,
    high: high[k] as number,
  }));
  return { free, inputs, samples: program.samples };
}

/** A polynomial, by the factors of `termsAt` from 0, as powers of the names. */
function inTerms(constant: number, factors: readonly number[], count: number): string {
  const single = factors.slice(0, count);
  const terms: (readonly [number, string])[] = [];
  let next = count;
  for (let i = 0; i < count; i++)
    for (let j = i; j < count; j++) {
      const factor = factors[next++] ?? 0;
      if (i !== j) terms.push([factor, `${NAMES[i]}·${NAMES[j]}`]);
      else {
        terms.push([factor / 2, `${NAMES[i]}²`]);
        single[i] = (single[i] ?? 0) - factor / 2;
      }
    }
  terms.push(...single.map((factor, k) => [factor, NAMES[k] as string] as const), [constant, ""]);
  const text = terms
    .filter(([factor]) => factor !== 0)
    .sort(([a], [b]) => Math.sign(b) - Math.sign(a))
    .map(([factor, power], k) => {
      const size = Math.abs(factor);
      const term = power === "" ? `${size}` : `${size === 1 ? "" : `${size}·`}${power}`;
      return k === 0 ? `${factor < 0 ? "−" : ""}${term}` : `${factor < 0 ? "−" : "+"} ${term}`;
    });
  return text.join(" ") || "0";
}

export const lateText = ({ free, inputs, samples }: LateExplanation): string =>
  [
    `${free.map(({ name, size }) => `${name} = ${size}`).join(", ")}; the same for ${free.map(({ name, low, high }) => `${low} ≤ ${name} ≤ ${high}`).join(" and ")}, compiled at ${samples} sizes`,
    ...inputs.map((input, k) => `input ${k}: ${input}`),
  ].join("\n");
