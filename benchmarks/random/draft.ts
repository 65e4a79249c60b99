/** An expression in the making: seeded choices, and calls whose shapes are known at once, since recording runs nothing. */
import { type AnyTensor, zeros } from "fuseau";
import { Choices } from "./choices.ts";
import {
  type Argument,
  type Call,
  type Expression,
  type Input,
  isTerm,
  recordCall,
  type Term,
} from "./expression.ts";

export type FloatDType = "float32" | "float64";

const MOST_OUTPUTS = 4;
/** Cells of what is not worth more than a part of the forms. */
const SMALL = 1_000;
const MOST_FEW = 12;

export class Draft extends Choices {
  readonly #tensors: (Input | Call)[] = [];
  readonly #recorded: AnyTensor[] = [];
  readonly #unread = new Set<Term>();
  /** Floats that more may be made of. */
  readonly #terms: Term[] = [];
  /** Rows are short, and matrices small. */
  readonly isNarrow: boolean;
  readonly #dtype: FloatDType;

  constructor(seed: number, isNarrow = false, dtype: FloatDType = "float32") {
    super(seed);
    this.isNarrow = isNarrow;
    this.#dtype = dtype;
  }

  /** The elements of a short row. */
  few(): number {
    return this.between(1, MOST_FEW);
  }

  axisOf({ shape }: Term): number {
    return this.between(0, shape.length - 1);
  }

  /** Mostly one that is not small, and what was made last or what nobody has read. It has at least one axis. */
  some(): Term {
    const fewest = this.chance(0.9) ? SMALL : 2;
    const known = this.#terms.filter((term) => cellsOf(term) >= fewest && term.shape.length > 0);
    const terms = known.length > 0 ? known : [this.floats([SMALL])];
    if (this.chance(0.4)) return terms.at(-1)!;
    const unread = terms.filter((term) => this.#unread.has(term));
    return this.chance(0.4) && unread.length > 0 ? this.pick(unread) : this.pick(terms);
  }

  /** One that broadcasts to the shape without changing it. */
  someWithin(shape: readonly number[], except: Term): Term | undefined {
    const fitting = this.#terms.filter((term) => term !== except && fitsWithin(term.shape, shape));
    return fitting.length === 0 ? undefined : this.pick(fitting);
  }

  /** Floats in [-1, 1). */
  floats(shape: readonly number[]): Term {
    const dtype = this.#dtype;
    const term = this.#add({ kind: "input", shape, dtype, below: null }, zeros([...shape], { dtype }));
    this.#terms.push(term);
    return term;
  }

  /** Positions along an axis of size `below`. */
  positions(shape: readonly number[], below: number): Term {
    return this.#add({ kind: "input", shape, dtype: "int64", below }, zeros([...shape], { dtype: "int64" }));
  }

  /** Any bytes, for the next call alone. */
  bytes(shape: readonly number[]): Term {
    return this.#add(
      { kind: "input", shape, dtype: "uint8", below: 256 },
      zeros([...shape], { dtype: "uint8" }),
    );
  }

  /** A call that gives numbers of another dtype, as floats of this expression's. */
  cast(name: string, ...args: readonly Argument[]): Term {
    return this.call("to", this.aside(name, ...args), this.#dtype);
  }

  /** A call that gives floats. */
  call(name: string, ...args: readonly Argument[]): Term {
    const term = this.aside(name, ...args);
    this.#terms.push(term);
    this.#unread.add(term);
    return term;
  }

  /** A call that gives something else, such as a mask, for the next call alone. */
  aside(name: string, ...args: readonly Argument[]): Term {
    const call: Call = { kind: "call", name, args };
    for (const argument of args.flat()) if (isTerm(argument)) this.#unread.delete(argument);
    return this.#add(call, recordCall(call, this.#recorded));
  }

  /** What nobody has read, the last ones if it is much, and now and then one that somebody has. */
  finish(isDifferentiated: boolean): Expression {
    if (this.#tensors.every(({ kind }) => kind === "input")) this.call("neg", this.some());
    const outputs = new Set([...this.#unread].slice(-MOST_OUTPUTS));
    const calls = this.#terms.filter(({ position }) => this.#tensors[position]?.kind === "call");
    if (this.chance(0.2)) outputs.add(this.pick(calls));
    return {
      tensors: this.#tensors,
      outputs: [...outputs].map(({ position }) => position),
      isDifferentiated,
    };
  }

  #add(tensor: Input | Call, recorded: AnyTensor): Term {
    this.#tensors.push(tensor);
    this.#recorded.push(recorded);
    return { position: this.#tensors.length - 1, shape: recorded.shape };
  }
}

export const cellsOf = ({ shape }: Pick<Term, "shape">): number =>
  shape.reduce((cells, size) => cells * size, 1);

const fitsWithin = (shape: readonly number[], within: readonly number[]): boolean =>
  shape.length <= within.length &&
  shape.every((size, k) => size === 1 || size === within[within.length - shape.length + k]);
