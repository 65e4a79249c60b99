/**
 * Benny, for operations per second with their margin of error, as others publish them. It runs variants one after another,
 * so no ratio is taken from it; it also leaves every variant warm for the sampler. Peers are not in it: some are switched
 * between batches, which benny has no place for.
 */
import benny from "benny";
import type { Variant } from "../case.ts";

export interface Throughput {
  readonly name: string;
  readonly operationsPerSecond: number;
  /** Of the mean, in percent. */
  readonly margin: number;
}

/** `seconds` is the most that one variant may take. */
export async function throughput(
  title: string,
  variants: readonly Variant[],
  seconds: number,
): Promise<Throughput[]> {
  const own = variants.filter(({ role }) => role !== "peer");
  const options = { maxTime: seconds, minSamples: 3, delay: 0 };
  const summary = await quietly(() =>
    benny.suite(title, ...own.map(({ name, run }) => benny.add(name, () => void run(), options))),
  );
  return summary.results.map(({ name, ops, margin }) => ({ name, operationsPerSecond: ops, margin }));
}

/** Benny announces its suites on the console; the report is ours. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { log } = console;
  console.log = () => {};
  try {
    return await work();
  } finally {
    console.log = log;
  }
}
