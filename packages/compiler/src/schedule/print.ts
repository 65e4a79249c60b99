/** A schedule as text: kernels in the order in which they run, loops as indentation, nodes and buffers by position (`%3`). */
import { match } from "ts-pattern";
import type { Atom, Axis, Index } from "../indexing/index-expression.ts";
import {
  type Block,
  type Buffer,
  type Definition,
  type Guard,
  type Item,
  type Let,
  type Loop,
  placeOf,
  type Schedule,
  type Value,
} from "./tree.ts";

export function printSchedule({ kernels, inPlace }: Schedule): string {
  const lines: string[] = [];
  kernels.forEach(({ root, reads, writes }, k) => {
    const written = writes.map((buffer) => {
      const under = inPlace.get(buffer);
      return under === undefined ? showBuffer(buffer) : `${showBuffer(buffer)} over ${showBuffer(under)}`;
    });
    lines.push(`kernel ${k} (${[...reads].map(showBuffer).join(", ")}) -> ${written.join(", ")}`);
    new Printer(lines).block(root, "  ");
  });
  return lines.join("\n");
}

export const showBuffer = ({ role, node }: Buffer): string => `${role} %${node}`;

class Printer {
  readonly #lines: string[];
  readonly #names = new Map<Let, string>();

  constructor(lines: string[]) {
    this.#lines = lines;
  }

  block({ items }: Block, indent: string): void {
    for (const item of items) {
      this.#lines.push(`${indent}${this.#item(item)}`);
      if (item.kind === "loop") this.block(item.body, `${indent}  `);
    }
  }

  #item(item: Item): string {
    return match(item)
      .with({ kind: "loop" }, showLoop)
      .with({ kind: "let" }, (own) => {
        const text = this.#definition(own.definition);
        const name = `v${this.#names.size}`;
        this.#names.set(own, name);
        return `${name}: ${own.dtype} = ${text}  # %${own.node}`;
      })
      .with({ kind: "store" }, ({ buffer, at, value, combine }) => {
        const how = combine === "set" ? "=" : `${combine}=`;
        return `${showBuffer(buffer)}[${showIndex(at)}] ${how} ${this.#value(value)}`;
      })
      .with({ kind: "accumulate" }, ({ reduction, cell, values }) => {
        const folded = values.map((value) => this.#value(value)).join(", ");
        return `${reduction.fn} %${reduction.node}[${showIndex(cell)}] <- ${folded}`;
      })
      .with({ kind: "lookup" }, ({ atom, value, size, axis }) => {
        return `${showAtom(atom)} = ${this.#value(value)} < ${size} of axis ${axis}`;
      })
      .with({ kind: "sort" }, ({ keys, order, length, descending }) => {
        const into = order === null ? "" : `${showBuffer(order)} = order of `;
        return `${into}${showBuffer(keys)} < ${length}${descending ? " descending" : ""}`;
      })
      .exhaustive();
  }

  #definition(definition: Definition): string {
    return match(definition)
      .with({ kind: "pointwise" }, ({ fn, from, args }) => {
        return `${fn}.${from}(${args.map((value) => this.#value(value)).join(", ")})`;
      })
      .with({ kind: "load" }, ({ buffer, at, guards }) => {
        return `${showBuffer(buffer)}[${showIndex(at)}]${showGuards(guards)}`;
      })
      .with({ kind: "select" }, ({ cases, otherwise }) => {
        const texts = cases.map(({ guards, value }) => `${this.#value(value)}${showGuards(guards)}`);
        return `select ${[...texts, this.#value(otherwise)].join(", else ")}`;
      })
      .with({ kind: "index" }, ({ at }) => `index ${showIndex(at)}`)
      .with({ kind: "result" }, ({ reduction, cell }) => `result %${reduction.node}[${showIndex(cell)}]`)
      .exhaustive();
  }

  #value(value: Value): string {
    const { node } = value;
    return match(placeOf(value))
      .with({ kind: "let" }, ({ item }) => this.#names.get(item) ?? `%${node}?`)
      .with({ kind: "constant" }, ({ value }) => (Object.is(value, -0) ? "-0" : `${value}`))
      .with({ kind: "scalar" }, (own) => `%${own.node}`)
      .with(null, () => `%${node}?`)
      .exhaustive();
  }
}

const roles = { parallel: "for", reduce: "reduce", scan: "scan" } as const;

function showLoop({ role, axes, ordered }: Loop): string {
  return `${roles[role]} ${axes.map(showAxis).join(", ")}${ordered ? " in order" : ""}`;
}

function showAxis({ id, extent, strip }: Axis): string {
  const part = strip === null ? "" : ` of strip x${strip.axis.id} of ${strip.size}`;
  return `x${id} < ${extent}${part}`;
}

function showGuards(guards: readonly Guard[]): string {
  const texts = guards.map(({ at, low, high }) => `${low} <= ${showIndex(at)} < ${high}`);
  return texts.length === 0 ? "" : ` if ${texts.join(" and ")}`;
}

/** An index expression as text: `12·x3 + x4 + 1`. */
export function showIndex({ constant, terms }: Index): string {
  const texts = terms.map(({ atom, coefficient }) =>
    coefficient === 1 ? showAtom(atom) : `${coefficient}·${showAtom(atom)}`,
  );
  return [...texts, ...(constant !== 0 || terms.length === 0 ? [`${constant}`] : [])].join(" + ");
}

function showAtom(atom: Atom): string {
  return match(atom)
    .with({ kind: "axis" }, ({ id }) => `x${id}`)
    .with({ kind: "div" }, ({ of, by }) => `⌊(${showIndex(of)}) / ${by}⌋`)
    .with({ kind: "mod" }, ({ of, by }) => `((${showIndex(of)}) mod ${by})`)
    .with({ kind: "indirect" }, ({ id }) => `i${id}`)
    .with({ kind: "bound" }, ({ slot }) => `p${slot}`)
    .exhaustive();
}
