/** One case, from its check to its rows. */
import type { Case, Variant } from "../case.ts";
import { isMissing, type MissingPeer, type PeerLibrary } from "../peers/library.ts";
import { type Throughput, throughput } from "./benny.ts";
import { checkedVariants } from "./check.ts";
import type { CaseReport, Row } from "./report.ts";
import { kernelsRun } from "./runtime.ts";
import { type Budget, type Sample, sample } from "./sampler.ts";

export interface Settings {
  readonly budget: Budget;
  /** Seconds for each variant in benny; 0 leaves it out. */
  readonly bennySeconds: number;
  readonly peers: readonly (PeerLibrary | MissingPeer)[];
}

export async function measureCase(measured: Case, settings: Settings): Promise<CaseReport> {
  const { name, title, about } = measured;
  try {
    const { variants, peers } = await measured.prepare();
    const timed = peers === undefined ? [] : settings.peers;
    const others = timed.flatMap((peer) => (isMissing(peer) || peers === undefined ? [] : peers(peer)));
    const { agreeing, wrong } = await checkedVariants(measured, [...variants, ...others]);
    const benny: Throughput[] =
      settings.bennySeconds === 0 ? [] : await throughput(title, agreeing, settings.bennySeconds);
    const samples = await sample(agreeing, settings.budget);
    return {
      name,
      title,
      about,
      kernels: kernelCounts(variants),
      rows: [
        ...samples.map(rowOfSample),
        ...[...wrong].map(([peer, reason]) => emptyRow(peer, reason)),
        ...timed.filter(isMissing).map((peer) => emptyRow(peer.name, peer.reason)),
      ],
      benny,
    };
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { name, title, about, kernels: null, rows: [], benny: [], failure };
  }
}

function kernelCounts(variants: readonly Variant[]): CaseReport["kernels"] {
  const count = (role: Variant["role"]): number =>
    kernelsRun(() => void variants.find((variant) => variant.role === role)?.run());
  return { fused: count("fused"), eager: count("eager") };
}

const rowOfSample = ({ variant, nanoseconds, low, high, ratio }: Sample): Row => ({
  name: variant.name,
  role: variant.role,
  nanoseconds,
  low,
  high,
  ratio,
});

const emptyRow = (name: string, note: string): Row => ({
  name,
  role: "peer",
  nanoseconds: null,
  low: null,
  high: null,
  ratio: null,
  note,
});
