/** The first call in a fresh process: recording, every pass, the generated code's first run. */
import { randomFloats } from "../measure/inputs.ts";
import { send } from "./send.ts";

export interface Cold {
  /** Milliseconds from before `import` to after it. Sources are stripped of their types on the way. */
  readonly load: number;
  readonly first: number;
  readonly second: number;
  /** The first call of another expression: the passes have run before, the kernel is new. */
  readonly other: number;
}

const HEIGHT = 1_000;
const WIDTH = 1_000;
const fusion = process.argv[2] === "eager" ? "none" : "on";

const before = performance.now();
const { fromTypedArray } = await import("fuseau");
const load = performance.now() - before;

const a = fromTypedArray(randomFloats(HEIGHT * WIDTH, 1), { shape: [HEIGHT, WIDTH] });
const b = fromTypedArray(randomFloats(HEIGHT * WIDTH, 2), { shape: [HEIGHT, WIDTH] });
const c = fromTypedArray(randomFloats(WIDTH, 3), { shape: [1, WIDTH] });
const d = fromTypedArray(randomFloats(WIDTH, 4), { shape: [1, WIDTH] });

const timed = (work: () => unknown): number => {
  const start = performance.now();
  work();
  return performance.now() - start;
};
const chain = () => a.mul(b).add(c).mul(d).sub(a).compute({ fusion });
const cold: Cold = {
  load,
  first: timed(chain),
  second: timed(chain),
  other: timed(() => a.sub(c).abs().add(b).mul(d).compute({ fusion })),
};
send(cold);
