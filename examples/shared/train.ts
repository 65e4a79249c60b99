/** What all examples that train have in common: the loop, the curve, and weights that are saved and loaded again. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type AnyTensor, equal, noGrad } from "fuseau";
import { loadSafetensors, saveSafetensors } from "fuseau/data";
import type { Module } from "fuseau/nn";
import { drawSvg, drawText, smoothed } from "./curve.ts";
import { progress } from "./progress.ts";

/** What is learned, from what. B is a batch. */
export interface Task<M extends Module, B> {
  /** Of the files that are written. */
  readonly name: string;
  /** A model with first weights of its own. */
  readonly make: () => M;
  readonly optimizer: (model: M) => Rated;
  /** The learning rate when a part of all steps is done; by default the optimizer's own throughout. */
  readonly rate?: (done: number) => number;
  readonly epochs: number;
  readonly batches: Iterable<B> & { readonly length: number };
  /** A number that falls as the model learns. */
  readonly loss: (model: M, batch: B) => AnyTensor;
  /** What a loaded model has to give again, bit for bit. */
  readonly predict: (model: M) => AnyTensor;
  /** How well it has learned, as lines to print. `folder` is for drawings. */
  readonly judge: (model: M, folder: string) => readonly string[];
}

/** An optimizer whose learning rate can be set. */
interface Rated {
  readonly paramGroups: readonly { lr: number }[];
  step(): void;
  zeroGrad(): void;
}

export interface Outcome {
  readonly lines: readonly string[];
  /** Of each step. */
  readonly losses: readonly number[];
}

/** Where curves, weights and drawings go; git ignores it. */
export const outFolder: string = fileURLToPath(new URL("../out/", import.meta.url));

export async function train<M extends Module, B>(task: Task<M, B>, folder: string): Promise<Outcome> {
  const { name, epochs, batches } = task;
  const model = task.make();
  const optimizer = task.optimizer(model);
  const losses: number[] = [];
  const steps = epochs * batches.length;
  const bar = progress(name, steps);
  const begin = performance.now();
  for (let epoch = 0; epoch < epochs; epoch++)
    for (const batch of batches) {
      if (task.rate !== undefined)
        for (const group of optimizer.paramGroups) group.lr = task.rate(losses.length / steps);
      optimizer.zeroGrad();
      const loss = task.loss(model, batch);
      loss.backward();
      optimizer.step();
      losses.push(Number(loss.item()));
      bar.step(`loss ${losses.at(-1)!.toPrecision(4)}`);
    }
  const seconds = (performance.now() - begin) / 1000;
  bar.end();
  model.eval();

  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${name}.svg`, drawSvg(`${name}: loss`, losses));
  const weights = `${folder}${name}.safetensors`;
  await saveSafetensors(weights, model.stateDict(), { metadata: { example: name } });
  const loaded = task.make();
  loaded.loadStateDict(await loadSafetensors(weights));
  loaded.eval();
  const isSame = noGrad(() => equal(task.predict(model), task.predict(loaded)));
  if (!isSame) throw new Error(`${name}: the weights that were loaded predict something else`);

  const [first, last] = [smoothed(losses, 20)[0]!, smoothed(losses, 20).at(-1)!];
  const parameters = model.parameters().reduce((sum, parameter) => sum + parameter.numel(), 0);
  return {
    losses,
    lines: [
      drawText(losses),
      `${losses.length} steps in ${seconds.toFixed(1)} s (${((1000 * seconds) / losses.length).toFixed(1)} ms each), ${parameters} parameters`,
      `loss: ${first.toPrecision(4)} at first, ${last.toPrecision(4)} at last (means of a twentieth of the steps)`,
      ...noGrad(() => task.judge(model, folder)),
      "the saved weights predict the same after loading",
    ],
  };
}
