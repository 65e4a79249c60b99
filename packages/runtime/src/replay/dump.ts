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
import { recordedFor, textOf } from "../execute/programs/dumped.ts";
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
   * "elements" writes the inputs' elements, in base64. "seeds" writes only the range of each input: on replay other numbers are drawn
   * within it. Default "elements".
   */
  readonly inputs?: "elements" | "seeds";
}

/**
 * The recorded program of tensors as text for {@link replay}, without computing them: its inputs, its graph, and the options that it would
 * be compiled with. What is computed already is an input.
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
 * Computes the program of a {@link dump}, with its options, or with others if they are given. Text before the dump, such as the message of
 * an InternalError, is skipped.
 * @throws SyntaxError if the text has no dump, and whatever computing it throws.
 */
export function replay(text: string, options: ComputeOptions = {}): Tensor[] {
  if (typeof text !== "string")
    throw new TypeError(`replay: text must be a string, not ${showArgument(text)}`);
  if (!isRecord(options))
    throw new TypeError(`replay: options must be an object, not ${showArgument(options)}`);
  const { options: known, values, wanted } = readDump("replay", text);
  // A tensor holds each result and each input, so that none of them is donated while others are computed.
  for (const value of values) if (value.storage !== null) wrap(value);
  const results = wanted.map((value) => wrap(value));
  computeValues(wanted, { ...getOptions(), ...optionsOf("replay", { ...known, ...options }) });
  return results;
}
