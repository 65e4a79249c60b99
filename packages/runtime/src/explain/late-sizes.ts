/** Explains a program whose size is known late. */
import { numbersAt } from "@fuseau/compiler";
import { type Node, sizesOf } from "@fuseau/ir";
import type { LateExecutable } from "../execute/executable.ts";

export interface LateExplanation {
  /** The present value of `n`, and the sizes that this program is for. */
  readonly size: number;
  readonly low: number;
  readonly high: number;
  /** Its inputs, with their shapes in terms of n: `float32[n, 64]`. */
  readonly inputs: readonly string[];
  /** How many sizes it was compiled at. */
  readonly samples: number;
}

export function explainLate(
  { of: { sized, low, high, program }, size }: LateExecutable,
  nodes: readonly Node[],
): LateExplanation {
  const [at0, at1, at2] = [0, 1, 2].map((n) => numbersAt(sized.line.sizes, n)) as [
    number[],
    number[],
    number[],
  ];
  const inputs: string[] = [];
  let next = 0;
  for (const node of nodes) {
    const own: number[] = [];
    sizesOf(node, own);
    if (node.op === "input") {
      const shape = node.shape.map((_, axis) => {
        const place = next + axis;
        return inTermsOfN(at0[place] as number, at1[place] as number, at2[place] as number);
      });
      inputs.push(`${node.dtype}[${shape.join(", ")}]`);
    }
    next += own.length;
  }
  return { size, low, high, inputs, samples: program.samples };
}

/** The polynomial through the values at 0, 1 and 2. */
function inTermsOfN(at0: number, at1: number, at2: number): string {
  const square = (at2 - 2 * at1 + at0) / 2;
  const terms = [
    [square, "n²"],
    [at1 - at0 - square, "n"],
    [at0, ""],
  ] as const;
  const text = terms
    .filter(([factor]) => factor !== 0)
    .map(([factor, power]) => (power === "" ? `${factor}` : `${factor === 1 ? "" : `${factor}·`}${power}`));
  return text.join(" + ").replaceAll("+ -", "− ") || "0";
}

export const lateText = ({ size, low, high, inputs, samples }: LateExplanation): string =>
  [
    `n = ${size}; the same for ${low} ≤ n ≤ ${high}, compiled at ${samples} sizes`,
    ...inputs.map((input, k) => `input ${k}: ${input}`),
  ].join("\n");
