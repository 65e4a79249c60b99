/** Recurrent layers. Source: torch.nn.RNN, LSTM, GRU. */

import { type Accept, isInt, type Multiply, type UnknownRank } from "@fuseau/ir";
import { callSite } from "../compat/call-site.ts";
import type { Kinds } from "../entry/kinds.ts";
import { checkMade, type Given } from "../entry/made.ts";
import { signatureOf } from "../entry/signature.ts";
import {
  type AnyTensor,
  arange,
  cat,
  DTypeError,
  dropout,
  linear,
  type NoOptions,
  ShapeError,
  type ShapeKey,
  stack,
  Tensor,
  tensor,
  where,
  zeros,
} from "../js.ts";
import { trimmed } from "../messages/stack.ts";
import { warnOnce } from "../messages/warning.ts";
import {
  type Cell,
  checkState,
  checkWidth,
  gruCell,
  lstmCell,
  type Nonlinearity,
  nonlinearities,
  rnnCell,
} from "./cells.ts";
import type { LastAxis, OfShape } from "./flow.ts";
import type { LayerOptions } from "./layer.ts";
import { linearOptions, uniformParameter } from "./linear.ts";
import { Module } from "./module.ts";
import type { Parameter } from "./parameter.ts";
import { refusedAt } from "./refused.ts";

const forwardCall = signatureOf("forward", "input: tensor, h0?: tensor?, { lengths }");
const lstmCall = signatureOf("forward", "input: tensor, initial?: tensorPair?, { lengths }");

export interface RecurrentOptions extends LayerOptions {
  /** The number of layers. Default 1. */
  readonly numLayers?: number;
  readonly bias?: boolean;
  /** Tensors are [N, length, features] instead of [length, N, features]. Default false. */
  readonly batchFirst?: boolean;
  /** The probability of dropout between layers in training; with one layer there is nothing between, which `console.warn` says. Default 0. */
  readonly dropout?: number;
  /** Also reads the sequence backward, and joins both outputs. Default false. */
  readonly bidirectional?: boolean;
}

export interface RNNOptions extends RecurrentOptions {
  /** Default "tanh". */
  readonly nonlinearity?: Nonlinearity;
}

export interface LSTMOptions extends RecurrentOptions {
  /** The outputs are projected to so many features (Sak et al., 2014). 0, the default, is none. */
  readonly projSize?: number;
}

export interface RecurrentCallOptions {
  /**
   * How many steps of each sequence of the batch count, [N]; the rest is padding. Outputs are 0 there, and the last state of a sequence is
   * that after its own last step, as for PyTorch's packed sequences. Each is from 1 to the length of the input, which is checked of a list. A
   * tensor is not read, so that one program serves all lengths.
   */
  readonly lengths?: AnyTensor | readonly number[] | null;
}

const recurrentOptions: Kinds<RecurrentOptions> = {
  ...linearOptions,
  ...{ numLayers: "positive", batchFirst: "flag", dropout: "share", bidirectional: "flag" },
};

const rnnOptions: Kinds<RNNOptions> = { ...recurrentOptions, nonlinearity: nonlinearities };
const lstmOptions: Kinds<LSTMOptions> = { ...recurrentOptions, projSize: "count" };

/** A if an option is true, B if it is not. */
type Whether<Said, A, B> = Said extends true ? A : B;

type Chosen<O extends RecurrentOptions, Name extends keyof RecurrentOptions, A, B> = Name extends keyof O
  ? Whether<O[Name], A, B>
  : B;

type Directions<O extends RecurrentOptions> = Chosen<O, "bidirectional", 2, 1>;

/** The number in an option; of one that may be left out, or is not there, `Default` too. */
type NumberIn<O, Name, Default extends number> = Name extends keyof O ? NumberOf<O[Name], Default> : Default;

type NumberOf<N, Default extends number> = N extends number ? N : Default;

type Layers<O extends RecurrentOptions> = NumberIn<O, "numLayers", 1>;

/** How many features the outputs of one direction have. */
type Width<O extends RecurrentOptions, Hidden extends number> = Projected<NumberIn<O, "projSize", 0>, Hidden>;

type Projected<Size extends number, Hidden extends number> = Size extends 0 ? Hidden : Size;

/** The type of the last layer's outputs, in the input's dtype: [..., hidden · directions]; or the message. */
type Outputs<
  T extends AnyTensor,
  In extends number,
  Hidden extends number,
  O extends RecurrentOptions,
