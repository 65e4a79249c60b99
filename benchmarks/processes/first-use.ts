/**
 * What is cold in a fresh process, on one thread: the first expression of all and a second one, on few elements, and then the
 * first call of another on ten million, which its own later calls are compared with. `used`: memory for its result has been
 * used before.
 */
import { arange, setThreads } from "fuseau";
import { median } from "../measure/statistics.ts";
import { send } from "./send.ts";

export interface FirstUse {
  /** Milliseconds. */
  readonly first: number;
  readonly second: number;
  readonly cold: number;
  readonly warm: number;
}

const FEW = 1_000;
const MANY = 10_000_000;
const WARM_CALLS = 9;

const [, , asked, memory] = process.argv;
const emitter = asked === "js" ? "js" : "wasm";

function timed(work: () => { dispose(): void }): number {
  const start = performance.now();
  const result = work();
  const time = performance.now() - start;
  result.dispose();
  return time;
}

setThreads(1);
const few = () => arange(FEW, { dtype: "float32" }).div(FEW);
const first = timed(() => {
  const x = few();
  return x.mul(x).add(0.5).log().sub(x).compute({ emitter });
});
const second = timed(() => {
  const x = few();
  return x.sub(x.exp()).abs().sqrt().mul(x).compute({ emitter });
});

const x = arange(MANY, { dtype: "float32" }).div(MANY).compute({ emitter });
if (memory === "used") x.add(1).compute({ emitter }).dispose();
const call = (): number => timed(() => x.exp().mul(x).compute({ emitter }));
const cold = call();
const result: FirstUse = { first, second, cold, warm: median(Array.from({ length: WARM_CALLS }, call)) };
send(result);
