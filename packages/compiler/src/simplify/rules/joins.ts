/** Padding, concatenations and gathers that equal a slice. */
import { sameNumbers } from "@fuseau/ir";
import { P } from "ts-pattern";
import { endsIn } from "../../graph.ts";
import { affineOf } from "../terms/affine.ts";
import { node, of, select } from "../terms/pattern.ts";
import { type Rule, rule } from "../terms/rule.ts";
import { isEmpty, operand, type Term, type Terms } from "../terms/term.ts";

const [x, fill, again] = [select("x"), select("fill"), select("again")];
const [starts, steps, axis] = [select("starts"), select("steps"), select("axis")];

export const joins: readonly Rule[] = [
  rule({
    name: "pad by nothing",
    at: ["pad"],
    when: (_, term) => sameNumbers(operand(term).node.shape, term.node.shape),
    law: "pad by nothing → x",
    gives: (_, __, term) => operand(term),
  }),
  rule({
    name: "pad with what is repeated",
    at: ["pad"],
    pattern: of({ fn: "expand", inputs: [x] }, fill),
    when: ({ x, fill }) => x === fill,
    law: "pad(expand(c), c) → expand(c)",
    gives: ({ fill }, terms, { node }) => terms.expand(fill, node.shape),
  }),
  rule({
    name: "pad of pad",
    at: ["pad"],
    pattern: {
      node: P.select("outer", { op: "pad" }),
      ...of(node("pad", { before: select("inner") }, x, again), fill),
    },
    when: ({ again, fill }) => again === fill,
    law: "pad(pad(x, c), c) → pad(x, c): the same value further out",
    gives: ({ x, fill, outer, inner }, terms) => {
      const before = outer.attributes.before.map((own, axis) => own + (inner[axis] as number));
      return terms.make({ ...outer, attributes: { before } }, [x, fill]);
    },
  }),
  rule({
    name: "slice of pad",
    at: ["slice"],
    pattern: node("slice", { starts, steps }, node("pad", { before: select("before") }, x, fill)),
    when: (_, term) => !isEmpty(term),
    law: "slice(pad(x)) → slice(x) within x, and the padding alone beside it",
    gives: ({ x, fill, starts, steps, before }, terms, { node }) => {
      const first = starts.map((start, axis) => start - (before[axis] as number));
      const last = first.map(
        (start, axis) => start + (steps[axis] as number) * ((node.shape[axis] as number) - 1),
      );
      const ends = first.map((start, axis) => {
        const end = last[axis] as number;
        return endsIn(Math.min(start, end), Math.max(start, end), 0, x.node.shape[axis] as number);
      });
      const isInside = ends.every(([low, , , beyond]) => low >= 0 && beyond < 0);
      const held = ends.flatMap(([, behind, high]) => [high < 0, behind >= 0]).indexOf(true);
      if (!isInside && held < 0) return undefined;
      terms.conditions.push([held, ...ends.flat()]);
      return isInside ? terms.slice(x, first, steps, node.shape) : terms.expand(fill, node.shape);
    },
  }),
  rule({
    name: "slice of one part",
    at: ["slice"],
    pattern: node(
      "slice",
      { starts, steps },
      {
        fn: "concat",
        node: { op: "concat", attributes: { axis } },
        inputs: select("parts"),
      },
    ),
    when: (_, term) => !isEmpty(term),
    law: "slice(concat(…, x, …)) → slice(x) where all places are of one part",
    gives: ({ parts, axis, starts, steps }, terms, { node }) => {
      const first = starts[axis] as number;
      const last = first + (steps[axis] as number) * ((node.shape[axis] as number) - 1);
      let start = 0;
      for (const [k, part] of parts.entries()) {
        const end = start + (part.node.shape[axis] as number);
        if (Math.min(first, last) >= start && Math.max(first, last) < end) {
          terms.conditions.push([k, ...endsIn(Math.min(first, last), Math.max(first, last), start, end)]);
          const own = starts.map((place, other) => (other === axis ? place - start : place));
          return terms.slice(part, own, steps, node.shape);
        }
        start = end;
      }
      return undefined;
    },
  }),
  rule({
    name: "concat of empty parts",
    at: ["concat"],
    pattern: { node: { op: "concat", attributes: { axis } } },
    when: ({ axis }, { inputs }) => inputs.some(({ node }) => node.shape[axis] === 0),
    law: "concat → concat of the parts that are not empty",
    gives: ({ axis }, terms, { inputs: [first, ...others] }) => {
      const parts = [first as Term, ...others].filter(({ node }) => node.shape[axis] !== 0);
      return parts.length === 0 ? first : terms.concat(parts, axis);
    },
  }),
  rule({
    name: "concat of one part",
    at: ["concat"],
    pattern: of(x),
    law: "concat(x) → x",
    gives: ({ x }) => x,
  }),
  rule({
    name: "concat of one value",
    at: ["concat"],
    when: (_, { inputs: [first, ...others] }) =>
      first?.fn === "expand" &&
      first.inputs[0]?.node.shape.length === 0 &&
      others.every(({ fn, inputs }) => fn === "expand" && inputs[0] === first.inputs[0]),
    law: "concat(expand(c), expand(c)) → expand(c)",
    gives: (_, terms, { inputs: [first], node }) => terms.expand(first?.inputs[0] as Term, node.shape),
  }),
  rule({
    name: "concat of neighbours",
    at: ["concat"],
    pattern: { node: { op: "concat", attributes: { axis } } },
    law: "neighbouring slices of one x, joined → a slice of x",
    gives: ({ axis }, terms, { inputs: [first, ...others] }) => {
      const parts = [first as Term];
      for (const part of others) {
        const joined = asOneSlice(parts.at(-1) as Term, part, axis, terms);
        if (joined === undefined) parts.push(part);
        else parts[parts.length - 1] = joined;
      }
      return parts.length <= others.length ? terms.concat(parts, axis) : undefined;
    },
  }),
  rule({
    name: "gather by an index that counts",
    at: ["gather"],
    pattern: node("gather", { axis }, x, select("index")),
    when: (_, term) => !isEmpty(term),
    law: "gather by an index that counts along its axis, within x → slice(x); by one that stays → expand(slice(x))",
    gives: ({ x, index, axis }, terms, { node }) => {
      const affine = affineOf(index);
      if (affine === undefined || affine.steps.some((step, other) => other !== axis && step !== 0))
        return undefined;
      const { start } = affine;
      const step = affine.steps[axis] as number;
      const last = start + step * ((node.shape[axis] as number) - 1);
      const size = x.node.shape[axis] as number;
      if (Math.min(start, last) < 0 || Math.max(start, last) >= size) return undefined;
      const along = (own: number, other: number): number[] =>
        node.shape.map((_, place) => (place === axis ? own : other));
      const sizes = node.shape.map((own, place) => (place === axis && step === 0 ? 1 : own));
      return terms.expand(terms.slice(x, along(start, 0), along(step || 1, 1), sizes), node.shape);
    },
  }),
];

/** Two slices as one, where the second continues the first along `axis`. */
function asOneSlice(a: Term, b: Term, axis: number, terms: Terms): Term | undefined {
  if (a.node.op !== "slice" || b.node.op !== "slice" || a.inputs[0] !== b.inputs[0]) return undefined;
  const [{ starts, steps }, other] = [a.node.attributes, b.node.attributes];
  const size = a.node.shape[axis] as number;
  const goesOn = starts.every((start, own) => {
    const next = own === axis ? start + (steps[own] as number) * size : start;
    return other.starts[own] === next;
  });
  if (!goesOn || !sameNumbers(steps, other.steps)) return undefined;
  const shape = a.node.shape.map((own, k) => (k === axis ? own + (b.node.shape[axis] as number) : own));
  return terms.slice(a.inputs[0] as Term, starts, steps, shape);
}
