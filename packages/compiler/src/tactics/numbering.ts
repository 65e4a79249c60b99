/** Numbers for axes and integer locals that an emitter adds to a kernel, beyond the kernel's own. */
import {
  axesOfLoop,
  cutOf,
  type Integer,
  isDefinition,
  isLoop,
  type LoopKernel,
  statementsIn,
} from "@fuseau/ir";

export class Numbering {
  #axes: number;
  #locals: number;

  constructor({ body }: LoopKernel) {
    const statements = statementsIn(body);
    const after = (numbers: readonly number[]): number =>
      numbers.reduce((most, each) => Math.max(most, each), -1) + 1;
    const loops = statements.filter(isLoop);
    this.#axes = after(
      loops.flatMap((loop) => [
        ...axesOfLoop(loop).map(({ axis }) => axis),
        ...(cutOf(loop.run) === null ? [] : [cutOf(loop.run)!.first]),
      ]),
    );
    this.#locals = after(statements.filter(isDefinition).map(({ local }) => local));
  }

  axis(): Extract<Integer, { readonly kind: "axis" }> {
    return { kind: "axis", axis: this.#axes++ };
  }

  local(): Extract<Integer, { readonly kind: "local" }> {
    return { kind: "local", local: this.#locals++ };
  }
}
