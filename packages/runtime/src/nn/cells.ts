/** Cells: one step of recurrent layers. Source: torch.nn.RNNCell, LSTMCell, GRUCell. */

import type { Accept } from "@fuseau/ir";
import { checkMade, type Given } from "../entry/made.ts";
import { signatureOf } from "../entry/signature.ts";
import { type AnyTensor, DTypeError, linear, ShapeError, type ShapeKey, type Tensor, zeros } from "../js.ts";
import type { LastAxis, OfShape } from "./flow.ts";
import type { LayerOptions } from "./layer.ts";
import { linearOptions, uniformParameter } from "./linear.ts";
import { Module } from "./module.ts";
import type { Parameter } from "./parameter.ts";
import { refusedAt } from "./refused.ts";

const forwardCall = signatureOf("forward", "input: tensor, h?: tensor?");
const lstmCall = signatureOf("forward", "input: tensor, state?: tensorPair?");

export interface Cell {
  /** How many rows the weights have for each hidden feature. */
  readonly gates: number;
  /** The parts of the state, the output first. */
  readonly parts: readonly string[];
  /** The next state, from the products of the input and of the output with their weights, both [N, gates · hidden]. */
  readonly step: (input: AnyTensor, hidden: AnyTensor, state: readonly AnyTensor[]) => AnyTensor[];
}

export const nonlinearities = ["tanh", "relu"] as const;
export type Nonlinearity = (typeof nonlinearities)[number];

export const rnnCell = (nonlinearity: Nonlinearity): Cell => ({
  gates: 1,
  parts: ["h"],
  step(input, hidden) {
    const sum: AnyTensor = input.add(hidden);
    return [nonlinearity === "relu" ? sum.relu() : sum.tanh()];
  },
});

const chunks = (x: AnyTensor, count: number): AnyTensor[] => [...(x.chunk(count, -1) as AnyTensor[])];

export const gruCell: Cell = {
  gates: 3,
  parts: ["h"],
  step(input, hidden, [h]) {
    const [resetIn, updateIn, newIn] = chunks(input, 3) as [AnyTensor, AnyTensor, AnyTensor];
    const [resetHidden, updateHidden, newHidden] = chunks(hidden, 3) as [AnyTensor, AnyTensor, AnyTensor];
    const reset = resetIn.add(resetHidden).sigmoid() as AnyTensor;
    const update = updateIn.add(updateHidden).sigmoid() as AnyTensor;
    const fresh = newIn.add(reset.mul(newHidden)).tanh() as AnyTensor;
    return [h!.sub(fresh).mul(update).add(fresh)];
  },
};

export const lstmCell: Cell = {
  gates: 4,
  parts: ["h", "c"],
  step(input, hidden, [, c]) {
    const [enter, forget, fresh, out] = chunks(input.add(hidden), 4) as [
      AnyTensor,
      AnyTensor,
      AnyTensor,
      AnyTensor,
    ];
    const kept = forget.sigmoid().mul(c!) as AnyTensor;
    const cell = kept.add(enter.sigmoid().mul(fresh.tanh())) as AnyTensor;
    return [out.sigmoid().mul(cell.tanh()), cell];
  },
};

/** @throws ShapeError unless the last axis of the input has `inputSize` features. */
export function checkWidth(layer: object, { shape }: AnyTensor, inputSize: number): void {
  const width = shape.at(-1);
  if (width !== inputSize)
    throw new ShapeError(
      `${layer.constructor.name}: input.size(-1) must be equal to input_size. Expected ${inputSize}, got ${width} (the input has shape [${shape.join(", ")}])`,
    );
}

/** @throws ShapeError unless a part of the state has this shape, DTypeError unless it has the input's dtype. Nothing is broadcast. */
export function checkState(
  layer: object,
  input: AnyTensor,
  part: AnyTensor,
  expected: readonly number[],
): void {
  const { name } = layer.constructor;
  if (part.shape.join() !== expected.join())
    throw new ShapeError(
      `${name}: Expected hidden size [${expected.join(", ")}], got [${part.shape.join(", ")}]`,
    );
  if (part.dtype !== input.dtype)
    throw new DTypeError(
      `${name}: Input and hidden tensors are not the same dtype, found input tensor with ${input.dtype} and hidden tensor with ${part.dtype} (cast one of them)`,
    );
}

export interface CellOptions extends LayerOptions {
  readonly bias?: boolean;
}

const rnnCellOptions = { ...linearOptions, nonlinearity: nonlinearities };

