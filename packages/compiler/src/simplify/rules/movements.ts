/** Movements of movements, and movements that move nothing. */
import {
  elementCount,
  type Node,
  pointwiseNames,
  type StridedView,
  sameNumbers,
  samePlaces,
} from "@fuseau/ir";
import { P } from "ts-pattern";
import { rowMajorStrides } from "../../indexing/strides.ts";
import { sameLongAxes } from "../terms/axes.ts";
import { node, of, ofAny, select } from "../terms/pattern.ts";
import { type Rule, rule } from "../terms/rule.ts";
import { isEmpty, operand, type Term } from "../terms/term.ts";

const x = select("x");
/** Attributes of the movement, and of the one beneath it. */
const [outer, inner] = [select("outer"), select("inner")];

export const movements: readonly Rule[] = [
  rule({
    name: "pointwise of reshapes",
    at: pointwiseNames,
    pattern: ofAny({ fn: "reshape" }),
    law: "f(reshape(x), reshape(y), c) → reshape(f(x, y, c)) where axes of size 1 come or go, and c is 0-d: the same elements; so that sum(0) / n and sum(0, keepdim) / n are one",
    gives: (_, terms, term) => {
      const long = term.inputs.filter(({ node }) => node.shape.length > 0);
      const shape = long[0]?.inputs[0]?.node.shape ?? [];
      const alike = long.every(
        ({ fn, node, inputs: [source] }) =>
          fn === "reshape" &&
          sameNumbers(node.shape, term.node.shape) &&
          sameNumbers((source as Term).node.shape, shape),
      );
      if (!alike || shape.length === 0 || !sameLongAxes(shape, term.node.shape)) return undefined;
      const sources = term.inputs.map((input) =>
        input.node.shape.length > 0 ? (input.inputs[0] as Term) : input,
      );
      return terms.reshape(terms.again(term, sources), term.node.shape);
    },
  }),
  rule({
    name: "reshape to its own shape",
    at: ["reshape"],
    when: (_, term) => sameNumbers(operand(term).node.shape, term.node.shape),
    law: "reshape(x, shape of x) → x",
    gives: (_, __, term) => operand(term),
  }),
  rule({
    name: "reshape of reshape",
    at: ["reshape"],
    pattern: of({ fn: "reshape", inputs: [x] }),
    law: "reshape(reshape(x)) → reshape(x) (row-major order either way)",
    gives: ({ x }, terms, { node }) => terms.reshape(x, node.shape),
  }),
  rule({
    name: "permute of permute",
    at: ["permute"],
    pattern: node("permute", outer, node("permute", inner, x)),
    law: "permute(permute(x, p), q) → permute(x, p∘q)",
    gives: ({ x, outer, inner }, terms) =>
      terms.permute(
        x,
        outer.axes.map((axis) => inner.axes[axis] as number),
      ),
  }),
  rule({
    name: "permute that keeps the order",
    at: ["permute"],
    pattern: node("permute", { axes: select("axes") }, x),
    when: ({ x, axes }) => {
      const long = axes.filter((axis) => x.node.shape[axis] !== 1);
      return long.every((axis, k) => k === 0 || axis > (long[k - 1] as number));
    },
    law: "permute that keeps the order of all axes but those of size 1 → reshape",
    gives: ({ x }, terms, { node }) => terms.reshape(x, node.shape),
  }),
  rule({
    name: "slice of everything",
    at: ["slice"],
    when: (_, term) => {
      if (term.node.op !== "slice") return false;
      const { starts, steps } = term.node.attributes;
      return (
        sameNumbers(operand(term).node.shape, term.node.shape) &&
        starts.every((start) => start === 0) &&
        steps.every((step) => step === 1)
      );
    },
    law: "a slice of everything → x",
    gives: (_, __, term) => operand(term),
  }),
  rule({
    name: "slice of slice",
    at: ["slice"],
    pattern: node("slice", outer, node("slice", inner, x)),
    law: "slice(slice(x)) → slice(x), place start + step·i twice",
    gives: ({ x, outer, inner: { starts, steps } }, terms, { node }) =>
      terms.slice(
        x,
        outer.starts.map((start, axis) => (starts[axis] as number) + (steps[axis] as number) * start),
        outer.steps.map((step, axis) => (steps[axis] as number) * step),
        node.shape,
      ),
  }),
  rule({
    name: "window onto a reshape",
    at: ["asStrided"],
    pattern: node("asStrided", outer, { fn: "reshape", inputs: [x] }),
    law: "asStrided(reshape(x)) → asStrided(x): a window is onto row-major elements, whatever their shape",
    gives: ({ x, outer }, terms, { node }) => terms.asStrided(x, { ...outer, shape: node.shape }),
  }),
  rule({
    name: "window that was just written",
    at: ["asStrided"],
    pattern: node("asStrided", outer, x),
    law: "reading the very window that was just written → what was written",
    gives: ({ x, outer }, _, { node }) => {
      const places = x.node.op === "shift" ? x.node.attributes.places : [];
      const flat = x.node.op === "shift" ? (x.inputs[0] as Term) : x;
      const written = flat.fn === "reshape" ? (flat.inputs[0] as Term) : flat;
      if (written.node.op !== "update") return undefined;
      const { view, places: own } = written.node.attributes;
      const begin = places.map(({ slot, count, factor }) => ({ slot, count, factor }));
      const isSame = sameWindow(view, { ...outer, shape: node.shape }) && samePlaces(own, begin);
      return isSame ? written.inputs[1] : undefined;
    },
  }),
  rule({
    name: "window onto everything",
    at: ["asStrided"],
    pattern: node("asStrided", { offset: 0, strides: select("strides") }, x),
    when: ({ x, strides }, { node }) => {
      const rows = rowMajorStrides(node.shape);
      const inOrder = strides.every((stride, axis) => node.shape[axis] === 1 || stride === rows[axis]);
      return inOrder && elementCount(node.shape) === elementCount(x.node.shape);
    },
    law: "a window onto every element in row-major order → reshape",
    gives: ({ x }, terms, { node }) => terms.reshape(x, node.shape),
  }),
  rule({
    name: "movement of a window",
    at: ["permute", "slice", "diagonal"],
    pattern: of({
      fn: "asStrided",
      node: { op: "asStrided", attributes: inner, shape: select("shown") },
      inputs: [x],
    }),
    when: (_, term) => !isEmpty(term),
    law: "permute, slice forwards and diagonal of a window → a window: places stay a linear function of the index",
    gives: ({ x, inner, shown }, terms, { node }) => {
      const window = moved({ ...inner, shape: shown }, node);
      return window && terms.asStrided(x, window);
    },
  }),
  rule({
    name: "update of the same window",
    at: ["update"],
    pattern: node("update", outer, node("update", inner, x, P.any), select("value")),
    when: ({ outer, inner }) => sameWindow(outer.view, inner.view) && samePlaces(outer.places, inner.places),
    law: "update(update(x, window, a), window, b) → update(x, window, b): every place of the first is written again",
    gives: ({ x, value }, terms, { node }) => terms.make(node, [x, value]),
  }),
];

const sameWindow = (a: StridedView, b: StridedView): boolean =>
  a.offset === b.offset && sameNumbers(a.shape, b.shape) && sameNumbers(a.strides, b.strides);

/** The window of a window, as one movement. */
function moved({ strides, offset }: StridedView, node: Node): StridedView | undefined {
  const { shape } = node;
  const along = (axis: number): number => strides[axis] as number;
  switch (node.op) {
    case "permute":
      return { shape, strides: node.attributes.axes.map(along), offset };
    case "slice": {
      const { starts, steps } = node.attributes;
      if (steps.some((step) => step < 0)) return undefined;
      return {
        shape,
        strides: steps.map((step, axis) => step * along(axis)),
        offset: starts.reduce((place, start, axis) => place + start * along(axis), offset),
      };
    }
    case "diagonal": {
      const { axis1, axis2, offset: from } = node.attributes;
      const others = strides.filter((_, axis) => axis !== axis1 && axis !== axis2);
      const start = from < 0 ? -from * along(axis1) : from * along(axis2);
      return { shape, strides: [...others, along(axis1) + along(axis2)], offset: offset + start };
    }
    default:
      return undefined;
  }
}