> = OfShape<
  T[ShapeKey]["length"] extends 2 | 3
    ? LastAxis<T[ShapeKey], In, Multiply<Width<O, Hidden>, Directions<O>>>
    : UnknownRank<T[ShapeKey]> extends true
      ? number[]
      : "the input must have 2 or 3 axes",
  T["dtype"]
>;

/** A part of the state after the last step: [layers · directions, N, hidden]. */
type State<T extends AnyTensor, Hidden extends number, O extends RecurrentOptions> = Tensor<
  T[ShapeKey] extends [infer A extends number, infer B extends number, number]
    ? [Multiply<Layers<O>, Directions<O>>, Chosen<O, "batchFirst", A, B>, Hidden]
    : T[ShapeKey] extends [number, number]
      ? [Multiply<Layers<O>, Directions<O>>, Hidden]
      : number[],
  T["dtype"]
>;

/** T, or the message. */
type Sequence<
  T extends AnyTensor,
  In extends number,
  Hidden extends number,
  O extends RecurrentOptions,
> = Accept<Outputs<T, In, Hidden, O>, T>;

/** [..., N, 1]: true where a step is within its sequence. */
const within = (counts: AnyTensor, step: number | AnyTensor): AnyTensor => counts.gt(step).unsqueeze(-1);

function warnOfDropout(name: string): void {
  const site = callSite();
  warnOnce(
    `dropout ${site}`,
    `${name}: dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects numLayers greater than 1: nothing is dropped. (at ${site})`,
  );
}

/**
 * Layers that pass a state along a sequence. Their parameters are named `weight_ih_l0`, `weight_hh_l0`, `bias_ih_l0`, `bias_hh_l0`, with
 * `_reverse` for the other direction, and `weight_hr_l0` for a projection. At first they are uniform within ±1/√hidden.
 */
abstract class Recurrent<
  In extends number,
  Hidden extends number,
  O extends RecurrentOptions,
