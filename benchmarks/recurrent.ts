/**
 * What it takes to begin training a recurrent network: the first steps, which compile, over a later step; and batches of changing lengths.
 * Each kind is a process of its own, so that no other has warmed it.
 *
 *     npx tsx --conditions=fuseau:source benchmarks/recurrent.ts [KIND]     (GRU and LSTM by default)
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type AnyTensor, randn, setThreads, stats } from "fuseau";
import { GRU, Linear, LSTM } from "fuseau/nn";
import { Adam } from "fuseau/optim";
import { median } from "./measure/statistics.ts";

const STEPS = 100;
const FIRST = 6;
const LATER = 30;
const EPOCHS = 2;

const [kind] = process.argv.slice(2);
if (kind === undefined) {
  const own = fileURLToPath(import.meta.url);
  for (const each of ["GRU", "LSTM"])
    execFileSync(process.execPath, [...process.execArgv, own, each], { stdio: "inherit" });
} else {
  setThreads(1);
  const step = trainer(kind === "LSTM" ? new LSTM(32, 64) : new GRU(32, 64));
  const x = randn([STEPS, 16, 32]).compute();
  const times = Array.from({ length: FIRST + LATER }, () => timeOf(() => step(x)));
  const later = median(times.slice(FIRST));
  const begun = times.slice(0, FIRST).map((time) => time.toFixed(0));
  const all = times.slice(0, FIRST).reduce((sum, time) => sum + time, 0);
  console.log(`${kind}, ${STEPS} steps: ${begun.join(" ")}; later ${later.toFixed(1)} ms`);
  console.log(`  the first ${FIRST} take as long as ${(all / later).toFixed(0)} later ones`);
  const batches = Array.from({ length: 40 }, (_, k) => randn([20 + ((k * 17) % 41), 16, 32]).compute());
  for (let epoch = 1; epoch <= EPOCHS; epoch++) {
    const before = stats().programs.misses;
    const time = timeOf(() => batches.forEach(step));
    const made = stats().programs.misses - before;
    const memory = process.memoryUsage.rss() / 2 ** 20;
    console.log(
      `  40 lengths, epoch ${epoch}: ${time.toFixed(0)} ms, ${made} programs, ${memory.toFixed(0)} MB`,
    );
  }
}

function timeOf(fn: () => void): number {
  const begin = performance.now();
  fn();
  return performance.now() - begin;
}

/** A step of training. The loss is read, as one does to print it. */
function trainer(net: GRU<32, 64> | LSTM<32, 64>): (x: AnyTensor) => void {
  const head = new Linear(64, 5);
  const optimizer = new Adam([...net.parameters(), ...head.parameters()]);
  return (x) => {
    optimizer.zeroGrad();
    const [states] = net.forward(x as never) as unknown as readonly [AnyTensor];
    const loss = (head.forward(states as never) as AnyTensor).square().mean();
    loss.backward();
    optimizer.step();
    loss.item();
  };
}
