/**
 * A recorded program with its options as text, and back. The text is a header, a line of options, a line for each input, and the
 * graph as it was recorded, in order:
 *
 *     fuseau dump 1
 *     options {"emitter":"js"}
 *     input 0 elements AACAPwAAAEA=
 *     %0: float32[2] = input()
 *     %1: float32[2] = exp(%0)
 *     return %1
 */
import { showArgument } from "@fuseau/ir";
import { computeValues } from "../execute/compute.ts";
import { recordedFor, textOf } from "../execute/dumped.ts";
import { isRecord } from "../messages/given.ts";
import { type ComputeOptions, getOptions, optionsOf } from "../options.ts";
import type { Storage } from "../storage.ts";
import { Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { toNumbers } from "./convert.ts";
import { encode, type Range, rangeOf } from "./elements.ts";
import { readDump } from "./read.ts";

export interface DumpOptions extends ComputeOptions {
  /**
   * "elements" has the inputs' very elements, in base64. "seeds" has only the range of each: other numbers are drawn within it
   * when it is replayed. Default "elements".
   */
  readonly inputs?: "elements" | "seeds";
}

/**
 * The program recorded for the tensors, which are not computed, as text for {@link replay}: its inputs, its graph, and the options
 * that it would be compiled with. What is computed already is an input.
 * @throws TypeError for what is no tensor, and for unknown options.
 */
export function dump(x: AnyTensor | readonly AnyTensor[], options: DumpOptions = {}): string {
  if (!isRecord(options))
    throw new TypeError(`dump: options must be an object, not ${showArgument(options)}`);
  const { inputs = "elements", ...own } = options;
  if (inputs !== "elements" && inputs !== "seeds")
    throw new TypeError(`dump: inputs must be "elements" or "seeds", not ${showArgument(inputs)}`);
  const list: readonly unknown[] = Array.isArray(x) ? x : [x];
  if (!list.every((each) => each instanceof Tensor))
    throw new TypeError(`dump: x must be a Tensor or a list of them, but got ${showArgument(x)}`);
  const values = list.map(unwrap);
  const { graph, given } = recordedFor(values);
  const lines = given.map(({ node, storage }, k) =>
    inputs === "elements"
      ? `input ${k} elements ${encode((storage as Storage).array)}`
      : seedLine(k, rangeOf(node.dtype, toNumbers(node.dtype, (storage as Storage).array))),
  );
  return textOf(graph, lines, optionsOf("dump", own));
}

const seedLine = (k: number, { low, high }: Range): string =>
  `input ${k} seed ${k + 1} from ${low} to ${high}`;

/**
 * Computes what {@link dump} wrote, with its options, or others where they are given. What stands before the dump, such as the
 * message of an InternalError, is passed over.
 * @throws SyntaxError where the text is no dump; what computing it throws.
 */
export function replay(text: string, options: ComputeOptions = {}): Tensor[] {
  if (typeof text !== "string")
    throw new TypeError(`replay: text must be a string, not ${showArgument(text)}`);
  if (!isRecord(options))
    throw new TypeError(`replay: options must be an object, not ${showArgument(options)}`);
  const { options: known, values, wanted } = readDump("replay", text);
  // A tensor stands for each result and each input, so that none is written over while others are computed.
  for (const value of values) if (value.storage !== null) wrap(value);
  const results = wanted.map((value) => wrap(value));
  computeValues(wanted, { ...getOptions(), ...optionsOf("replay", { ...known, ...options }) });
  return results;
}
