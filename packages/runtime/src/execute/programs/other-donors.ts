/**
 * A graph comes again, and fewer of its inputs may be overwritten: something holds parameters for a while, as what a model gave under
 * `noGrad` does until it is collected. The program that was compiled before runs once more, with copies of the others. If it is often so, the
 * graph gets a program of its own.
 */
import { Storage } from "../../storage.ts";
import type { Value } from "../../value.ts";
import { type Extraction, isPartOf } from "../extract/extract.ts";
import type { Executable } from "./executable.ts";
import type { Bound } from "./run.ts";

/** Graphs of fewer nodes are compiled sooner than they are copied for. */
const LEAST = 32;
/**
 * For each node, how often a program runs with copies, and the bytes that are copied in all. A step of 203 nodes took 70 to 110 ms to
 * compile.
 */
const RUNS_PER_NODE = 1 / 4;
const BYTES_PER_NODE = 2 ** 19;
/** So many programs are remembered. */
const MOST = 256;

interface Known {
  readonly executable: WeakRef<Executable>;
  runs: number;
  bytes: number;
}

/** By the hash of what is recorded. Programs may leave their cache before. */
const known = new Map<number, Known>();

export const clearDonors = (): void => known.clear();

/** The program was compiled for that. */
export function noteDonors({ order, recorded, donated }: Extraction, executable: Executable): void {
  if (order.length < LEAST || donated.length === 0) return;
  known.delete(recorded);
  known.set(recorded, { executable: new WeakRef(executable), runs: 0, bytes: 0 });
  if (known.size > MOST) known.delete(known.keys().next().value as number);
}

/**
 * A program of the same graph that overwrites more inputs; null if there is none, or it has been taken too often. It may have more results
 * for that, which are results of the extraction from then on.
 */
export function withMoreDonors(
  extraction: Extraction,
  isFor: (executable: Executable) => boolean,
): Executable | null {
  const { order, recorded, donated, given, outputs, wanted } = extraction;
  const found = known.get(recorded);
  const executable = found?.executable.deref();
  if (found === undefined || executable === undefined) return null;
  const { length } = order;
  if (found.runs >= length * RUNS_PER_NODE || found.bytes >= length * BYTES_PER_NODE) return null;
  if (!donated.every((index) => executable.donated.includes(index))) return null;
  if (!isFor(executable) || !isPartOf(extraction, executable.recorded)) return null;
  found.runs++;
  for (const position of executable.recorded.outputs.slice(outputs.length)) {
    outputs.push(position);
    wanted.push(order[position] as Value);
  }
  for (const index of others(executable, extraction))
    found.bytes += ((given[index] as Value).storage as Storage).bytes;
  return executable;
}

/** True for a program of {@link withMoreDonors}. */
export const needsCopies = (executable: Executable, extraction: Extraction): boolean =>
  executable.donated.length > extraction.donated.length;

/** The inputs that the program overwrites, and others still read. */
const others = ({ program }: Executable, { donated }: Extraction): readonly number[] =>
  program.donors.filter((index) => !donated.includes(index));

/** What a program is bound to: copies of the inputs that it overwrites, and others still read. */
export function withCopies(bound: Bound, executable: Executable, extraction: Extraction): Bound {
  if (!needsCopies(executable, extraction)) return bound;
  const given = [...bound.given];
  for (const index of others(executable, extraction)) {
    const { dtype } = (extraction.given[index] as Value).node;
    given[index] = new Storage(dtype, (given[index] as Storage).copy());
  }
  return { ...bound, given };
}
