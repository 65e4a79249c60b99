/** How a kernel walks its buffers: for each loop axis, by how many elements a read or a write moves. A broadcast has stride 0. */
import type { KernelCall } from "@fuseau/compiler";
import { type Integer, printInteger, type Statement } from "@fuseau/ir";

export interface StrideMap {
  /** The parameter: `b0` … */
  readonly buffer: string;
  readonly access: "read" | "write";
  /** Elements by which one iteration of each enclosing axis moves; absent when the index contains a division. */
  readonly strides: Readonly<Record<string, number>> | null;
  readonly offset: number;
  /** The index as text. */
  readonly index: string;
}

/** A linear form over axes, or null when the index contains a division. */
type Linear = { readonly offset: number; readonly strides: ReadonlyMap<number, number> } | null;

export function strideMaps({ loop, sizes }: KernelCall): StrideMap[] {
  const maps = new Map<string, StrideMap>();
  const integers = new Map<number, Integer>();
  const visit = (body: readonly Statement[], axes: readonly number[]): void => {
    for (const statement of body) {
      if (statement.kind === "integer") integers.set(statement.local, statement.value);
      else if (statement.kind === "let" && statement.value.kind === "load") {
        add(statement.value.buffer, "read", statement.value.at, axes);
      } else if (statement.kind === "store") add(statement.buffer, "write", statement.at, axes);
      else if (statement.kind === "for") visit(statement.body, [...axes, statement.axis.axis]);
      else if (statement.kind === "reduce") {
        const inner = [...axes, ...statement.axes.map(({ axis }) => axis)];
        visit(statement.row, inner);
        visit(statement.body, inner);
      }
    }
  };
  const add = (slot: number, access: "read" | "write", at: Integer, axes: readonly number[]): void => {
    const form = linearOf(at, sizes, integers);
    const strides = form && Object.fromEntries(axes.map((axis) => [`x${axis}`, form.strides.get(axis) ?? 0]));
    const map: StrideMap = {
      buffer: `b${slot}`,
      access,
      strides,
      offset: form?.offset ?? 0,
      index: textOf(at, integers),
    };
    maps.set(`${access} ${map.buffer} ${map.index} ${axes.join()}`, map);
  };
  visit(loop.body, []);
  return [...maps.values()];
}

function textOf(at: Integer, integers: ReadonlyMap<number, Integer>): string {
  return printInteger(inlined(at, integers));
}

function inlined(value: Integer, integers: ReadonlyMap<number, Integer>): Integer {
  if (value.kind === "local") {
    const definition = integers.get(value.local);
    // An index that is read from data has no other definition.
    return definition === undefined ? value : inlined(definition, integers);
  }
  if (value.kind === "literal" || value.kind === "size" || value.kind === "axis") return value;
  return { kind: value.kind, left: inlined(value.left, integers), right: inlined(value.right, integers) };
}

function linearOf(value: Integer, sizes: readonly number[], integers: ReadonlyMap<number, Integer>): Linear {
  switch (value.kind) {
    case "literal":
      return { offset: value.value, strides: new Map() };
    case "size":
      return { offset: sizes[value.slot] as number, strides: new Map() };
    case "axis":
      return { offset: 0, strides: new Map([[value.axis, 1]]) };
    case "local": {
      const definition = integers.get(value.local);
      return definition === undefined ? null : linearOf(definition, sizes, integers);
    }
    case "add":
    case "mul": {
      const left = linearOf(value.left, sizes, integers);
      const right = linearOf(value.right, sizes, integers);
      if (left === null || right === null) return null;
      return value.kind === "add" ? sum(left, right) : product(left, right);
    }
    default:
      return null;
  }
}

type Form = Exclude<Linear, null>;

function sum(a: Form, b: Form): Form {
  const strides = new Map(a.strides);
  for (const [axis, stride] of b.strides) strides.set(axis, (strides.get(axis) ?? 0) + stride);
  return { offset: a.offset + b.offset, strides };
}

/** One operand must be a number: axes are only ever scaled. */
function product(a: Form, b: Form): Form {
  const [factor, form] = a.strides.size === 0 ? [a.offset, b] : [b.offset, a];
  return {
    offset: form.offset * factor,
    strides: new Map([...form.strides].map(([axis, stride]) => [axis, stride * factor])),
  };
}
