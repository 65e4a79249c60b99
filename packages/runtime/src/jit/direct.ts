import type { Executable } from "../execute/programs/executable.ts";
import { run } from "../execute/programs/run.ts";
import { Storage } from "../storage.ts";
import { Tensor, unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Entry, From, Known } from "./entry.ts";
import { computedValue, isAsKnown } from "./replay.ts";
import type { Place } from "./signature.ts";

/** What a recorded call needs checked, and what it is bound to. */
export interface Direct {
  /** Tensors, and arguments that are compared by identity. */
  readonly places: readonly Place[];
  /** By argument: the first argument that must be the same tensor. */
  readonly leaders: readonly number[];
  readonly captured: readonly Known[];
  /** Positions of arguments, captured tensors, and storages that are the same at each call. */
  readonly operands: readonly (number | AnyTensor | Storage)[];
  readonly executable: Executable;
  readonly scalars: readonly (number | bigint)[];
  readonly numbers: readonly number[];
  readonly result: Extract<From, { is: "output" }>;
}

/** Null for a recording that needs more than this. */
export function directOf(entry: Omit<Entry, "direct">): Direct | null {
  const { places, order, inputs, made, executable, given, scalars, numbers } = entry;
  const [one] = made;
  if (!entry.isPlain || executable === null || one?.is !== "fresh" || one.from.is !== "output") return null;
  if (entry.isAliasing || entry.donors.length + entry.guards.length + entry.withoutGradient.length > 0)
    return null;
  if (places.some(({ is }) => is !== "tensor" && is !== "same")) return null;
  if (inputs.some(({ where, window }) => where.is === "gradient" || window !== null)) return null;
  const tensors = [...places.keys()].filter((k) => places[k]?.is === "tensor");
  /** By input: the first argument that gives it. */
  const firstOf = (input: number): number => tensors[order.indexOf(input)] as number;
  return {
    places,
    leaders: places.map((_, k) => {
      const at = tensors.indexOf(k);
      return at < 0 ? k : firstOf(order[at] as number);
    }),
    captured: inputs.filter(({ where }) => where.is === "captured"),
    operands: given.map((source) =>
      source instanceof Storage ? source : (inputs[source.input]?.tensor ?? firstOf(source.input)),
    ),
    executable,
    scalars: scalars as readonly (number | bigint)[],
    numbers,
    result: one.from,
  };
}

/** Runs the call. Null if the arguments do not match, or something that it reads is not computed yet. */
export function replayDirect(direct: Direct, args: readonly unknown[]): AnyTensor | null {
  const { places, leaders, captured, operands, executable, scalars, numbers, result } = direct;
  if (args.length !== places.length) return null;
  for (let k = 0; k < places.length; k++) {
    const place = places[k] as Place;
    const arg = args[k];
    if (place.is === "tensor") {
      if (!(arg instanceof Tensor) || !isAsKnown(place, unwrap(arg))) return null;
      if (leaders[k] !== k && args[leaders[k] as number] !== arg) return null;
    } else if (place.is !== "same" || !Object.is(arg, place.value)) return null;
  }
  for (let k = 0; k < captured.length; k++) {
    const known = captured[k] as Known;
    if (!isAsKnown(known, unwrap(known.tensor as AnyTensor))) return null;
  }
  const given = new Array<Storage>(operands.length);
  for (let k = 0; k < operands.length; k++) {
    const operand = operands[k] as number | AnyTensor | Storage;
    const storage = operand instanceof Storage ? operand : storageOf(operand, args);
    if (storage === null) return null;
    given[k] = storage;
  }
  const storages = run(executable, { given, scalars, numbers });
  return new Tensor(computedValue(result, storages[result.index] as Storage));
}

const storageOf = (operand: number | AnyTensor, args: readonly unknown[]): Storage | null =>
  unwrap(typeof operand === "number" ? (args[operand] as AnyTensor) : operand).storage;
