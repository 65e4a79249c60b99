/** Padding, concatenation and gathers that pick what can be said by a slice. */
import { sameNumbers } from "@fuseau/ir";
import { affineOf } from "../affine.ts";
import type { Rule } from "../rule.ts";
import { isEmpty, type Term, type Terms } from "../term.ts";

export const joins: readonly Rule[] = [
  {
    at: ["pad"],
    law: "pad by nothing → x; pad(expand(c), c) → expand(c)",
    apply: ({ inputs, node }, terms) => {
      const [x, fill] = inputs as [Term, Term];
      if (sameNumbers(x.node.shape, node.shape)) return x;
      return x.fn === "expand" && x.inputs[0] === fill ? terms.expand(fill, node.shape) : undefined;
    },
  },
  {
    at: ["pad"],
    law: "pad(pad(x, c), c) → pad(x, c): the same value further out",
    apply: ({ inputs, node }, terms) => {
      const [x, fill] = inputs as [Term, Term];
      if (x.node.op !== "pad" || node.op !== "pad" || x.inputs[1] !== fill) return undefined;
      const { before } = x.node.attributes;
      const attributes = {
        before: node.attributes.before.map((own, axis) => own + (before[axis] as number)),
      };
      return terms.make({ ...node, attributes }, [x.inputs[0] as Term, fill]);
    },
  },
  {
    at: ["slice"],
    law: "slice(pad(x)) → slice(x) within x, and the padding alone beside it",
    apply: (term, terms) => {
      const { node } = term;
      const [padded] = term.inputs as [Term];
      if (padded.node.op !== "pad" || node.op !== "slice" || isEmpty(term)) return undefined;
      const [x, fill] = padded.inputs as [Term, Term];
      const { starts, steps } = node.attributes;
      const { before } = padded.node.attributes;
      const first = starts.map((start, axis) => start - (before[axis] as number));
      const last = first.map(
        (start, axis) => start + (steps[axis] as number) * ((node.shape[axis] as number) - 1),
      );
      const isInside = (place: number, axis: number): boolean =>
        place >= 0 && place < (x.node.shape[axis] as number);
      if (first.every(isInside) && last.every(isInside)) return terms.slice(x, first, steps, node.shape);
      const isBeside = first.some((start, axis) => {
        const [low, high] = [Math.min(start, last[axis] as number), Math.max(start, last[axis] as number)];
        return high < 0 || low >= (x.node.shape[axis] as number);
      });
      return isBeside ? terms.expand(fill, node.shape) : undefined;
    },
  },
  {
    at: ["slice"],
    law: "slice(concat(…, x, …)) → slice(x) where all places are of one part",
    apply: (term, terms) => {
      const { node } = term;
      const [joined] = term.inputs as [Term];
      if (joined.node.op !== "concat" || node.op !== "slice" || isEmpty(term)) return undefined;
      const { axis } = joined.node.attributes;
      const { starts, steps } = node.attributes;
      const first = starts[axis] as number;
      const last = first + (steps[axis] as number) * ((node.shape[axis] as number) - 1);
      let start = 0;
      for (const part of joined.inputs) {
        const end = start + (part.node.shape[axis] as number);
        if (Math.min(first, last) >= start && Math.max(first, last) < end) {
          const own = starts.map((place, other) => (other === axis ? place - start : place));
          return terms.slice(part, own, steps, node.shape);
        }
        start = end;
      }
      return undefined;
    },
  },
  {
    at: ["concat"],
    law: "concat without its empty parts; of one part → it; of expand(c) alone → expand(c); neighbouring slices of one x → a slice of x",
    apply: ({ inputs, node }, terms) => {
      if (node.op !== "concat") return undefined;
      const { axis } = node.attributes;
      const [first, ...others] = inputs.filter((part) => part.node.shape[axis] !== 0);
      if (first === undefined) return inputs[0];
      const repeated = first.fn === "expand" && first.inputs[0]?.node.shape.length === 0;
      if (repeated && others.every((part) => part.fn === "expand" && part.inputs[0] === first.inputs[0]))
        return terms.expand(first.inputs[0] as Term, node.shape);
      const parts = [first];
      for (const part of others) {
        const joined = asOneSlice(parts.at(-1) as Term, part, axis, terms);
        if (joined === undefined) parts.push(part);
        else parts[parts.length - 1] = joined;
      }
      if (parts.length === 1) return parts[0];
      return parts.length < inputs.length ? terms.concat(parts, axis) : undefined;
    },
  },
  {
    at: ["gather"],
    law: "gather by an index that counts along its axis, within x → slice(x); by one that stays → expand(slice(x))",
    apply: (term, terms) => {
      const { node } = term;
      const [x, index] = term.inputs as [Term, Term];
      if (node.op !== "gather" || isEmpty(term)) return undefined;
      const { axis } = node.attributes;
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
  },
];

/** Two slices as one, where the second goes on along `axis` where the first ends. */
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