> extends Module {
  readonly inputSize: In;
  readonly hiddenSize: Hidden;
  readonly numLayers: number;
  readonly #options: O;
  readonly #cell: Cell;
  /** How many features an output has. */
  readonly #width: number;

  constructor(
    given: Given,
    inputSize: In,
    hiddenSize: Hidden,
    cell: Cell,
    options: O,
    kinds: Kinds<RecurrentOptions> = recurrentOptions,
  ) {
    checkMade(new.target, given, { count: { inputSize }, positive: { hiddenSize } }, options, kinds);
    const { projSize = 0 }: LSTMOptions = options;
    if (projSize >= hiddenSize)
      throw trimmed(
        new RangeError(
          `${new.target.name}: proj_size has to be smaller than hidden_size (${projSize} and ${hiddenSize})`,
        ),
        new.target,
      );
    super();
    const { numLayers = 1, bias = true } = options;
    if (numLayers === 1 && (options.dropout ?? 0) > 0) warnOfDropout(new.target.name);
    this.inputSize = inputSize;
    this.hiddenSize = hiddenSize;
    this.numLayers = numLayers;
    this.#options = options;
    this.#cell = cell;
    this.#width = projSize === 0 ? hiddenSize : projSize;
    const rows = cell.gates * hiddenSize;
    const made = (shape: readonly number[]): Parameter => uniformParameter(shape, hiddenSize, options);
    for (let layer = 0; layer < numLayers; layer++)
      for (const end of this.#directions) {
        const from = layer === 0 ? inputSize : this.#width * this.#directions.length;
        const set = (name: string, shape: readonly number[]): void =>
          void Object.assign(this, { [`${name}L${layer}${end}`]: made(shape) });
        set("weightIh", [rows, from]);
        set("weightHh", [rows, this.#width]);
        if (bias) {
          set("biasIh", [rows]);
          set("biasHh", [rows]);
        }
        if (projSize > 0) set("weightHr", [projSize, hiddenSize]);
      }
    this.keepFields();
  }

  get #directions(): readonly ("" | "Reverse")[] {
    return this.#options.bidirectional === true ? ["", "Reverse"] : [""];
  }

  /** The outputs, and each part of the last state: [layers · directions, N, hidden]. */
  protected run(
    input: AnyTensor,
    initial: readonly AnyTensor[] | null,
    call?: RecurrentCallOptions,
  ): [AnyTensor, AnyTensor[]] {
    const { batchFirst = false, dropout: drop = 0, generator }: RecurrentOptions = this.#options;
    if (input.ndim !== 2 && input.ndim !== 3)
      throw new ShapeError(
        `${this.constructor.name}: Expected input to be 2D or 3D, got ${input.ndim}D instead`,
      );
    const isBatch = input.ndim === 3;
    let x: AnyTensor = isBatch ? (batchFirst ? input.transpose(0, 1) : input) : input.unsqueeze(1);
    checkWidth(this, input, this.inputSize);
    if (x.shape[0] === 0)
      throw new ShapeError(`${this.constructor.name}: Expected sequence length to be larger than 0 in RNN`);
    for (const [k, part] of (initial ?? []).entries()) {
      const ends = this.numLayers * this.#directions.length;
      const size = k === 0 ? this.#width : this.hiddenSize;
      checkState(this, input, part, isBatch ? [ends, x.shape[1]!, size] : [ends, size]);
    }
    const lengths = call?.lengths ?? null;
    const counts = lengths === null ? null : this.#counts(lengths, x, isBatch);
    // What padding holds must not reach a gradient, were it NaN.
    if (counts !== null) x = where(within(counts, arange(x.shape[0]!).reshape([-1, 1])), x, 0);
    const states = initial?.map((part) => (isBatch ? part : part.unsqueeze(1)));
    const ends: AnyTensor[][] = [];
    for (let layer = 0; layer < this.numLayers; layer++) {
      const outputs: AnyTensor[] = [];
      for (const end of this.#directions) {
        const begin = states?.map((part) => part.select(0, ends.length)) ?? this.#zeros(x);
        const [output, state] = this.#along(x, `L${layer}${end}`, begin, counts);
        outputs.push(output);
        ends.push(state);
      }
      x = outputs.length === 1 ? outputs[0]! : cat(outputs, -1);
      if (drop > 0 && this.training && layer < this.numLayers - 1)
        x = dropout(x, drop, generator === undefined ? {} : { generator });
    }
    const output = isBatch ? (batchFirst ? x.transpose(0, 1) : x) : x.squeeze(1);
    const last = this.#cell.parts.map((_, part) => {
      const all: AnyTensor = stack(ends.map((state) => state[part]!));
      return isBatch ? all : all.squeeze(1);
    });
    return [output, last];
  }

  /** The lengths of the sequences as a tensor [N]. Those of a list are known, and must be within the input. */
  #counts(lengths: AnyTensor | readonly number[], { shape }: AnyTensor, isBatch: boolean): AnyTensor {
    const { name } = this.constructor;
    const wrong = lengths instanceof Tensor ? -1 : lengths.findIndex((x) => x < 1 || x > shape[0]!);
    if (wrong >= 0)
      throw new RangeError(
        `${name}: lengths are from 1 to ${shape[0]}, the length of the input (lengths[${wrong}] is ${(lengths as readonly number[])[wrong]})`,
      );
    const counts: AnyTensor = lengths instanceof Tensor ? lengths : tensor(lengths, { dtype: "int64" });
    if (!isBatch || counts.ndim !== 1 || counts.shape[0] !== shape[1])
      throw new ShapeError(
        `${name}: lengths has one number for each sequence of a batch (it has shape [${counts.shape.join(", ")}], the batch ${isBatch ? `${shape[1]} sequences` : "no axis"})`,
      );
    if (!isInt(counts.dtype))
      throw new DTypeError(
        `${name}: lengths are integers (got ${counts.dtype}; cast it, e.g. lengths.long())`,
      );
    return counts;
  }

  /**
   * One layer in one direction over x [length, N, features]. One product is for the inputs of all steps. Beyond its length a sequence keeps
   * its state, which in reverse is the first.
   */
  #along(
    x: AnyTensor,
    name: string,
    begin: readonly AnyTensor[],
    counts: AnyTensor | null,
  ): [AnyTensor, AnyTensor[]] {
    const inputs = linear(x, this.#parameter(`weightIh${name}`)!, this.#parameter(`biasIh${name}`));
    const weight = this.#parameter(`weightHh${name}`)!;
    const bias = this.#parameter(`biasHh${name}`);
    const projection = this.#parameter(`weightHr${name}`);
    const length = x.shape[0]!;
    const outputs = new Array<AnyTensor>(length);
    let state = begin;
    for (let k = 0; k < length; k++) {
      const place = name.endsWith("Reverse") ? length - 1 - k : k;
      const next = this.#cell.step(inputs.select(0, place), linear(state[0]!, weight, bias), state);
      if (projection !== null) next[0] = linear(next[0]!, projection);
      if (counts === null) outputs[place] = next[0]!;
      else {
        const counted = within(counts, place);
        outputs[place] = where(counted, next[0]!, 0);
        for (const [part, kept] of state.entries()) next[part] = where(counted, next[part]!, kept);
      }
      state = next;
    }
    return [stack(outputs), [...state]];
  }

  #zeros({ shape, dtype }: AnyTensor): AnyTensor[] {
    return this.#cell.parts.map((_, part) =>
      zeros([shape[1]!, part === 0 ? this.#width : this.hiddenSize] as readonly number[], { dtype }),
    );
  }

  #parameter(name: string): AnyTensor | null {
    const found: unknown = Reflect.get(this, name);
    return found instanceof Tensor ? (found as AnyTensor) : null;
  }
}

