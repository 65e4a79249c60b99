/** Functions with derivatives that the user writes. */
import { ShapeError, sameNumbers, showShape } from "@fuseau/ir";
import { writeInto } from "../alias/alias.ts";
import { asUser } from "../entry/operation.ts";
import { sumToSize } from "../ops/reduction.ts";
import * as record from "../record.ts";
import { filled, zerosOf } from "../tape/constants.ts";
import { GradientError } from "../tape/errors.ts";
import { recording, Step, withRecording } from "../tape/step.ts";
import { Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** The context that forward and backward of a custom function share. */
export class FunctionContext {
  /** By argument: whether it needs a gradient. For those that do not, backward may return null. */
  readonly needsInputGrad: readonly boolean[];
  #saved: readonly Value[] = [];
  /** By what forward returned: the result that its derivative arrives at. */
  #results: ReadonlyMap<Value, Value> = new Map();
  readonly #constant = new Set<AnyTensor>();
  readonly #dirty = new Set<AnyTensor>();
  #materializes = true;

  constructor(needsInputGrad: readonly boolean[]) {
    this.needsInputGrad = needsInputGrad;
  }

  /** Keeps tensors for backward, with their present elements. */
  saveForBackward(...tensors: AnyTensor[]): void {
    this.#saved = tensors.map(unwrap);
  }

  /** The saved tensors, in order. If a result was saved, it is the result itself, so that it can be differentiated again. */
  get savedTensors(): AnyTensor[] {
    return this.#saved.map((value) => wrap(this.#results.get(value) ?? value));
  }

  /** Marks results that no derivative flows through although they are floats. */
  markNonDifferentiable(...tensors: AnyTensor[]): void {
    for (const tensor of tensors) this.#constant.add(tensor);
  }

  /** Marks arguments that forward writes in place. It must return them. */
  markDirty(...tensors: AnyTensor[]): void {
    for (const tensor of tensors) this.#dirty.add(tensor);
  }

  /** If false, backward gets null and not zeros for a result that no gradient arrived at. */
  setMaterializeGrads(value: boolean): void {
    this.#materializes = value;
  }

  /** This and what follows are to be called by the code that runs the function. */
  static materializes(context: FunctionContext): boolean {
    return context.#materializes;
  }

  static isConstant(context: FunctionContext, tensor: AnyTensor): boolean {
    return context.#constant.has(tensor);
  }

  static dirtyOf(context: FunctionContext): ReadonlySet<AnyTensor> {
    return context.#dirty;
  }

  static setResults(context: FunctionContext, results: ReadonlyMap<Value, Value>): void {
    context.#results = results;
  }
}

/** The methods of a class that `apply` needs. */
export interface CustomFunction<A extends readonly unknown[], R> {
  readonly name: string;
  forward(context: FunctionContext, ...args: A): R;
  backward(context: FunctionContext, ...gradients: Tensor[]): unknown;
}

/** Runs forward, and arranges that backward is called when a gradient arrives. */
export function applyCustom<A extends readonly unknown[], R>(custom: CustomFunction<A, R>, args: A): R {
  if (typeof custom.forward !== "function" || typeof custom.backward !== "function")
    throw new TypeError(`apply: ${custom.name} must have static forward and backward`);
  const inputs = args.map((arg) => (arg instanceof Tensor ? unwrap(arg) : null));
  const needs = inputs.map((input) => recording.isActive && input !== null && input.step !== null);
  const context = new FunctionContext(needs);
  const output = withRecording(false, () => asUser(() => custom.forward(context, ...args)));
  const list: readonly unknown[] = Array.isArray(output) ? output : [output];
  const dirty = FunctionContext.dirtyOf(context);
  for (const tensor of dirty)
    if (!list.includes(tensor))
      throw new GradientError(
        `apply: Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified inplace must all be outputs of the Function. (${custom.name})`,
      );
  if (!needs.includes(true)) return output;
  const tracked = inputs.filter((input) => input !== null);
  const gradients = new Map<number, Value>();
  // All results are inputs of one value that has no other use, so that backward is called once for all of them.
  const meeting = filled(tracked[0]!.node.dtype, [], 0);
  const sharesFrom = (arrived: ReadonlyMap<number, Value>): (Value | null)[] => {
    const given = list.map((result, place) => {
      const found = arrived.get(place);
      // Its type does not say so, since few functions ask for it.
      if (found === undefined && !FunctionContext.materializes(context)) return null as never;
      return new Tensor(found ?? (result instanceof Tensor ? zerosOf(unwrap(result)) : zerosOf(meeting)));
    });
    return sharesOf(
      custom,
      asUser(() => custom.backward(context, ...given)),
      inputs,
    );
  };
  const results = new Map<Value, Value>();
  const made = list.map((result, place) => {
    if (!(result instanceof Tensor) || FunctionContext.isConstant(context, result)) return result;
    const returned = unwrap(result);
    const value = record.reshape(returned, returned.node.shape);
    value.setStep(null);
    // What is handed on as it came is saved as the argument that it is.
    if (!inputs.includes(returned)) results.set(returned, value);
    const rule = {
      name: custom.name,
      backward: (gradient: Value): Value[] => {
        gradients.set(place, gradient);
        return [zerosOf(meeting)];
      },
      alone: {
        // None once the graph is freed.
        get inputs() {
          return meeting.step?.inputs ?? [];
        },
        backward: (gradient: Value) => sharesFrom(new Map([[place, gradient]])),
      },
    };
    value.setStep(new Step(value.node, [meeting], rule, null));
    return dirty.has(result) ? writeInto("apply", result, value) : new Tensor(value);
  });
  FunctionContext.setResults(context, results);
  const rule = {
    name: custom.name,
    backward: (): (Value | null)[] => {
      const arrived = new Map(gradients);
      gradients.clear();
      return sharesFrom(arrived);
    },
    // Nothing reads it but the results, which have tangents of their own.
    alone: { inputs: [], backward: () => [] },
  };
  meeting.setStep(new Step(meeting.node, tracked, rule, null));
  return (Array.isArray(output) ? made : made[0]) as R;
}

/** Checks what backward returned: a gradient for each argument of forward, of its shape. */
function sharesOf(
  { name }: { readonly name: string },
  given: unknown,
  inputs: readonly (Value | null)[],
): (Value | null)[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const isMore =
    list.length > inputs.length && list.slice(inputs.length).every((gradient) => gradient == null);
  if (list.length !== inputs.length && !isMore)
    throw new GradientError(
      `backward: function ${name}Backward returned an incorrect number of gradients (expected ${inputs.length}, got ${list.length}; one for each argument of forward, null for what needs none)`,
    );
  return inputs.flatMap((input, place) => {
    if (input === null) return [];
    const gradient = list[place] ?? null;
    if (gradient === null) return [null];
    if (!(gradient instanceof Tensor))
      throw new GradientError(`backward: function ${name}Backward returned no tensor at index ${place}`);
    return [fitted(name, place, unwrap(gradient), input)];
  });
}

function fitted(name: string, place: number, gradient: Value, input: Value): Value {
  const { shape, dtype } = input.node;
  if (sameNumbers(gradient.node.shape, shape)) return record.cast(gradient, dtype);
  try {
    return record.cast(sumToSize(gradient, shape), dtype);
  } catch {
    throw new ShapeError(
      `backward: Function ${name}Backward returned an invalid gradient at index ${place} - got ${showShape(gradient.node.shape)} but expected shape compatible with ${showShape(shape)}`,
    );
  }
}
