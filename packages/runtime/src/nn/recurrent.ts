/** Recurrent layers. Source: torch.nn.RNN, LSTM, GRU. */

import type { Accept, Multiply, UnknownRank } from "@fuseau/ir";
import type { Kinds } from "../entry/kinds.ts";
import { checkMade, type Given } from "../entry/made.ts";
import { signatureOf } from "../entry/signature.ts";
import {
  type AnyTensor,
  cat,
  dropout,
  linear,
  type NoOptions,
  ShapeError,
  type ShapeKey,
  stack,
  type Tensor,
  zeros,
} from "../js.ts";
import { type Cell, gruCell, lstmCell, type Nonlinearity, nonlinearities, rnnCell } from "./cells.ts";
import type { LastAxis, OfShape } from "./flow.ts";
import type { LayerOptions } from "./layer.ts";
import { linearOptions, uniformParameter } from "./linear.ts";
import { Module } from "./module.ts";
import { isParameter, type Parameter } from "./parameter.ts";
import { refusedAt } from "./refused.ts";

const forwardCall = signatureOf("forward", "input: tensor, h0?: tensor?");
const lstmCall = signatureOf("forward", "input: tensor, initial?: tensorPair?");

export interface RecurrentOptions extends LayerOptions {
  /** The number of layers. Default 1. */
  readonly numLayers?: number;
  readonly bias?: boolean;
  /** Tensors are [N, length, features] instead of [length, N, features]. Default false. */
  readonly batchFirst?: boolean;
  /** The probability of dropout between layers in training. Default 0. */
  readonly dropout?: number;
  /** Also reads the sequence backward, and joins both outputs. Default false. */
  readonly bidirectional?: boolean;
}

export interface RNNOptions extends RecurrentOptions {
  /** Default "tanh". */
  readonly nonlinearity?: Nonlinearity;
}

const recurrentOptions: Kinds<RecurrentOptions> = {
  ...linearOptions,
  ...{ numLayers: "positive", batchFirst: "flag", dropout: "share", bidirectional: "flag" },
};

const rnnOptions: Kinds<RNNOptions> = { ...recurrentOptions, nonlinearity: nonlinearities };

/** A if an option is true, B if it is not. */
type Whether<Said, A, B> = Said extends true ? A : B;

type Chosen<O extends RecurrentOptions, Name extends keyof RecurrentOptions, A, B> = Name extends keyof O
  ? Whether<O[Name], A, B>
  : B;

type Directions<O extends RecurrentOptions> = Chosen<O, "bidirectional", 2, 1>;

type Layers<O extends RecurrentOptions> = O extends { readonly numLayers: infer N extends number } ? N : 1;

/** The type of the last layer's outputs, in the input's dtype: [..., hidden · directions]; or the message. */
type Outputs<
  T extends AnyTensor,
  In extends number,
  Hidden extends number,
  O extends RecurrentOptions,
> = OfShape<
  T[ShapeKey]["length"] extends 2 | 3
    ? LastAxis<T[ShapeKey], In, Multiply<Hidden, Directions<O>>>
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

/**
 * Layers that pass a state along a sequence. Their parameters are named `weight_ih_l0`, `weight_hh_l0`, `bias_ih_l0`, `bias_hh_l0`, with
 * `_reverse` for the other direction. At first they are uniform within ±1/√hidden.
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

  constructor(
    given: Given,
    inputSize: In,
    hiddenSize: Hidden,
    cell: Cell,
    options: O,
    kinds = recurrentOptions,
  ) {
    checkMade(new.target, given, { count: { inputSize }, positive: { hiddenSize } }, options, kinds);
    super();
    const { numLayers = 1, bias = true } = options;
    this.inputSize = inputSize;
    this.hiddenSize = hiddenSize;
    this.numLayers = numLayers;
    this.#options = options;
    this.#cell = cell;
    const rows = cell.gates * hiddenSize;
    const made = (shape: readonly number[]): Parameter => uniformParameter(shape, hiddenSize, options);
    for (let layer = 0; layer < numLayers; layer++)
      for (const end of this.#directions) {
        const from = layer === 0 ? inputSize : hiddenSize * this.#directions.length;
        Object.assign(this, {
          [`weightIhL${layer}${end}`]: made([rows, from]),
          [`weightHhL${layer}${end}`]: made([rows, hiddenSize]),
        });
        if (!bias) continue;
        Object.assign(this, {
          [`biasIhL${layer}${end}`]: made([rows]),
          [`biasHhL${layer}${end}`]: made([rows]),
        });
      }
    this.keepFields();
  }

  get #directions(): readonly ("" | "Reverse")[] {
    return this.#options.bidirectional === true ? ["", "Reverse"] : [""];
  }

  /** The outputs, and each part of the last state: [layers · directions, N, hidden]. */
  protected run(input: AnyTensor, initial: readonly AnyTensor[] | null): [AnyTensor, AnyTensor[]] {
    const { batchFirst = false, dropout: drop = 0, generator }: RecurrentOptions = this.#options;
    if (input.ndim !== 2 && input.ndim !== 3)
      throw new ShapeError(
        `${this.constructor.name}: Expected input to be 2D or 3D, got ${input.ndim}D instead`,
      );
    const isBatch = input.ndim === 3;
    let x: AnyTensor = isBatch ? (batchFirst ? input.transpose(0, 1) : input) : input.unsqueeze(1);
    const states = initial?.map((part) => (isBatch ? part : part.unsqueeze(1)));
    const ends: AnyTensor[][] = [];
    for (let layer = 0; layer < this.numLayers; layer++) {
      const outputs: AnyTensor[] = [];
      for (const end of this.#directions) {
        const begin = states?.map((part) => part.select(0, ends.length)) ?? this.#zeros(x);
        const [output, state] = this.#along(x, `L${layer}${end}`, begin);
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

  /** One layer in one direction over x [length, N, features]. One product is for the inputs of all steps. */
  #along(x: AnyTensor, name: string, begin: readonly AnyTensor[]): [AnyTensor, AnyTensor[]] {
    const inputs = linear(x, this.#parameter(`weightIh${name}`)!, this.#parameter(`biasIh${name}`));
    const weight = this.#parameter(`weightHh${name}`)!;
    const bias = this.#parameter(`biasHh${name}`);
    const length = x.shape[0]!;
    const outputs = new Array<AnyTensor>(length);
    let state = begin;
    for (let k = 0; k < length; k++) {
      const place = name.endsWith("Reverse") ? length - 1 - k : k;
      state = this.#cell.step(inputs.select(0, place), linear(state[0]!, weight, bias), state);
      outputs[place] = state[0]!;
    }
    return [stack(outputs), [...state]];
  }

  #zeros({ shape, dtype }: AnyTensor): AnyTensor[] {
    return this.#cell.parts.map(() => zeros([shape[1]!, this.hiddenSize] as readonly number[], { dtype }));
  }

  #parameter(name: string): AnyTensor | null {
    const found: unknown = Reflect.get(this, name);
    return isParameter(found) ? found : null;
  }
}

