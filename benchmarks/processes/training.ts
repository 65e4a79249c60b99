/** Training steps by turns on one thread, PyTorch's among them: times, kernels, what is compiled, and what is written in place. */
import { setThreads, stats, trace } from "fuseau";
import { inTurn, type Timed, type Times, timed } from "../measure/processor-time.ts";
import { startTorch } from "../peers/torch/torch.ts";
import { type Step, type Training, trainings } from "../suites/training-steps.ts";
import { send } from "./send.ts";

export interface TrainingStep {
  readonly milliseconds: number;
  readonly kernels: number;
  /** Bytes of results written over an input, and of others. */
  readonly inPlace: number;
  readonly results: number;
}

/** A time over that of derivatives, and how far losses are apart after the same steps, at most. */
interface Compared {
  readonly ratio: number;
  readonly difference: number;
}

export interface TrainingTimes {
  readonly derivatives: TrainingStep;
  /** Programs compiled after warm-up. */
  readonly compiled: number;
  readonly hand: (TrainingStep & Compared) | null;
  readonly torch: (Compared & { readonly milliseconds: number; readonly about: string }) | null;
}

const WARM_UP = 30;
const BUDGET = { measure: 1_500, rounds: 31, warm: 1_500 };

setThreads(1);
const name = process.argv[2] as keyof typeof trainings;
send(await measure(trainings[name]));

async function measure({ derivatives, byHand, torch }: Training): Promise<TrainingTimes> {
  const peer = await startTorch();
  try {
    const [own, hand, other] = [
      started(derivatives()),
      byHand && started(byHand()),
      await peer?.training(torch()),
    ];
    const losses = own.first(WARM_UP);
    const handLosses = hand?.first(WARM_UP);
    const torchLosses = await other?.steps(WARM_UP);
    const compiledBefore = stats().programs.misses;
    const works: readonly Timed[] = [own.time, ...(hand ? [hand.time] : []), ...(other ? [other.time] : [])];
    const times = await inTurn(works, BUDGET);
    const compiled = stats().programs.misses - compiledBefore;
    const compared = (found: readonly number[], { milliseconds, ratio }: Times) => ({
      milliseconds,
      ratio,
      difference: Math.max(...found.map((loss, k) => Math.abs(loss - losses[k]!))),
    });
    return {
      derivatives: { milliseconds: times[0]!.milliseconds, ...traced(own.step) },
      compiled,
      hand: hand && handLosses ? { ...compared(handLosses, times[1]!), ...traced(hand.step) } : null,
      torch: peer && torchLosses ? { ...compared(torchLosses, times.at(-1)!), about: peer.about } : null,
    };
  } finally {
    peer?.close();
  }
}

/** Steps that go on, batch after batch. */
function started(step: Step) {
  let batch = 0;
  const next = (): number => step(batch++);
  return {
    step: next,
    time: timed(next),
    first: (count: number): readonly number[] => Array.from({ length: count }, next),
  };
}

function traced(step: () => number): Omit<TrainingStep, "milliseconds"> {
  const { events } = trace(step);
  const memory = events.filter((event) => event.kind === "memory");
  const sum = (field: "inPlace" | "results"): number => memory.reduce((all, event) => all + event[field], 0);
  return {
    kernels: events.filter((event) => event.kind === "kernel").length,
    inPlace: sum("inPlace"),
    results: sum("results"),
  };
}
