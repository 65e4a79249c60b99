/** Movements of movements, and movements that move nothing. */
import { type Node, pointwiseNames, type StridedView, sameNumbers, samePlaces } from "@fuseau/ir";
import { rowMajorStrides } from "../../layout/strides.ts";
import { sameLongAxes } from "../axes.ts";
import type { Rule } from "../rule.ts";
import { isEmpty, type Term } from "../term.ts";

export const movements: readonly Rule[] = [
  {
    at: pointwiseNames,
    law: "f(reshape(x), reshape(y), c) → reshape(f(x, y, c)) where axes of size 1 come or go, and c is 0-d: the same elements; so that sum(0) / n and sum(0, keepdim) / n are one",
    apply: (term, terms) => {
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
  },
  {
    at: ["reshape"],
    law: "reshape(reshape(x)) → reshape(x); reshape(x, shape of x) → x (row-major order either way)",
    apply: ({ inputs: [x], node }, terms) => {
      if (x === undefined) return undefined;
      if (sameNumbers(x.node.shape, node.shape)) return x;
      return x.fn === "reshape" ? terms.reshape(x.inputs[0] as Term, node.shape) : undefined;
    },
  },
  {
    at: ["permute"],
    law: "permute(permute(x, p), q) → permute(x, p∘q)",
    apply: ({ inputs: [x], node }, terms) => {
      if (x?.node.op !== "permute" || node.op !== "permute") return undefined;
      const inner = x.node.attributes.axes;
      return terms.permute(
        x.inputs[0] as Term,
        node.attributes.axes.map((axis) => inner[axis] as number),
      );
    },
  },
  {
    at: ["permute"],
    law: "permute that keeps the order of all axes but those of size 1 → reshape",
    apply: ({ inputs: [x], node }, terms) => {
      if (x === undefined || node.op !== "permute") return undefined;
      const long = node.attributes.axes.filter((axis) => x.node.shape[axis] !== 1);
      const inOrder = long.every((axis, k) => k === 0 || axis > (long[k - 1] as number));
      return inOrder ? terms.reshape(x, node.shape) : undefined;
    },
  },
  {
    at: ["slice"],
    law: "slice(slice(x)) → slice(x), place start + step·i twice; a slice of everything → x",
    apply: ({ inputs: [x], node }, terms) => {
      if (x === undefined || node.op !== "slice") return undefined;
      const { starts, steps } = node.attributes;
      const whole =
        sameNumbers(x.node.shape, node.shape) && starts.every((s) => s === 0) && steps.every((s) => s === 1);
      if (whole) return x;
      if (x.node.op !== "slice") return undefined;
      const inner = x.node.attributes;
      return terms.slice(
        x.inputs[0] as Term,
        starts.map((start, axis) => (inner.starts[axis] as number) + (inner.steps[axis] as number) * start),
        steps.map((step, axis) => (inner.steps[axis] as number) * step),
        node.shape,
      );
    },
  },
  {
    at: ["asStrided"],
    law: "asStrided(reshape(x)) → asStrided(x): a window is onto row-major elements, whatever their shape",
    apply: ({ inputs: [x], node }, terms) =>
      x?.fn === "reshape" && node.op === "asStrided"
        ? terms.asStrided(x.inputs[0] as Term, { ...node.attributes, shape: node.shape })
        : undefined,
  },
  {
    at: ["asStrided"],
    law: "reading the very window that was just written → what was written",
    apply: ({ inputs: [x], node }) => {
      if (x === undefined || node.op !== "asStrided") return undefined;
      const places = x.node.op === "shift" ? x.node.attributes.places : [];
      const flat = x.node.op === "shift" ? (x.inputs[0] as Term) : x;
      const written = flat.fn === "reshape" ? (flat.inputs[0] as Term) : flat;
      if (written.node.op !== "update") return undefined;
      const { view, places: own } = written.node.attributes;
      const begin = places.map(({ slot, count, factor }) => ({ slot, count, factor }));
      const isSame = sameWindow(view, { ...node.attributes, shape: node.shape }) && samePlaces(own, begin);
      return isSame ? written.inputs[1] : undefined;
    },
  },
  {
    at: ["asStrided"],
    law: "a window onto every element in row-major order → reshape",
    apply: ({ inputs: [x], node }, terms) => {
      if (x === undefined || node.op !== "asStrided" || node.attributes.offset !== 0) return undefined;
      const rows = rowMajorStrides(node.shape);
      const inOrder = node.attributes.strides.every(
        (stride, axis) => node.shape[axis] === 1 || stride === rows[axis],
      );
      return inOrder && count(node) === count(x.node) ? terms.reshape(x, node.shape) : undefined;
    },
  },
  {
    at: ["permute", "slice", "diagonal"],
    law: "permute, slice forwards and diagonal of a window → a window: places stay a linear function of the index",
    apply: (term, terms) => {
      const [x] = term.inputs as [Term];
      if (x.node.op !== "asStrided" || isEmpty(term)) return undefined;
      const window = moved({ ...x.node.attributes, shape: x.node.shape }, term.node);
      return window && terms.asStrided(x.inputs[0] as Term, window);
    },
  },
  {
    at: ["update"],
    law: "update(update(x, window, a), window, b) → update(x, window, b): every place of the first is written again",
    apply: ({ inputs, node }, terms) => {
      const [x, value] = inputs as [Term, Term];
      if (x.node.op !== "update" || node.op !== "update") return undefined;
      const isSame =
        sameWindow(x.node.attributes.view, node.attributes.view) &&
        samePlaces(x.node.attributes.places, node.attributes.places);
      return isSame ? terms.make(node, [x.inputs[0] as Term, value]) : undefined;
    },
  },
];

const count = ({ shape }: Node): number => shape.reduce((product, size) => product * size, 1);

const sameWindow = (a: StridedView, b: StridedView): boolean =>
  a.offset === b.offset && sameNumbers(a.shape, b.shape) && sameNumbers(a.strides, b.strides);

/** The window that a movement shows of a window. */
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