/** tanh (or relu) of the sum of the products of input and state. */
export class RNN<
  const In extends number,
  const Hidden extends number,
  const O extends RNNOptions = NoOptions,
> extends Recurrent<In, Hidden, O> {
  constructor(inputSize: In, hiddenSize: Hidden, options: O = {} as O) {
    super(arguments, inputSize, hiddenSize, rnnCell(options?.nonlinearity ?? "tanh"), options, rnnOptions);
  }

  /** Returns the outputs and the last state. `h0` is [layers · directions, N, hidden], zeros by default. */
  forward<const T extends AnyTensor>(
    input: Sequence<T, In, Hidden, O>,
    h0: AnyTensor | null = null,
  ): [output: Outputs<T, In, Hidden, O>, hN: State<T, Hidden, O>] {
    const [output, [hN]] = refusedAt(this.forward, forwardCall, arguments, () =>
      this.run(input as AnyTensor, h0 === null ? null : [h0]),
    );
    return [output, hN] as never;
  }
}

/** Gated recurrent units (Cho et al., 2014). The gates are in the order reset, update, new. */
export class GRU<
  const In extends number,
  const Hidden extends number,
  const O extends RecurrentOptions = NoOptions,
> extends Recurrent<In, Hidden, O> {
  constructor(inputSize: In, hiddenSize: Hidden, options: O = {} as O) {
    super(arguments, inputSize, hiddenSize, gruCell, options);
  }

  /** Returns the outputs and the last state. `h0` is [layers · directions, N, hidden], zeros by default. */
  forward<const T extends AnyTensor>(
    input: Sequence<T, In, Hidden, O>,
    h0: AnyTensor | null = null,
  ): [output: Outputs<T, In, Hidden, O>, hN: State<T, Hidden, O>] {
    const [output, [hN]] = refusedAt(this.forward, forwardCall, arguments, () =>
      this.run(input as AnyTensor, h0 === null ? null : [h0]),
    );
    return [output, hN] as never;
  }
}

/** Long short-term memory (Hochreiter and Schmidhuber, 1997). The gates are in the order input, forget, cell, output. */
export class LSTM<
  const In extends number,
  const Hidden extends number,
  const O extends RecurrentOptions = NoOptions,
> extends Recurrent<In, Hidden, O> {
  constructor(inputSize: In, hiddenSize: Hidden, options: O = {} as O) {
    super(arguments, inputSize, hiddenSize, lstmCell, options);
  }

  /** Returns the outputs, and the last state and cell; both are [layers · directions, N, hidden], zeros by default. */
  forward<const T extends AnyTensor>(
    input: Sequence<T, In, Hidden, O>,
    initial: readonly [h0: AnyTensor, c0: AnyTensor] | null = null,
  ): [output: Outputs<T, In, Hidden, O>, last: [hN: State<T, Hidden, O>, cN: State<T, Hidden, O>]] {
    const [output, [hN, cN]] = refusedAt(this.forward, lstmCall, arguments, () =>
      this.run(input as AnyTensor, initial),
    );
    return [output, [hN, cN]] as never;
  }
}