/** tanh (or relu) of the sum of the products of input and state. */
export class RNN<
  const In extends number = number,
  const Hidden extends number = number,
  const O extends RNNOptions = NoOptions,
> extends Recurrent<In, Hidden, O> {
  constructor(inputSize: In, hiddenSize: Hidden, options: O = {} as O) {
    super(arguments, inputSize, hiddenSize, rnnCell(options?.nonlinearity ?? "tanh"), options, rnnOptions);
  }

  /** Returns the outputs and the last state. `h0` is [layers · directions, N, hidden], zeros by default. */
  forward<const T extends AnyTensor>(
    input: Sequence<T, In, Hidden, O>,
    h0: AnyTensor | null = null,
    options?: RecurrentCallOptions,
  ): [output: Outputs<T, In, Hidden, O>, hN: State<T, Hidden, O>] {
    const [output, [hN]] = refusedAt(this.forward, forwardCall, arguments, () =>
      this.run(input as AnyTensor, h0 === null ? null : [h0], options),
    );
    return [output, hN] as never;
  }
}

/** Gated recurrent units (Cho et al., 2014). The gates are in the order reset, update, new. */
export class GRU<
  const In extends number = number,
  const Hidden extends number = number,
  const O extends RecurrentOptions = NoOptions,
> extends Recurrent<In, Hidden, O> {
  constructor(inputSize: In, hiddenSize: Hidden, options: O = {} as O) {
    super(arguments, inputSize, hiddenSize, gruCell, options);
  }

  /** Returns the outputs and the last state. `h0` is [layers · directions, N, hidden], zeros by default. */
  forward<const T extends AnyTensor>(
    input: Sequence<T, In, Hidden, O>,
    h0: AnyTensor | null = null,
    options?: RecurrentCallOptions,
  ): [output: Outputs<T, In, Hidden, O>, hN: State<T, Hidden, O>] {
    const [output, [hN]] = refusedAt(this.forward, forwardCall, arguments, () =>
      this.run(input as AnyTensor, h0 === null ? null : [h0], options),
    );
    return [output, hN] as never;
  }
}

/** Long short-term memory (Hochreiter and Schmidhuber, 1997). The gates are in the order input, forget, cell, output. */
export class LSTM<
  const In extends number = number,
  const Hidden extends number = number,
  const O extends LSTMOptions = NoOptions,
> extends Recurrent<In, Hidden, O> {
  constructor(inputSize: In, hiddenSize: Hidden, options: O = {} as O) {
    super(arguments, inputSize, hiddenSize, lstmCell, options, lstmOptions);
  }

  /** Returns the outputs, and the last state and cell; both are [layers · directions, N, hidden], zeros by default. With `projSize` the state has so many features. */
  forward<const T extends AnyTensor>(
    input: Sequence<T, In, Hidden, O>,
    initial: readonly [h0: AnyTensor, c0: AnyTensor] | null = null,
    options?: RecurrentCallOptions,
  ): [output: Outputs<T, In, Hidden, O>, last: [hN: State<T, Width<O, Hidden>, O>, cN: State<T, Hidden, O>]] {
    const [output, [hN, cN]] = refusedAt(this.forward, lstmCall, arguments, () =>
      this.run(input as AnyTensor, initial, options),
    );
    return [output, [hN, cN]] as never;
  }
}