/** A cell with its weights. At first they are uniform within ±1/√hidden. */
abstract class CellModule<Hidden extends number> extends Module {
  weightIh: Parameter;
  weightHh: Parameter;
  biasIh: Parameter | null = null;
  biasHh: Parameter | null = null;
  readonly hiddenSize: Hidden;
  readonly #cell: Cell;

  constructor(
    given: Given,
    inputSize: number,
    hiddenSize: Hidden,
    cell: Cell,
    options: CellOptions,
    kinds = linearOptions,
  ) {
    checkMade(new.target, given, { count: { inputSize, hiddenSize } }, options, kinds);
    super();
    const rows = cell.gates * hiddenSize;
    this.hiddenSize = hiddenSize;
    this.#cell = cell;
    this.weightIh = uniformParameter([rows, inputSize], hiddenSize, options);
    this.weightHh = uniformParameter([rows, hiddenSize], hiddenSize, options);
    if (options.bias !== false) {
      this.biasIh = uniformParameter([rows], hiddenSize, options);
      this.biasHh = uniformParameter([rows], hiddenSize, options);
    }
    this.keepFields();
  }

  protected step(input: AnyTensor, state: readonly AnyTensor[] | null): AnyTensor[] {
    const { weightIh, weightHh, biasIh, biasHh } = this;
    checkWidth(this, input, weightIh.shape[1]!);
    const shape = [...input.shape.slice(0, -1), this.hiddenSize];
    for (const part of state ?? []) checkState(this, input, part, shape);
    const begin = state ?? this.#cell.parts.map((): AnyTensor => zeros(shape, { dtype: input.dtype }));
    return this.#cell.step(linear(input, weightIh, biasIh), linear(begin[0]!, weightHh, biasHh), begin);
  }
}

/** The next state [N, hidden], from none, of the input's dtype; or the message. */
type First<T extends AnyTensor, In extends number, Hidden extends number> = OfShape<
  LastAxis<T[ShapeKey], In, Hidden>,
  T["dtype"]
>;

/** The same; its shape is that of a state that is given. */
type Next<T extends AnyTensor, In extends number, Hidden extends number, H> = H extends AnyTensor
  ? Tensor<H[ShapeKey], T["dtype"]>
  : First<T, In, Hidden>;

/** T, or the message. */
type Input<T extends AnyTensor, In extends number, Hidden extends number> = Accept<First<T, In, Hidden>, T>;

/** A cell whose state is its output. */
abstract class OutputCell<In extends number, Hidden extends number> extends CellModule<Hidden> {
  forward<const T extends AnyTensor, H extends AnyTensor | null = null>(
    input: Input<T, In, Hidden>,
    h: H = null as H,
  ): Next<T, In, Hidden, H> {
    return refusedAt(this.forward, forwardCall, arguments, () =>
      this.step(input as AnyTensor, h === null ? null : [h]),
    )[0] as never;
  }
}

/** One step of an RNN: the next state [N, hidden] of x [N, features]. */
export class RNNCell<
  const In extends number = number,
  const Hidden extends number = number,
> extends OutputCell<In, Hidden> {
  constructor(
    inputSize: In,
    hiddenSize: Hidden,
    options: CellOptions & { readonly nonlinearity?: Nonlinearity } = {},
  ) {
    super(
      arguments,
      inputSize,
      hiddenSize,
      rnnCell(options?.nonlinearity ?? "tanh"),
      options,
      rnnCellOptions,
    );
  }
}

/** One step of a GRU. */
export class GRUCell<
  const In extends number = number,
  const Hidden extends number = number,
> extends OutputCell<In, Hidden> {
  constructor(inputSize: In, hiddenSize: Hidden, options: CellOptions = {}) {
    super(arguments, inputSize, hiddenSize, gruCell, options);
  }
}

/** One step of an LSTM: the next state and cell. */
export class LSTMCell<
  const In extends number = number,
  const Hidden extends number = number,
> extends CellModule<Hidden> {
  constructor(inputSize: In, hiddenSize: Hidden, options: CellOptions = {}) {
    super(arguments, inputSize, hiddenSize, lstmCell, options);
  }

  forward<const T extends AnyTensor, S extends readonly [h: AnyTensor, c: AnyTensor] | null = null>(
    input: Input<T, In, Hidden>,
    state: S = null as S,
  ): [
    h: Next<T, In, Hidden, S extends readonly AnyTensor[] ? S[0] : null>,
    c: Next<T, In, Hidden, S extends readonly AnyTensor[] ? S[1] : null>,
  ] {
    return refusedAt(this.forward, lstmCall, arguments, () => this.step(input as AnyTensor, state)) as never;
  }
}
